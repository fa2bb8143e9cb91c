// Outputs judged on the device: values, what was not written, and what was written outside.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "tileglu/problem.hpp"

namespace tileglu::gpu_check {

/// Float64 and float32 pre-activations [m, n], dense, without bias.
struct preactivations {
  const double* gate64 = nullptr;
  const double* up64 = nullptr;
  const float* gate32 = nullptr;
  const float* up32 = nullptr;
};

/// An output in the middle of a block that was poisoned: `guard` elements before it and after it.
struct guarded_output {
  const void* block = nullptr;
  std::int64_t guard = 0;
  std::int64_t elements = 0;  ///< of the whole block
  std::int64_t m = 0, n = 0, stride = 0;
};

/// Sums over the output; the numbers of elements that are wrong whatever the tolerance.
struct verdict {
  double error2 = 0;      ///< of the output against float64
  double honest2 = 0;     ///< of the float32 product, rounded as the problem says, against float64
  double reference2 = 0;
  unsigned long long not_written = 0;
  unsigned long long not_finite = 0;  ///< where the honest value is finite, or the other way round
  unsigned long long outside = 0;     ///< guard zones and padding that were written
  unsigned long long after_workspace = 0;  ///< bytes behind the workspace that were written
};

/// Against act(gate + bias) * (up + bias). Biases are of n elements, or null. `out` is device memory; queued, not waited for.
void judge(const problem& p, const preactivations& of, const void* bias_gate, const void* bias_up, const guarded_output& y, verdict* out,
           cudaStream_t on);

/// Adds the bytes that are no longer poisoned.
void count_written(const void* from, std::size_t bytes, unsigned long long* out, cudaStream_t on);

/// Against plain values: `reference` float64 and `honest` float32, dense [m, n], plus a bias of n elements or null, rounded here.
void judge_values(dtype type, const double* reference, const float* honest, const void* bias, const guarded_output& y, verdict* out, cudaStream_t on);

/// Y as act(gate) * up from float64 pre-activations, in float64; and as the problem's numerics round it, in float32.
void activate_both(const problem& p, const preactivations& of, double* y64, float* y32, cudaStream_t on);

/// A store through a null pointer, which breaks the process's CUDA context for good.
void store_to_null(cudaStream_t on);

/// Elements that differ, -0 and 0 taken as equal.
void count_differences(const void* a, const void* b, std::int64_t elements, unsigned long long* out, cudaStream_t on);

/// Elements of y [m, n] that are not `values` (float32, dense, plus a bias of n elements or null) rounded once.
void count_unlike(dtype type, const float* values, const void* bias, const void* y, std::int64_t m, std::int64_t n, unsigned long long* out,
                  cudaStream_t on);

/// y [m, n] = round(round(act(gate)) * up), from gate and up that are rounded already: the formula of numerics::match_unfused.
void unfused_formula(const problem& p, const void* gate, const void* up, void* y, std::int64_t elements, cudaStream_t on);

}  // namespace tileglu::gpu_check
