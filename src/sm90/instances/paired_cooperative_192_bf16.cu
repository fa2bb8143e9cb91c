#include "sm90/paired/instantiate.cuh"

namespace tileglu::sm90 {

std::span<const paired_instance> paired_cooperative_192_bf16() noexcept { return paired_instances<__nv_bfloat16, schedule::cooperative, 192>(); }

}  // namespace tileglu::sm90
