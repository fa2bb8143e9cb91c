// The Hopper rows: gathered from the tables of the four kernels.
#pragma once

#include <array>

#include "plan/tables/decode_rows.hpp"
#include "plan/tables/paired_rows.hpp"
#include "plan/tables/paper_rows.hpp"

namespace tileglu::plan_detail {

inline constexpr auto sm90_rows = [] {
  std::array<kernel_row, decode_rows.size() + paired_rows.size() + gate_first_rows.size() + interleaved_rows.size()> all{};
  std::size_t i = 0;
  for (const kernel_row& row : decode_rows) all[i++] = row;
  for (const kernel_row& row : paired_rows) all[i++] = row;
  for (const kernel_row& row : gate_first_rows) all[i++] = row;
  for (const kernel_row& row : interleaved_rows) all[i++] = row;
  return all;
}();

}  // namespace tileglu::plan_detail
