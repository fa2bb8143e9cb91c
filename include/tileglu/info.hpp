// What this build holds and what this machine can run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tileglu/export.h"
#include "tileglu/plan.hpp"

namespace tileglu {

/// A backend that the library knows, in this build or not.
struct backend_info {
  backend_id id = backend_id::automatic;
  bool built = false;
  std::string summary;  ///< what it is, in a line; empty where it is not built
  std::string missing;  ///< why this build or this machine can't run it; empty where it can
};

/// Every backend but `automatic`, in the order of their numbers.
TILEGLU_API std::vector<backend_info> list_backends();

/// How the library was built.
struct build_info {
  std::string version;
  std::string compiler;     ///< "GCC 12.2.0"
  std::string cuda;         ///< "nvcc 13.0.88", or empty
  std::string cuda_reason;  ///< why there are no CUDA backends; empty where there are
};

TILEGLU_API build_info this_build();

}  // namespace tileglu
