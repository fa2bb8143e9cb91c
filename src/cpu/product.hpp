// What the CPU's ways of computing share: the shape of a gated (or plain) product, the memory of one call, and the promise.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/kernel_set.hpp"
#include "layout/pairing.hpp"
#include "tileglu/problem.hpp"
#include "tileglu/status.hpp"

namespace tileglu::cpu {

/// y[m, n] of x[m, k] and one (plain) or two (pair) rows of k weights for each column.
struct product_shape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t ldx = 0, ldw = 0, ldy = 0;  ///< resolved; ldw from one row of a half to the next
  bool pair = true;
  dtype type = dtype::bf16;
  numerics mode = numerics::fp32_through;
  activation act = {};
  int threads = 1;

  /// Rows of weights for each column.
  int halves() const { return pair ? 2 : 1; }
};

/// The memory of one call. `w.up` and `bias_up` are null for a plain product, biases also where there are none.
struct product_tensors {
  const std::uint16_t* x = nullptr;
  layout::halves w = {};
  const std::uint16_t* bias_gate = nullptr;
  const std::uint16_t* bias_up = nullptr;
  std::uint16_t* y = nullptr;
};

/// How the columns from `column` on are finished.
inline finish_rule rule_from(const product_shape& shape, const product_tensors& t, std::int64_t column) noexcept {
  return {shape.type, shape.mode, shape.act, shape.pair, t.bias_gate ? t.bias_gate + column : nullptr, t.bias_up ? t.bias_up + column : nullptr};
}

/// A prepared product. run() is called from many threads at once; its results depend on neither the number of threads nor on who
/// computes which block, for each sum is added up by one thread in one order.
class product {
 public:
  virtual ~product() = default;
  virtual status run(const product_tensors& t) const noexcept = 0;
};

/// Any m: blocks of columns against panels of rows, sums in registers and cache.
std::unique_ptr<product> make_blocked(const product_shape& shape, const kernel_set& kernels);

/// m <= 4: each weight is read once, in order.
std::unique_ptr<product> make_stream(const product_shape& shape, const kernel_set& kernels);

inline constexpr std::int64_t stream_most_rows = 4;

}  // namespace tileglu::cpu
