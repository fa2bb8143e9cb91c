// A build without CUTLASS's headers holds no row of the interleaved kernel; the planner refuses them (TILEGLU_WITHOUT_CUTLASS).
#include "sm90/launch.hpp"

namespace tileglu::sm90 {

std::span<const launcher> interleaved_launchers() noexcept { return {}; }

}  // namespace tileglu::sm90
