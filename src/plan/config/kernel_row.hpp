// A row of the planner's tables: a named configuration of one kernel, with the evidence for it.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "plan/config/sm90_config.hpp"
#include "tileglu/plan.hpp"

namespace tileglu {

/// The kernels that rows configure.
enum class kernel_family { oracle, cpu_stream, cpu_blocked, cuda_portable, gate_first, interleaved, paired, decode };

std::string_view name(kernel_family family) noexcept;

struct kernel_row {
  std::string_view name;
  kernel_family family;
  backend_id backend;
  std::variant<std::monostate, paired_config, gate_first_config, interleaved_config, decode_config> config;
  std::string_view evidence;  ///< where its numbers come from: GPU, date, file
};

}  // namespace tileglu
