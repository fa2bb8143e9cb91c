// Files of a command's results: each appears whole or not at all, and what goes wrong is named.
#pragma once

#include <string>
#include <string_view>

#include "tileglu/status.hpp"

namespace tileglu::cli {

/// Writes `text` as `path`: under a name of this process's own first, so that two runs don't mix. What is there and is no plain file
/// (a link, such as /dev/stdout; a pipe) is written into and stays what it is. io_error says which file, and why: read-only, full, ...
status write_file(const std::string& path, std::string_view text);

/// Makes `folder` if it is not there, and writes `text` as `name` in it.
status write_result(const std::string& folder, const std::string& name, std::string_view text);

}  // namespace tileglu::cli
