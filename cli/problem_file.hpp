// Problems in a JSON file: an array of objects with m, n, k (numbers or lists of numbers) and what differs from the command line's options.
#pragma once

#include <string>
#include <vector>

#include "problem_options.hpp"

namespace tileglu::cli {

/// Append the file's problems, each validated; what an entry doesn't say is as in `defaults`. Nothing is converted: 1.5 or "16" is no m.
/// Errors: io_error; bad_file names the file, the entry (counted from 1), the key, its value and what is allowed.
status add_problems_of_file(const std::string& path, const problem_words& defaults, std::vector<problem>& all);

}  // namespace tileglu::cli
