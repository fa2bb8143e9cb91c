// The kinds of values that inputs are made of, and what each allows.
#pragma once

#include <string_view>

#include "tileglu/reference.hpp"

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
/// Cancelling: half of K takes back 15/16 of what the other half adds, so the rounding of sums shows in the result. Tensor cores cut
/// sums off where FFMA rounds them to nearest, and what they cut is up to a whole unit in the last place where FFMA loses half.
inline double allowed_error_ratio(value_class v, double outputs) {
  return (v == value_class::cancelling ? 4.0 : largest_error_ratio) + few_outputs_allowance(outputs);
}

}  // namespace tileglu::gpu_check
