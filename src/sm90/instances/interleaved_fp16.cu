#include "sm90/interleaved/instantiate.cuh"

namespace tileglu::sm90::interleaved {

const instance_table& instances_fp16() noexcept {
  static const instance_table table = instantiate<__half>();
  return table;
}

}  // namespace tileglu::sm90::interleaved
