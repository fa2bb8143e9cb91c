#include "sm90/gate_first/instantiate.cuh"

namespace tileglu::sm90::gate_first {

const kernel_table& kernels_bf16() noexcept {
  static const kernel_table table = instantiate<__nv_bfloat16>();
  return table;
}

}  // namespace tileglu::sm90::gate_first
