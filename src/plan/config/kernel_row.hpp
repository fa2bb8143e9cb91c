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

/// What a row was measured to cost (plan/tables/row_timings.hpp). All zero: not measured, and chosen only where it is asked for.
struct row_timing {
  double block_ns = 0;      ///< tiles: one K block of 64 of one tile, operands in L2
  double tile_ns = 0;       ///< tiles: per tile on top, what of the epilogue and of the pipeline's fill is not hidden
  double fixed_us = 0;      ///< per launch
  double bytes_per_ns = 0;  ///< streamed from device memory, all SMs together
  double idle = 0;          ///< tiles: share of the streaming time that idle SMs cost, by the share of them that idles
  double imbalance = 0;     ///< decode: share of the time that K blocks cost which the warps of a block can't share evenly
  double tail = 0;          ///< decode: share of the time that the unfilled part of the last wave costs
  double blocks_per_sm = 0; ///< decode: blocks that an SM holds
  double largest_m = 0;     ///< tiles: the largest m of the races; 0: not recorded
  double smallest_m = 0;    ///< tiles: the smallest m of the races
  double smallest_k = 0;    ///< tiles: the smallest k of the races
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
