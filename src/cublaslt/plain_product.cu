#include <algorithm>

#include "cublaslt/plain_product.cuh"
#include "cuda/activation.cuh"
#include "cuda/check.hpp"

namespace tileglu::cublaslt {
namespace {

constexpr int tile = 64;       // rows and columns of D a block owns
constexpr int depth = 16;      // of K in shared memory at once
constexpr int per_thread = 4;  // rows and columns of D a thread owns, tile / per_thread apart
constexpr int side = tile / per_thread;

/// Global: X [m, k], W [n, k], D [m, n]. Shared: `depth` columns of a tile of each, as float32, K outermost, so that the threads of
/// a warp read neighbours. Registers: 4 x 4 sums, each in the order of K.
template <class Element, class Result>
__global__ void __launch_bounds__(side* side) plain_product(product_shape s, product_pointers at) {
  __shared__ float x_tile[depth][tile + 1];
  __shared__ float w_tile[depth][tile + 1];
  const int tx = threadIdx.x % side, ty = threadIdx.x / side;
  const std::int64_t tiles_n = (s.n + tile - 1) / tile, tiles = (s.m + tile - 1) / tile * tiles_n;
  const auto* x = static_cast<const Element*>(at.x);
  const auto* w = static_cast<const Element*>(at.w);
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t row0 = t / tiles_n * tile, column0 = t % tiles_n * tile;
    float sum[per_thread][per_thread] = {};
    for (std::int64_t k0 = 0; k0 < s.k; k0 += depth) {
      for (int i = threadIdx.x; i < tile * depth; i += side * side) {
        const int line = i / depth, l = i % depth;
        const bool in_k = k0 + l < s.k;
        x_tile[l][line] = in_k && row0 + line < s.m ? cuda::to_float<Element>(x[(row0 + line) * s.ldx + k0 + l]) : 0.0f;
        w_tile[l][line] = in_k && column0 + line < s.n ? cuda::to_float<Element>(w[(column0 + line) * s.ldw + k0 + l]) : 0.0f;
      }
      __syncthreads();
      for (int l = 0; l < depth; ++l)
        for (int i = 0; i < per_thread; ++i)
          for (int j = 0; j < per_thread; ++j) sum[i][j] += x_tile[l][ty + i * side] * w_tile[l][tx + j * side];
      __syncthreads();
    }
    for (int i = 0; i < per_thread; ++i)
      for (int j = 0; j < per_thread; ++j) {
        const std::int64_t row = row0 + ty + i * side, column = column0 + tx + j * side;
        if (row >= s.m || column >= s.n) continue;
        float value = sum[i][j];
        if (s.bias) value += cuda::to_float<Element>(static_cast<const Element*>(at.bias)[column]);
        Result& out = static_cast<Result*>(at.d)[row * s.ldd + column];
        if constexpr (sizeof(Result) == sizeof(float))
          out = value;
        else
          out = cuda::from_float<Element>(value);
      }
  }
}

const void* kernel_of(const product_shape& s) {
  if (s.type == dtype::bf16)
    return s.float32_result ? reinterpret_cast<const void*>(&plain_product<__nv_bfloat16, float>)
                            : reinterpret_cast<const void*>(&plain_product<__nv_bfloat16, __nv_bfloat16>);
  return s.float32_result ? reinterpret_cast<const void*>(&plain_product<__half, float>)
                          : reinterpret_cast<const void*>(&plain_product<__half, __half>);
}

}  // namespace

status prepare_plain_product(const product_shape& shape) {
  cudaFuncAttributes attributes{};
  return cuda::check(cudaFuncGetAttributes(&attributes, kernel_of(shape)), "loading the plain product kernel");
}

status launch_plain_product(const product_shape& shape, const product_pointers& at, stream_handle on) {
  product_shape s = shape;
  product_pointers p = at;
  const auto tiles_along = [](std::int64_t extent) { return (extent + tile - 1) / tile; };
  const double tiles = static_cast<double>(tiles_along(s.m)) * static_cast<double>(tiles_along(s.n));
  if (tiles == 0) return {};
  const auto blocks = static_cast<unsigned>(std::min(tiles, 1048576.0));
  void* arguments[] = {&s, &p};
  return cuda::check_launch(cudaLaunchKernel(kernel_of(shape), dim3(blocks), dim3(side * side), arguments, 0, cuda::to_stream(on)),
                            "the plain product kernel");
}

}  // namespace tileglu::cublaslt
