// The rows the planner chooses from, in one list.
#pragma once

#include <span>
#include <string_view>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

/// Every row, in the order in which `explain` lists them.
std::span<const kernel_row> rows() noexcept;

/// The row with this name, or null.
const kernel_row* find_row(std::string_view name) noexcept;

}  // namespace tileglu::plan_detail
