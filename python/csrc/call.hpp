// One call of a gated linear: its arguments, what they mean as a problem, and the memory that the library is handed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plans.hpp"
#include "tileglu/run.hpp"
#include "values.hpp"

namespace tileglu::torch_extension {

/// (x, w, w_up, bias_gate, bias_up, layout, activation, alpha, limit, numerics, prefetch_weights, kernel_name), in the schema's order.
struct arguments {
  static constexpr std::size_t count = 12;

  explicit arguments(const torch_slot* stack);
  /// (x, w, w_up, words) of plain_gated_linear: words is layout | activation << 8 | numerics << 16 | prefetch_weights << 24, and w_up
  /// is w again where the layout has one matrix.
  static arguments plain(const torch_slot* stack);
  /// The same values for another operator's stack, which owns what it is given.
  void give_all(torch_slot* stack) const;

  tensor x, w, w_up, bias_gate, bias_up;
  std::int64_t layout = 0, activation = 0, numerics = 0;
  double alpha = 1, limit = 0;  ///< limit 0: no clamp
  bool prefetch_weights = false;
  std::string kernel;

 private:
  arguments() = default;
};

/// The words of plain_gated_linear for numerics fp32_through and no early weights.
constexpr int words_of(weight_layout layout, activation_kind kind) { return static_cast<int>(layout) | static_cast<int>(kind) << 8; }

/// A matrix as the library takes it: rows of unit stride. `copy` holds the memory where the tensor itself doesn't do.
struct matrix {
  const void* data = nullptr;
  std::int64_t row_stride = 0;
  tensor copy;
  std::string why_copied;  ///< empty: not copied
};

/// The one stride in elements from row to row of a [..., K] tensor whose rows have unit stride: the leading dimensions collapse where
/// each steps over the whole of the next. no_rows where they don't.
inline constexpr std::int64_t no_rows = -1;
std::int64_t row_stride_of(const tensor_facts& facts);

/// "[5, 64]"
std::string text_of(std::span<const std::int64_t> sizes);

struct call {
  /// Throws where the arguments don't fit together; the text names the argument, its value and what is allowed.
  explicit call(const arguments& given);

  std::vector<std::int64_t> y_sizes;
  std::int32_t dtype = 0, device_type = 0, device_index = 0;
  plan_key key;
  matrix x, w, w_up;
  const void* bias_gate = nullptr;
  const void* bias_up = nullptr;
  tensor bias_gate_copy, bias_up_copy;

  bool empty() const { return key.problem.m == 0 || key.problem.n == 0; }
  gate_up_weights weights() const;
};

/// May the plan's outcome be run, or is the unfused path in torch the better answer? (No kernel here, or only the float64 oracle.)
/// Throws where the caller named a kernel that can't compute this.
bool runs_in_library(const cached_plan& known);

}  // namespace tileglu::torch_extension
