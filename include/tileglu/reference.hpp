// The float64 oracle, on host memory: plain loops, obviously right, slow. Every other path is judged by it.
#pragma once

#include <cstdint>
#include <vector>

#include "tileglu/export.h"
#include "tileglu/problem.hpp"
#include "tileglu/run.hpp"

namespace tileglu {

/// Y [m, n] in float64, dense, of the exact values of the inputs (no rounding anywhere). Pointers are host memory.
/// `row_begin`, `row_end` limit the rows that are computed (large m: a sample is enough).
TILEGLU_API result<std::vector<double>> reference_gated_linear(const problem& p, const tensors& t, std::int64_t row_begin = 0,
                                                               std::int64_t row_end = -1);

/// The same formula in float32 with one rounding at the end (or as numerics::match_unfused says), widened to float64:
/// the error that an honest float32 implementation makes, which tolerances are measured against.
TILEGLU_API result<std::vector<double>> float32_gated_linear(const problem& p, const tensors& t, std::int64_t row_begin = 0,
                                                             std::int64_t row_end = -1);

/// ||a - b|| / ||b||, Frobenius; infinity where a has a NaN that b has not.
TILEGLU_API double relative_error(const std::vector<double>& a, const std::vector<double>& b);

/// What counts as right (docs/numerics.md, "How near is right"): an error of at most so many times that of float32_gated_linear ...
inline constexpr double largest_error_ratio = 1.1;

/// ... of few outputs so much more: 12 / sqrt(outputs) below 36864 of them, 0 from there on ...
TILEGLU_API double few_outputs_allowance(double outputs) noexcept;

/// ... and whatever the ratio, an error below 1/32 of the type's unit roundoff (2^-8, 2^-11): where a clamp makes nearly every output
/// exact, float32 and a kernel alike are off in the few others alone, and their ratio says nothing.
constexpr double negligible_error(dtype type) noexcept { return (type == dtype::bf16 ? 0x1p-8 : 0x1p-11) / 32; }

/// Conversions of one element, round to nearest even.
TILEGLU_API double to_double(dtype type, std::uint16_t bits) noexcept;
TILEGLU_API std::uint16_t from_double(dtype type, double value) noexcept;

}  // namespace tileglu
