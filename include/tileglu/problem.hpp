// What is to be computed: Y[m,n] = act(X[m,k] Wg[n,k]^T + bg) * (X Wu^T + bu).
#pragma once

#include <cstdint>
#include <string>

#include "tileglu/export.h"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu {

/// A gated product. All matrices are row-major; leading dimensions are in elements, 0 means dense.
struct problem {
  std::int64_t m = 0;  ///< rows of X and Y (tokens); 0 is a no-op
  std::int64_t n = 0;  ///< columns of Y (the intermediate size)
  std::int64_t k = 0;  ///< columns of X (the hidden size); 0 gives act(bg) * bu

  dtype x_type = dtype::bf16;
  dtype w_type = dtype::bf16;  ///< the same as x_type
  dtype y_type = dtype::bf16;  ///< the same as x_type

  weight_layout layout = weight_layout::separate;
  activation act = {};
  bool bias = false;  ///< a bias of n elements of x_type on each half
  numerics mode = numerics::fp32_through;

  std::int64_t ldx = 0;  ///< elements from one row of X to the next, >= k
  std::int64_t ldw = 0;  ///< elements from one weight row to the next, >= k; the same for gate and up
  std::int64_t ldy = 0;  ///< elements from one row of Y to the next, >= n

  friend bool operator==(const problem&, const problem&) = default;
};

/// The leading dimensions with 0 resolved to dense.
constexpr std::int64_t row_stride_x(const problem& p) noexcept { return p.ldx ? p.ldx : p.k; }
constexpr std::int64_t row_stride_w(const problem& p) noexcept { return p.ldw ? p.ldw : p.k; }
constexpr std::int64_t row_stride_y(const problem& p) noexcept { return p.ldy ? p.ldy : p.n; }

/// Is this a problem that the library defines? The error names the argument, its value and what is allowed.
TILEGLU_API status validate(const problem& p);

/// One line: "m=16 n=4864 k=896 bf16 separate silu fp32_through".
TILEGLU_API std::string describe(const problem& p);

}  // namespace tileglu
