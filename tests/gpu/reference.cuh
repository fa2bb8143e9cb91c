// Products in float64 and in float32, plain and in the order of K: what results are judged by.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tileglu/types.hpp"

namespace tileglu::gpu_check {

/// C [m, n] = X [m, k] W [n, k]^T, dense; X and W of `type`. One product and one sum after another, in the order of k.
void product_float64(dtype type, const void* x, const void* w, double* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on);
void product_float32(dtype type, const void* x, const void* w, float* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on);

/// The same with X in the arithmetic's own type: a down projection of Y.
void down_float64(dtype type, const double* x, const void* w, double* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on);
void down_float32(dtype type, const float* x, const void* w, float* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on);

}  // namespace tileglu::gpu_check
