// Y = act(gate) * up from gate and up in device memory.
#pragma once

#include <cstdint>

#include "plan/portable_workspace.hpp"
#include "tileglu/run.hpp"

namespace tileglu::cublaslt {

/// `rows` rows of a problem.
struct activate_call {
  const problem* of = nullptr;
  plan_detail::portable_intermediates layout;
  const void* intermediates = nullptr;  ///< null: gate and up are 0, as they are for k = 0
  const void* bias_gate = nullptr;
  const void* bias_up = nullptr;
  void* y = nullptr;  ///< the first of the rows
  std::int64_t rows = 0;
};

/// Load its code onto the current device, which a launch inside a graph capture may not do.
status prepare_activate(const problem& p);

/// Queue it.
status launch_activate(const activate_call& call, stream_handle on);

}  // namespace tileglu::cublaslt
