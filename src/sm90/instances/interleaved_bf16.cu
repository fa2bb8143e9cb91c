#include "sm90/interleaved/instantiate.cuh"

namespace tileglu::sm90::interleaved {

const instance_table& instances_bf16() noexcept {
  static const instance_table table = instantiate<__nv_bfloat16>();
  return table;
}

}  // namespace tileglu::sm90::interleaved
