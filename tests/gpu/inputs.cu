#include "cuda/activation.cuh"
#include "gpu/device_array.hpp"
#include "gpu/inputs.cuh"

namespace tileglu::gpu_check {
namespace {

enum class matrix_kind : std::uint64_t { x = 1, gate = 2, up = 3, down = 4, bias_gate = 5, bias_up = 6 };

__device__ std::uint64_t mix(std::uint64_t z) {  // splitmix64's finaliser
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

__device__ std::uint64_t random_bits(const matrix_values& of, matrix_kind kind, std::int64_t row, std::int64_t column) {
  return mix(mix(of.seed * 8 + static_cast<std::uint64_t>(kind)) ^ mix(static_cast<std::uint64_t>(row) << 32 ^ static_cast<std::uint64_t>(column)));
}

__device__ float normal(std::uint64_t bits) {
  const float u = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f, v = static_cast<float>(bits & 0xffffff) * 0x1p-24f;
  return sqrtf(-2.0f * logf(u)) * cospif(2.0f * v);
}

__device__ float uniform(std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1p-24f; }

/// A number of three significant bits and either sign, one for a row: sums of its products are exact in float32.
__device__ float row_constant(const matrix_values& of, matrix_kind kind, std::int64_t row) {
  const std::uint64_t bits = random_bits(of, kind, row, 0);
  return (bits & 1 ? 0.25f : -0.25f) * static_cast<float>(4 + (bits >> 1) % 4);
}

__device__ float x_value(const matrix_values& of, std::int64_t i, std::int64_t l) {
  const bool wide = of.type == dtype::bf16;
  const auto random = [&](std::int64_t at) { return normal(random_bits(of, matrix_kind::x, i, at)); };
  if (of.unit_x && l == 0) return 1.0f;
  switch (of.values) {
    case value_class::normal: return random(l);
    case value_class::large: return random(l) * (wide ? 100.0f : 8.0f);
    case value_class::tiny: return random(l) * (wide ? 0x1p-30f : 0x1p-6f);
    case value_class::huge_range: {
      const float span = wide ? 32.0f : 8.0f;
      return random(l) * exp2f(span * (uniform(mix(random_bits(of, matrix_kind::x, i, l))) - 0.5f));
    }
    case value_class::all_equal: return row_constant(of, matrix_kind::x, i);
    case value_class::cancelling: return l < of.k / 2 ? random(l) : l < of.k / 2 * 2 ? -random(l - of.k / 2) : random(l);
  }
  return 0;
}

__device__ float w_value(const matrix_values& of, matrix_kind kind, std::int64_t j, std::int64_t l) {
  const auto random = [&](std::int64_t at) { return normal(random_bits(of, kind, j, at)); };
  const float scale = rsqrtf(static_cast<float>(of.k));
  switch (of.values) {
    case value_class::all_equal: return row_constant(of, kind, j) * exp2f(-ceilf(log2f(static_cast<float>(of.k))));
    case value_class::cancelling: {
      const std::int64_t half = of.k / 2;
      if (l < half || l >= 2 * half) return random(l) * scale;
      return (random(l - half) + random(l) * 0.0625f) * scale;
    }
    default: return random(l) * scale;
  }
}

__device__ float value_at(const matrix_values& of, matrix_kind kind, half_values what, std::int64_t row, std::int64_t column) {
  if (what == half_values::unit) return column == 0 ? 1.0f : 0.0f;
  if (kind == matrix_kind::x) return x_value(of, row, column);
  if (kind == matrix_kind::bias_gate || kind == matrix_kind::bias_up)
    return normal(random_bits(of, kind, row, column)) * (of.values == value_class::tiny ? (of.type == dtype::bf16 ? 0x1p-30f : 0x1p-6f) : 0.5f);
  return w_value(of, kind, row, column);
}

template <class Element>
__global__ void fill(matrix_values of, matrix_kind kind, half_values what, Element* to, std::int64_t rows, std::int64_t columns,
                     std::int64_t stride) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * columns; i += step) {
    const std::int64_t row = i / columns, column = i - row * columns;
    to[row * stride + column] = cuda::from_float<Element>(value_at(of, kind, what, row, column));
  }
}

void launch(const matrix_values& of, matrix_kind kind, half_values what, void* to, std::int64_t rows, std::int64_t columns, std::int64_t stride,
            cudaStream_t on) {
  if (rows == 0 || columns == 0) return;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((rows * columns + 255) / 256, 16384));
  if (of.type == dtype::bf16)
    fill<<<blocks, 256, 0, on>>>(of, kind, what, static_cast<__nv_bfloat16*>(to), rows, columns, stride);
  else
    fill<<<blocks, 256, 0, on>>>(of, kind, what, static_cast<__half*>(to), rows, columns, stride);
  require(cudaGetLastError(), "filling an input");
}

}  // namespace

void fill_x(const matrix_values& of, void* x, std::int64_t m, std::int64_t stride, cudaStream_t on) {
  launch(of, matrix_kind::x, half_values::random, x, m, of.k, stride, on);
}

void fill_weights(const matrix_values& of, bool up, half_values what, void* w, std::int64_t n, std::int64_t stride, cudaStream_t on) {
  launch(of, up ? matrix_kind::up : matrix_kind::gate, what, w, n, of.k, stride, on);
}

void fill_down(const matrix_values& of, void* w, std::int64_t rows, std::int64_t stride, cudaStream_t on) {
  launch(of, matrix_kind::down, half_values::random, w, rows, of.k, stride, on);
}

void fill_bias(const matrix_values& of, bool up, void* bias, std::int64_t n, cudaStream_t on) {
  launch(of, up ? matrix_kind::bias_up : matrix_kind::bias_gate, half_values::random, bias, 1, n, n, on);
}

void poison(void* data, std::size_t bytes, cudaStream_t on) {
  if (bytes > 0) require(cudaMemsetAsync(data, 0xff, bytes, on), "poisoning");
}

}  // namespace tileglu::gpu_check
