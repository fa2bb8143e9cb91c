#include "sm90/paired/instantiate.cuh"

namespace tileglu::sm90 {

std::span<const paired_instance> paired_pingpong_64_bf16() noexcept { return paired_instances<__nv_bfloat16, schedule::pingpong, 64>(); }

}  // namespace tileglu::sm90
