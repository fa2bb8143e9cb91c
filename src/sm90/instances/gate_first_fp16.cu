#include "sm90/gate_first/instantiate.cuh"

namespace tileglu::sm90::gate_first {

const kernel_table& kernels_fp16() noexcept {
  static const kernel_table table = instantiate<__half>();
  return table;
}

}  // namespace tileglu::sm90::gate_first
