// Files of a command's results: each appears whole or not at all, and what goes wrong is named.
#pragma once

#include <string>
#include <string_view>

#include "tileglu/status.hpp"

namespace tileglu::cli {

/// Makes `folder` if it is not there, and writes `text` as `name` in it. io_error says which file, and why: read-only, full, ...
status write_result(const std::string& folder, const std::string& name, std::string_view text);

}  // namespace tileglu::cli
