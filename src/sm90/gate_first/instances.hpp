// The built instances of the gate_first kernel: which files of instances/ hold them, and what they are.
#pragma once

#include <array>

#include "plan/tables/paper_rows.hpp"

namespace tileglu::sm90::gate_first {

/// One element type's kernels, by row: [row of gate_first_rows][0: plain silu, 1: general].
using kernel_table = std::array<std::array<const void*, 2>, plan_detail::gate_first_rows.size()>;

const kernel_table& kernels_bf16() noexcept;
const kernel_table& kernels_fp16() noexcept;

}  // namespace tileglu::sm90::gate_first
