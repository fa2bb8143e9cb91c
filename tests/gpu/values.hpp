// The kinds of values that inputs are made of, and what each allows.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tileglu/types.hpp"

namespace tileglu::gpu_check {

enum class value_class { normal, large, tiny, huge_range, all_equal, cancelling };

inline constexpr value_class every_value_class[] = {value_class::normal,     value_class::large,     value_class::tiny,
                                                    value_class::huge_range, value_class::all_equal, value_class::cancelling};

constexpr std::string_view name(value_class v) {
  switch (v) {
    case value_class::normal: return "normal";
    case value_class::large: return "large";
    case value_class::tiny: return "tiny";
    case value_class::huge_range: return "huge_range";
    case value_class::all_equal: return "all_equal";
    case value_class::cancelling: return "cancelling";
  }
  return "?";
}

/// The error against float64 may be this many times that of a float32 product, in the order of K, rounded once.
/// Few outputs: the ratio of two norms of rounding errors fluctuates. An output is a product of two normals (kurtosis 9), so a ninth of the
/// outputs makes most of either norm: four standard deviations of n / 9 outputs are 12 / sqrt(n).
/// Cancelling: half of K takes back 15/16 of what the other half adds, so the rounding of sums shows in the result. Tensor cores cut
/// sums off where FFMA rounds them to nearest, and what they cut is up to a whole unit in the last place where FFMA loses half.
inline double allowed_error_ratio(value_class v, double outputs) {
  return (v == value_class::cancelling ? 4.0 : 1.1) + (outputs < 36864 ? 12 / std::sqrt(std::max(outputs, 1.0)) : 0.0);
}

/// A relative error that is right whatever the ratio: 1/32 of the element type's unit roundoff (2^-8, 2^-11). Where a clamp makes
/// nearly every output exact, float32 and a kernel alike are off in the few others alone, and their ratio says nothing.
constexpr double negligible_error(dtype type) { return (type == dtype::bf16 ? 0x1p-8 : 0x1p-11) / 32; }

}  // namespace tileglu::gpu_check
