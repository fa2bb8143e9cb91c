#include "sm90/paired/instantiate.cuh"

namespace tileglu::sm90 {

std::span<const paired_instance> paired_swapped_128_bf16() noexcept { return paired_instances<__nv_bfloat16, schedule::swapped, 128>(); }

}  // namespace tileglu::sm90
