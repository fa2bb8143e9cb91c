// One product D[m,n] = X[m,k] W[n,k]^T (+ bias), planned once and run many times: by cuBLASLt, or by the plain kernel where cuBLASLt
// has nothing for the shape or the alignment.
#pragma once

#include <cstdint>
#include <optional>

#include "cublaslt/loader.hpp"
#include "tileglu/run.hpp"
#include "tileglu/types.hpp"

namespace tileglu::cublaslt {

/// Row-major; strides are in elements.
struct product_shape {
  std::int64_t m = 0, n = 0, k = 0;
  dtype type = dtype::bf16;      ///< of X, W and the bias
  bool float32_result = false;  ///< else D is of `type`, rounded once
  bool bias = false;            ///< n elements, added before the rounding
  std::int64_t ldx = 0, ldw = 0, ldd = 0;

  friend bool operator==(const product_shape&, const product_shape&) = default;
};

struct product_pointers {
  const void* x = nullptr;
  const void* w = nullptr;
  const void* bias = nullptr;
  void* d = nullptr;
};

class product {
 public:
  /// Asks cuBLASLt's heuristic, for 16-byte and for 2-byte alignment. The current device is the one that will run it.
  static result<product> make(const product_shape& shape, cublasLtHandle_t handle);

  /// Queue it. `workspace` holds plan_detail::product_workspace bytes and is 256-byte aligned.
  status run(const product_pointers& at, void* workspace, stream_handle on) const;

  const product_shape& shape() const noexcept { return shape_; }

 private:
  struct descriptors {
    cublasLtMatmulDescOpaque_t multiply{};
    cublasLtMatrixLayoutOpaque_t x{}, w{}, d{};
  };

  std::optional<cublasLtMatmulAlgo_t> choose(std::uint32_t alignment) const;

  product_shape shape_;
  cublasLtHandle_t handle_ = nullptr;
  descriptors described_;
  std::optional<cublasLtMatmulAlgo_t> aligned_;    ///< every pointer a multiple of 16
  std::optional<cublasLtMatmulAlgo_t> unaligned_;  ///< any pointer to 2-byte elements
};

}  // namespace tileglu::cublaslt
