// Problem -> plan: a pure function of (problem, device facts, options), and the words that explain its choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tileglu/device.hpp"
#include "tileglu/export.h"
#include "tileglu/problem.hpp"
#include "tileglu/status.hpp"

namespace tileglu {

/// Who computes. `automatic` lets the planner choose.
enum class backend_id : std::int32_t {
  automatic = 0,
  oracle = 1,         ///< float64 on the CPU, plain and slow: the reference
  cpu = 2,            ///< oneDNN blocks and a streaming path for few rows
  cuda_portable = 3,  ///< cuBLASLt and one activation kernel, compute capability >= 8.0
  sm90 = 4,           ///< the fused Hopper kernels
};

TILEGLU_API std::string_view name(backend_id value) noexcept;

/// What the caller fixes. Empty: everything is the planner's choice.
struct plan_options {
  backend_id backend = backend_id::automatic;
  std::string kernel;  ///< a row by name ("paired_p128x96_c2x1"), or a kernel by name ("decode"): the best of its rows; "" lets the planner choose
  /// Bytes of workspace the caller is ready to hand in; a row that needs more is refused.
  std::size_t workspace_limit = SIZE_MAX;
  /// May a kernel start to read the weights before the work queued ahead of it on the stream has ended (programmatic dependent
  /// launch)? True suits inference. Set it to false where the kernel directly before on the stream may write the weights.
  bool prefetch_weights = true;

  friend bool operator==(const plan_options&, const plan_options&) = default;
};

/// One row that was considered, and what became of it.
struct candidate {
  std::string row;
  backend_id backend = backend_id::automatic;
  bool refused = false;
  double cost_us = 0;  ///< the model's estimate, where it is not refused; infinity: none, chosen only where it is asked for by name
  std::string reason;  ///< why it was refused, or what its cost consists of
};

struct kernel_row;  // plan/tables: a named row with its configuration and its evidence
struct prepared_plan;

/// A choice, ready to be run. A value: copying it is cheap, and copies share what `prepare` made.
struct execution_plan {
  tileglu::problem problem;
  device_facts device;
  plan_options options;
  backend_id backend = backend_id::automatic;
  std::string row;                     ///< the name of the chosen row
  const kernel_row* config = nullptr;  ///< the row itself; static storage
  int split = 1;                       ///< slices of K, where the row splits it
  int raster_group = 1;                ///< rows of tiles, or of clusters of them, that are walked together, where the row is persistent
  std::size_t workspace = 0;           ///< bytes that `run` must be handed
  double cost_us = 0;                  ///< the model's estimate; infinity: none, for a row that was asked for by name
  std::string reason;                  ///< why this row
  std::vector<candidate> considered;   ///< every row of the tables, in order

  std::shared_ptr<prepared_plan> prepared;  ///< shared by copies; see prepare()
};

/// Choose how to compute `p` on `device`. Reads no environment, no clock and no hardware.
TILEGLU_API result<execution_plan> plan(const problem& p, const device_facts& device, const plan_options& options = {});

/// Bytes of workspace that `run` needs.
inline std::size_t workspace_bytes(const execution_plan& p) noexcept { return p.workspace; }

/// What was considered, what was refused (and why), what was chosen (and why); lines of text.
TILEGLU_API std::string explain(const execution_plan& p);

/// Every row of the tables, by name.
TILEGLU_API std::vector<std::string> kernel_names();

}  // namespace tileglu
