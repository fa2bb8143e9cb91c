#include <algorithm>

#include "cuda/activation.cuh"
#include "gpu/compare.cuh"
#include "gpu/device_array.hpp"

namespace tileglu::gpu_check {
namespace {

// The oracle's formulas (src/cpu/oracle.cpp) in CUDA's accurate library functions, in float64 and float32.

template <class Real>
__device__ Real sigmoid(Real x) {
  return Real(1) / (Real(1) + exp(-x));
}

template <class Real>
__device__ Real apply(const activation& act, Real g) {
  switch (act.kind) {
    case activation_kind::silu: return g * sigmoid(g);
    case activation_kind::gelu_tanh:
      return Real(0.5) * g * (Real(1) + tanh(Real(0.7978845608028653558798921198687637) * (g + Real(0.044715) * g * g * g)));
    case activation_kind::gelu_erf: return Real(0.5) * g * erfc(g * Real(-0.7071067811865475244008443621048490));
    case activation_kind::relu: return g > 0 ? g : Real(0);
    case activation_kind::sigmoid: return sigmoid(g);
    case activation_kind::identity: return g;
    case activation_kind::gpt_oss: return g * sigmoid(Real(act.alpha) * g);
  }
  return g;
}

template <class Real>
__device__ Real clamp(Real x, Real low, Real high) {
  return x < low ? low : x > high ? high : x;
}

__device__ double exact(const activation& act, double gate, double up) {
  const double limit = act.limit;
  gate = gate > limit ? limit : gate;
  up = clamp(up, -limit, limit) + (act.kind == activation_kind::gpt_oss ? 1.0 : 0.0);
  return apply(act, gate) * up;
}

/// As an honest float32 implementation stores it.
template <class Element>
__device__ float honest(const activation& act, bool match_unfused, float gate, float up) {
  const auto round = [&](float v) { return match_unfused ? cuda::round_to<Element>(v) : v; };
  gate = round(gate), up = round(up);
  gate = gate > act.limit ? act.limit : gate;
  up = clamp(up, -act.limit, act.limit);
  if (act.kind == activation_kind::gpt_oss) up = round(up + 1.0f);
  return cuda::round_to<Element>(round(apply(act, gate)) * up);
}

/// Adds a thread's sums to the verdict, one atomic a warp.
__device__ void add(verdict* out, verdict mine) {
  for (int lane = 16; lane > 0; lane /= 2) {
    mine.error2 += __shfl_down_sync(0xffffffffu, mine.error2, lane);
    mine.honest2 += __shfl_down_sync(0xffffffffu, mine.honest2, lane);
    mine.reference2 += __shfl_down_sync(0xffffffffu, mine.reference2, lane);
    mine.not_written += __shfl_down_sync(0xffffffffu, mine.not_written, lane);
    mine.not_finite += __shfl_down_sync(0xffffffffu, mine.not_finite, lane);
    mine.outside += __shfl_down_sync(0xffffffffu, mine.outside, lane);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&out->error2, mine.error2);
  atomicAdd(&out->honest2, mine.honest2);
  atomicAdd(&out->reference2, mine.reference2);
  if (mine.not_written) atomicAdd(&out->not_written, mine.not_written);
  if (mine.not_finite) atomicAdd(&out->not_finite, mine.not_finite);
  if (mine.outside) atomicAdd(&out->outside, mine.outside);
}

constexpr std::uint16_t poisoned = 0xffff;

/// Walks the whole block; `expected(row, column, reference, honest)` gives both values of an output.
template <class Element, class Expected>
__device__ void walk(const guarded_output& y, verdict* out, Expected expected) {
  verdict mine;
  const auto* bits = static_cast<const std::uint16_t*>(y.block);
  const auto* values = static_cast<const Element*>(y.block);
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < y.elements; i += step) {
    const std::int64_t at = i - y.guard, row = at >= 0 ? at / y.stride : -1, column = at >= 0 ? at - row * y.stride : 0;
    const bool inside = row >= 0 && row < y.m && column < y.n;
    if (!inside) {
      mine.outside += bits[i] != poisoned;
      continue;
    }
    if (bits[i] == poisoned) {
      ++mine.not_written;
      continue;
    }
    double reference;
    float rounded;
    expected(row, column, reference, rounded);
    const double value = cuda::to_float<Element>(values[i]);
    if (!isfinite(rounded) || !isfinite(value)) {
      mine.not_finite += isfinite(rounded) != isfinite(value);
      continue;
    }
    mine.error2 += (value - reference) * (value - reference);
    mine.honest2 += (rounded - reference) * (rounded - reference);
    mine.reference2 += reference * reference;
  }
  add(out, mine);
}

template <class Element>
__device__ float bias_at(const void* bias, std::int64_t column) {
  return bias == nullptr ? 0.0f : cuda::to_float<Element>(static_cast<const Element*>(bias)[column]);
}

template <class Element>
__global__ void judge_kernel(activation act, bool match_unfused, preactivations of, const void* bias_gate, const void* bias_up, guarded_output y,
                             verdict* out) {
  walk<Element>(y, out, [&](std::int64_t row, std::int64_t column, double& reference, float& rounded) {
    const std::int64_t i = row * y.n + column;
    const float bg = bias_at<Element>(bias_gate, column), bu = bias_at<Element>(bias_up, column);
    reference = exact(act, of.gate64[i] + bg, of.up64[i] + bu);
    rounded = honest<Element>(act, match_unfused, of.gate32[i] + bg, of.up32[i] + bu);
  });
}

template <class Element>
__global__ void judge_values_kernel(const double* reference_values, const float* honest_values, const void* bias, guarded_output y, verdict* out) {
  walk<Element>(y, out, [&](std::int64_t row, std::int64_t column, double& reference, float& rounded) {
    const float b = bias_at<Element>(bias, column);
    reference = reference_values[row * y.n + column] + b;
    rounded = cuda::round_to<Element>(honest_values[row * y.n + column] + b);
  });
}

template <class Element>
__global__ void activate_kernel(activation act, bool match_unfused, preactivations of, double* y64, float* y32, std::int64_t elements) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step) {
    y64[i] = exact(act, of.gate64[i], of.up64[i]);
    y32[i] = honest<Element>(act, match_unfused, of.gate32[i], of.up32[i]);
  }
}

__global__ void written_kernel(const unsigned char* from, std::size_t bytes, unsigned long long* out) {
  unsigned long long mine = 0;
  for (std::size_t i = threadIdx.x; i < bytes; i += blockDim.x) mine += from[i] != 0xff;
  if (mine) atomicAdd(out, mine);
}

__global__ void null_kernel(int* where) { *where = 1; }

__global__ void differences_kernel(const std::uint16_t* a, const std::uint16_t* b, std::int64_t elements, unsigned long long* out) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step)
    mine += a[i] != b[i] && ((a[i] | b[i]) & 0x7fff) != 0;
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffu, mine, lane);
  if (threadIdx.x % 32 == 0 && mine) atomicAdd(out, mine);
}

template <class Element>
__global__ void unlike_kernel(const float* values, const void* bias, const Element* y, std::int64_t elements, std::int64_t n,
                              unsigned long long* out) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step)
    mine += cuda::to_float<Element>(y[i]) != cuda::round_to<Element>(values[i] + bias_at<Element>(bias, i % n));
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffu, mine, lane);
  if (threadIdx.x % 32 == 0 && mine) atomicAdd(out, mine);
}

template <class Element>
__global__ void formula_kernel(cuda::epilogue_params p, const Element* gate, const Element* up, Element* y, std::int64_t elements) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step)
    y[i] = cuda::from_float<Element>(cuda::finish_general<Element>(p, cuda::to_float<Element>(gate[i]), cuda::to_float<Element>(up[i]), 0.0f, 0.0f));
}

unsigned blocks_for(std::int64_t elements) { return static_cast<unsigned>(std::clamp<std::int64_t>((elements + 255) / 256, 1, 4096)); }

}  // namespace

void judge(const problem& p, const preactivations& of, const void* bias_gate, const void* bias_up, const guarded_output& y, verdict* out,
           cudaStream_t on) {
  const bool unfused = p.mode == numerics::match_unfused;
  if (p.y_type == dtype::bf16)
    judge_kernel<__nv_bfloat16><<<blocks_for(y.elements), 256, 0, on>>>(p.act, unfused, of, bias_gate, bias_up, y, out);
  else
    judge_kernel<__half><<<blocks_for(y.elements), 256, 0, on>>>(p.act, unfused, of, bias_gate, bias_up, y, out);
  require(cudaGetLastError(), "judging an output");
}

void count_written(const void* from, std::size_t bytes, unsigned long long* out, cudaStream_t on) {
  written_kernel<<<1, 256, 0, on>>>(static_cast<const unsigned char*>(from), bytes, out);
  require(cudaGetLastError(), "looking behind a workspace");
}

void judge_values(dtype type, const double* reference, const float* honest_values, const void* bias, const guarded_output& y, verdict* out,
                  cudaStream_t on) {
  if (type == dtype::bf16)
    judge_values_kernel<__nv_bfloat16><<<blocks_for(y.elements), 256, 0, on>>>(reference, honest_values, bias, y, out);
  else
    judge_values_kernel<__half><<<blocks_for(y.elements), 256, 0, on>>>(reference, honest_values, bias, y, out);
  require(cudaGetLastError(), "judging an output");
}

void activate_both(const problem& p, const preactivations& of, double* y64, float* y32, cudaStream_t on) {
  const std::int64_t elements = p.m * p.n;
  const bool unfused = p.mode == numerics::match_unfused;
  if (p.y_type == dtype::bf16)
    activate_kernel<__nv_bfloat16><<<blocks_for(elements), 256, 0, on>>>(p.act, unfused, of, y64, y32, elements);
  else
    activate_kernel<__half><<<blocks_for(elements), 256, 0, on>>>(p.act, unfused, of, y64, y32, elements);
  require(cudaGetLastError(), "the reference activation");
}

void store_to_null(cudaStream_t on) { null_kernel<<<1, 1, 0, on>>>(nullptr); }

void count_differences(const void* a, const void* b, std::int64_t elements, unsigned long long* out, cudaStream_t on) {
  differences_kernel<<<blocks_for(elements), 256, 0, on>>>(static_cast<const std::uint16_t*>(a), static_cast<const std::uint16_t*>(b), elements, out);
  require(cudaGetLastError(), "comparing outputs");
}

void count_unlike(dtype type, const float* values, const void* bias, const void* y, std::int64_t m, std::int64_t n, unsigned long long* out,
                  cudaStream_t on) {
  if (type == dtype::bf16)
    unlike_kernel<<<blocks_for(m * n), 256, 0, on>>>(values, bias, static_cast<const __nv_bfloat16*>(y), m * n, n, out);
  else
    unlike_kernel<<<blocks_for(m * n), 256, 0, on>>>(values, bias, static_cast<const __half*>(y), m * n, n, out);
  require(cudaGetLastError(), "comparing roundings");
}

void unfused_formula(const problem& p, const void* gate, const void* up, void* y, std::int64_t elements, cudaStream_t on) {
  const cuda::epilogue_params params{p.act, true, false, nullptr, nullptr};
  if (p.y_type == dtype::bf16)
    formula_kernel<<<blocks_for(elements), 256, 0, on>>>(params, static_cast<const __nv_bfloat16*>(gate), static_cast<const __nv_bfloat16*>(up),
                                                         static_cast<__nv_bfloat16*>(y), elements);
  else
    formula_kernel<<<blocks_for(elements), 256, 0, on>>>(params, static_cast<const __half*>(gate), static_cast<const __half*>(up),
                                                         static_cast<__half*>(y), elements);
  require(cudaGetLastError(), "the unfused formula");
}

}  // namespace tileglu::gpu_check
