#include "sm90/paired/instantiate.cuh"

namespace tileglu::sm90 {

std::span<const paired_instance> paired_swapped_64_fp16() noexcept { return paired_instances<__half, schedule::swapped, 64>(); }

}  // namespace tileglu::sm90
