#include "memory_left.hpp"

#include <fstream>

#include <fmt/core.h>

namespace tileglu::cli {

status enough_memory(double bytes, const std::string& what) {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word != "MemAvailable:") continue;
    double kilobytes = 0;
    if (!(file >> kilobytes) || bytes <= 1024 * kilobytes) break;
    return {status_code::out_of_memory,
            fmt::format("{} takes {:.1f} GB of this machine's memory, which has {:.1f} GB left", what, bytes * 1e-9, 1024 * kilobytes * 1e-9)};
  }
  return {};
}

}  // namespace tileglu::cli
