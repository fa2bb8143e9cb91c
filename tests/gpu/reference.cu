#include <algorithm>

#include "cuda/activation.cuh"
#include "gpu/device_array.hpp"
#include "gpu/reference.cuh"

namespace tileglu::gpu_check {
namespace {

constexpr int tile = 64;  // rows and columns of C a block owns
constexpr int depth = 16;
constexpr int per_thread = 4;
constexpr int side = tile / per_thread;

template <class Real, class Stored>
__device__ Real load(Stored v) {
  if constexpr (std::is_same_v<Real, Stored>)
    return v;
  else
    return static_cast<Real>(cuda::to_float<Stored>(v));
}

template <class Real, class XStored, class WStored>
__global__ void __launch_bounds__(side* side) product(const XStored* x, const WStored* w, Real* c, std::int64_t m, std::int64_t n, std::int64_t k) {
  __shared__ Real x_tile[depth][tile + 1];
  __shared__ Real w_tile[depth][tile + 1];
  const int tx = threadIdx.x % side, ty = threadIdx.x / side;
  const std::int64_t tiles_n = (n + tile - 1) / tile, tiles = (m + tile - 1) / tile * tiles_n;
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t row0 = t / tiles_n * tile, column0 = t % tiles_n * tile;
    Real sum[per_thread][per_thread] = {};
    for (std::int64_t k0 = 0; k0 < k; k0 += depth) {
      for (int i = threadIdx.x; i < tile * depth; i += side * side) {
        const int line = i / depth, l = i % depth;
        x_tile[l][line] = k0 + l < k && row0 + line < m ? load<Real>(x[(row0 + line) * k + k0 + l]) : Real(0);
        w_tile[l][line] = k0 + l < k && column0 + line < n ? load<Real>(w[(column0 + line) * k + k0 + l]) : Real(0);
      }
      __syncthreads();
#pragma unroll
      for (int l = 0; l < depth; ++l) {
        Real a[per_thread], b[per_thread];
#pragma unroll
        for (int i = 0; i < per_thread; ++i) a[i] = x_tile[l][ty + i * side], b[i] = w_tile[l][tx + i * side];
#pragma unroll
        for (int i = 0; i < per_thread; ++i)
#pragma unroll
          for (int j = 0; j < per_thread; ++j) sum[i][j] += a[i] * b[j];
      }
      __syncthreads();
    }
    for (int i = 0; i < per_thread; ++i)
      for (int j = 0; j < per_thread; ++j) {
        const std::int64_t row = row0 + ty + i * side, column = column0 + tx + j * side;
        if (row < m && column < n) c[row * n + column] = sum[i][j];
      }
  }
}

template <class Real, class XStored, class WStored>
void launch(const XStored* x, const WStored* w, Real* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  if (m == 0 || n == 0) return;
  const std::int64_t tiles = (m + tile - 1) / tile * ((n + tile - 1) / tile);
  product<<<static_cast<unsigned>(std::min<std::int64_t>(tiles, 1 << 20)), side * side, 0, on>>>(x, w, c, m, n, k);
  require(cudaGetLastError(), "the reference product");
}

template <class Real>
void launch_typed(dtype type, const void* x, const void* w, Real* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  if (type == dtype::bf16)
    launch(static_cast<const __nv_bfloat16*>(x), static_cast<const __nv_bfloat16*>(w), c, m, n, k, on);
  else
    launch(static_cast<const __half*>(x), static_cast<const __half*>(w), c, m, n, k, on);
}

template <class Real>
void launch_down(dtype type, const Real* x, const void* w, Real* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  if (type == dtype::bf16)
    launch(x, static_cast<const __nv_bfloat16*>(w), c, m, n, k, on);
  else
    launch(x, static_cast<const __half*>(w), c, m, n, k, on);
}

}  // namespace

void product_float64(dtype type, const void* x, const void* w, double* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  launch_typed(type, x, w, c, m, n, k, on);
}
void product_float32(dtype type, const void* x, const void* w, float* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  launch_typed(type, x, w, c, m, n, k, on);
}
void down_float64(dtype type, const double* x, const void* w, double* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  launch_down(type, x, w, c, m, n, k, on);
}
void down_float32(dtype type, const float* x, const void* w, float* c, std::int64_t m, std::int64_t n, std::int64_t k, cudaStream_t on) {
  launch_down(type, x, w, c, m, n, k, on);
}

}  // namespace tileglu::gpu_check
