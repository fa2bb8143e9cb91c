#include "sm90/paired/instantiate.cuh"

namespace tileglu::sm90 {

std::span<const paired_instance> paired_cooperative_256_fp16() noexcept { return paired_instances<__half, schedule::cooperative, 256>(); }

}  // namespace tileglu::sm90
