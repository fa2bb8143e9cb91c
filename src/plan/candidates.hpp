// May this row compute this problem on this device?
#pragma once

#include <string>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

/// Why not, in words that name the argument, the value and what is allowed; empty where it may.
std::string refusal(const kernel_row& row, const problem& p, const device_facts& device, const plan_options& options);

}  // namespace tileglu::plan_detail
