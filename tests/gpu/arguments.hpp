// What gpu_check is asked on its command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/cases.hpp"
#include "gpu/parts.hpp"

namespace tileglu::gpu_check {

extern const char* const usage;

struct arguments {
  std::vector<std::string> kernels, checks;
  std::string profiled_row;  ///< to be run once, for a profiler, on a problem of profiled_size; empty: the checks are to be run
  std::int64_t profiled_size[3] = {};  ///< m, n, k
  std::string json;
  std::string command = "gpu_check";  ///< as it was asked, but for where the JSON goes: that says nothing about the run
  double seconds = 0;
  amount of = amount::whole;
  part share;
  bool break_context = false;
};

/// Why the words are no command, naming the argument, its value and what is allowed; empty where they are one.
std::string parse(int argc, const char* const* argv, arguments& a);

}  // namespace tileglu::gpu_check
