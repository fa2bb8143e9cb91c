// The port by which a Hopper kernel family hands its rows to the sm90 backend. Each family lists one launcher a row.
#pragma once

#include <span>
#include <string_view>

#include "tileglu/plan.hpp"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu::sm90 {

struct launcher {
  std::string_view row;  ///< the name of a row of plan/tables
  /// Kernel attributes (shared memory, cluster size) for this plan's problem, on the current device. Idempotent.
  status (*prepare)(const execution_plan& plan);
  /// Queue the kernel on `stream`. Tensors are checked, m, n, k > 0; neither allocates (but for an error's text) nor synchronises.
  status (*launch)(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept;
};

/// Every row of this family that the build holds. backend.cpp names the families.
std::span<const launcher> paired_launchers() noexcept;
std::span<const launcher> gate_first_launchers() noexcept;
std::span<const launcher> interleaved_launchers() noexcept;
std::span<const launcher> decode_launchers() noexcept;

}  // namespace tileglu::sm90
