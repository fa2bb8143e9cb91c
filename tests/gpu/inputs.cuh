// Inputs made on the device: every value is a function of its logical place, so all layouts and strides hold the same matrices.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/values.hpp"
#include "tileglu/types.hpp"

namespace tileglu::gpu_check {

/// What the matrices hold.
struct matrix_values {
  dtype type = dtype::bf16;
  value_class values = value_class::normal;
  std::int64_t k = 0;
  std::uint64_t seed = 1;
  bool unit_x = false;  ///< column 0 of X is 1: with a unit weight row the product is exactly 1
};

/// What one half of the weights is: random, or rows (1, 0, 0, ...).
enum class half_values { random, unit };

/// X [m, k], `stride` elements from row to row.
void fill_x(const matrix_values& of, void* x, std::int64_t m, std::int64_t stride, cudaStream_t on);

/// Gate (up = false) or up rows of weights [n, k], `stride` elements from row to row.
void fill_weights(const matrix_values& of, bool up, half_values what, void* w, std::int64_t n, std::int64_t stride, cudaStream_t on);

/// Down weights [rows, k].
void fill_down(const matrix_values& of, void* w, std::int64_t rows, std::int64_t stride, cudaStream_t on);

/// A bias of n elements.
void fill_bias(const matrix_values& of, bool up, void* bias, std::int64_t n, cudaStream_t on);

/// Every byte 0xff: a NaN of both types, and one that no kernel computes.
void poison(void* data, std::size_t bytes, cudaStream_t on);

}  // namespace tileglu::gpu_check
