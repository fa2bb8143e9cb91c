// Where the gate and up rows of an output column lie: one index map for packing, the backends and the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tileglu/types.hpp"

#ifdef __CUDACC__
#define TILEGLU_HOST_DEVICE __host__ __device__
#else
#define TILEGLU_HOST_DEVICE
#endif

namespace tileglu::layout {

/// Row of the gate (up = false) or up (up = true) weights of column `j`, in the one matrix of a layout of n columns;
/// for `separate`, in its own matrix.
TILEGLU_HOST_DEVICE constexpr std::int64_t weight_row(weight_layout layout, std::int64_t n, std::int64_t j, bool up) noexcept {
  switch (layout) {
    case weight_layout::separate: return j;
    case weight_layout::stacked_gate_up: return up ? n + j : j;
    case weight_layout::stacked_up_gate: return up ? j : n + j;
    case weight_layout::interleaved: return 2 * j + (up ? 1 : 0);
  }
  return j;
}

/// Rows from the weights of one column to those of the next: 2 where gate and up alternate.
TILEGLU_HOST_DEVICE constexpr std::int64_t weight_row_step(weight_layout layout) noexcept { return layout == weight_layout::interleaved ? 2 : 1; }

/// The two halves as pointers to their first rows.
struct halves {
  const std::uint16_t* gate;
  const std::uint16_t* up;
  std::int64_t row_stride;  ///< elements from one row of a half to the next
};

/// Resolves a layout: `first` and `second` as gate_up_weights holds them, `ld` elements between the rows of a matrix.
inline halves resolve(weight_layout layout, const void* first, const void* second, std::int64_t n, std::int64_t ld) noexcept {
  const auto* one = static_cast<const std::uint16_t*>(first);
  const auto* two = layout == weight_layout::separate ? static_cast<const std::uint16_t*>(second) : one;
  return {one + weight_row(layout, n, 0, false) * ld, two + weight_row(layout, n, 0, true) * ld, ld * weight_row_step(layout)};
}

}  // namespace tileglu::layout
