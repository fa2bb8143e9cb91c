// Is there memory for what is asked for? What is promised and then not there ends other programs first.
#pragma once

#include <string>

#include "tileglu/status.hpp"

namespace tileglu::cli {

/// out_of_memory, which names `what` and both numbers, where `bytes` are more than this machine has left; ok where it doesn't say.
status enough_memory(double bytes, const std::string& what);

}  // namespace tileglu::cli
