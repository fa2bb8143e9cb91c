// The down projection of an MLP, as a backend sees it: Y[m,n] = X[m,k] W[n,k]^T (+ bias), one rounding at the end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tileglu/types.hpp"

namespace tileglu {

/// Row-major matrices of one 2-byte type; strides are in elements, resolved (never 0), each at least the row's width.
struct linear_problem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  dtype type = dtype::bf16;
  std::int64_t ldx = 0;
  std::int64_t ldw = 0;
  std::int64_t ldy = 0;
  bool bias = false;  ///< n elements of `type`

  friend bool operator==(const linear_problem&, const linear_problem&) = default;
};

/// The memory of one call, in the device's address space.
struct linear_tensors {
  const void* x = nullptr;     ///< [m, k]
  const void* w = nullptr;     ///< [n, k]
  const void* bias = nullptr;  ///< [n], where linear_problem.bias
  void* y = nullptr;           ///< [m, n]; may not overlap an input
  void* workspace = nullptr;   ///< backend::linear_workspace bytes, 256-byte aligned; null where that is 0
  std::size_t workspace_bytes = 0;
};

}  // namespace tileglu
