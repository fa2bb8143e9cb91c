// A row of the planner's tables: a named configuration of one kernel, with the evidence for it.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "plan/config/sm90_config.hpp"
#include "tileglu/plan.hpp"

namespace tileglu {

/// The kernels that rows configure.
enum class kernel_family { oracle, cpu_stream, cpu_blocked, cpu_onednn, cpu_unfused, cuda_portable, gate_first, interleaved, paired, decode };

std::string_view name(kernel_family family) noexcept;

/// What a row was measured to cost; `bench/fit_rows.py` writes these from a race of rows. All zero: not measured, never chosen unless asked for.
struct row_timing {
  double block_ns = 0;        ///< one K block of 64 of one tile, operands in L2
  double tile_ns = 0;         ///< per tile on top: what of the epilogue and the pipeline's fill is not hidden
  double fixed_us = 0;        ///< per launch
  double bytes_per_ns = 0;    ///< weights streamed from device memory, all SMs together
};

struct kernel_row {
  std::string_view name;
  kernel_family family;
  backend_id backend;
  std::variant<std::monostate, paired_config, gate_first_config, interleaved_config, decode_config> config;
  std::string_view evidence;  ///< where its numbers come from: GPU, date, file
  row_timing timing = {};
};

}  // namespace tileglu
