// The rows of the paired kernel, ready to launch.
#include "sm90/launch.hpp"

namespace tileglu::sm90 {

std::span<const launcher> paired_launchers() noexcept { return {}; }

}  // namespace tileglu::sm90
