// The commands of `tileglu`, one file each: add_NAME describes the options, and choosing the command sets what main() does next.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace tileglu::cli {

/// What the shell sees, of every command the same; docs/command-line.md has the table with examples.
enum exit_code : int {
  success = 0,
  wrong_result = 1,  ///< a result was computed and is wrong
  bad_usage = 2,     ///< an option, a problem or the content of a file that no machine could use
  cannot = 3,        ///< asked for rightly, but not possible here: no such GPU or backend, a kernel or a model that can't, too little memory, ...
  file_trouble = 4,  ///< a file, a folder or standard output that can't be read or written
  defect = 5,        ///< of tileglu
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
