// The commands of `tileglu`, one file each: add_NAME describes the options, and choosing the command sets what main() does next.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace tileglu::cli {

/// What the shell sees.
enum exit_code : int {
  success = 0,
  check_failed = 1,  ///< a result was computed and is wrong
  bad_usage = 2,     ///< an option, a problem or a file that can't be used
  environment = 3,   ///< this machine or build lacks something, or the device failed
};

/// Runs after the command line has been read; returns an exit_code.
using action = std::function<int()>;

void add_run(CLI::App& app, action& chosen);
void add_check(CLI::App& app, action& chosen);
void add_bench(CLI::App& app, action& chosen);
void add_plan(CLI::App& app, action& chosen);
void add_info(CLI::App& app, action& chosen);
void add_pack(CLI::App& app, action& chosen);

}  // namespace tileglu::cli
