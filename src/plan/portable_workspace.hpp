// How the portable CUDA path uses its workspace: gate and up of some rows, then what cuBLASLt may use. One truth for the planner,
// which states the bytes, and for the backend, which fills them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tileglu/problem.hpp"

namespace tileglu::plan_detail {

/// What NVIDIA recommends for Hopper; more changed no choice of its heuristic in our cells.
inline constexpr std::size_t product_workspace = std::size_t{32} << 20;

/// Intermediates held at once. A larger problem is computed in passes over its rows, each large enough to fill any GPU.
inline constexpr std::int64_t most_intermediate_bytes = std::int64_t{1} << 30;

/// Gate and up of a pass, row by row; offsets and strides are in elements.
struct portable_intermediates {
  int element_bytes = 4;            ///< 4: float32; 2: the problem's element type
  std::int64_t rows_per_pass = 0;
  std::int64_t row_stride = 0;      ///< a multiple of 8
  std::int64_t gate_offset = 0;
  std::int64_t up_offset = 0;
  int step = 1;                     ///< from one column to the next: 2 where gate and up alternate
  std::size_t bytes = 0;            ///< a multiple of 256; 0 where k is 0 and there is no product
};

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

constexpr portable_intermediates portable_layout(const problem& p) {
  portable_intermediates l;
  // Separate kernels round gate and up when they store them, after the bias: without a bias cuBLASLt's own store does that.
  l.element_bytes = p.mode == numerics::match_unfused && !p.bias ? 2 : 4;
  switch (p.layout) {
    case weight_layout::separate: l.up_offset = round_up(p.n, 8); break;
    case weight_layout::stacked_gate_up: l.up_offset = p.n; break;
    case weight_layout::stacked_up_gate: l.gate_offset = p.n; break;
    case weight_layout::interleaved: l.up_offset = 1, l.step = 2; break;
  }
  l.row_stride = p.layout == weight_layout::separate ? 2 * l.up_offset : round_up(2 * p.n, 8);
  l.rows_per_pass = p.m;
  if (p.m == 0 || p.n == 0 || p.k == 0) return l;
  const std::int64_t row_bytes = l.row_stride * l.element_bytes;
  const std::int64_t rows = std::max<std::int64_t>(1, most_intermediate_bytes / row_bytes);
  if (rows < p.m) l.rows_per_pass = rows >= 256 ? rows / 256 * 256 : rows;
  l.bytes = static_cast<std::size_t>(round_up(l.rows_per_pass * row_bytes, 256));
  return l;
}

/// Bytes of workspace of the portable path.
constexpr std::size_t portable_workspace_bytes(const problem& p) {
  const std::size_t intermediates = portable_layout(p).bytes;
  return intermediates == 0 ? 0 : intermediates + product_workspace;
}

}  // namespace tileglu::plan_detail
