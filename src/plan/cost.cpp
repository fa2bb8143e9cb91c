#include "plan/cost.hpp"

#include <algorithm>

#include "plan/cost_sm90.hpp"
#include "plan/portable_workspace.hpp"

namespace tileglu::plan_detail {
namespace {

double weight_bytes(const problem& p) { return 4.0 * static_cast<double>(p.n) * static_cast<double>(p.k); }
double flops(const problem& p) { return 4.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k); }

cost_estimate cpu_cost(const kernel_row& row, const problem& p, const device_facts& device) {
  // One core streams about 12 GB/s and multiplies 16-bit pairs at about 150 GFLOP/s with AVX512-BF16, 40 without.
  const double threads = std::max(1, device.threads);
  const double stream_us = weight_bytes(p) / (12e3 * threads);
  const double multiply_us = flops(p) / ((device.avx512_bf16 ? 150e3 : 40e3) * threads);
  if (row.family == kernel_family::cpu_stream) return {std::max(stream_us, flops(p) / (40e3 * threads)), 1, 1, 0, "weights streamed once"};
  if (row.family == kernel_family::cpu_unfused)
    return {stream_us + multiply_us, 1, 1, static_cast<std::size_t>(4 * p.m * p.n), "gate and up go through memory"};
  return {stream_us + multiply_us, 1, 1, 0, "weights packed block by block, then multiplied"};
}

cost_estimate portable_cost(const problem& p, const device_facts& device) {
  const double bandwidth = std::max(1e11, device.memory_bytes_per_second) * 1e-6;  // bytes per us
  const double intermediates = 2.0 * 2 * 2 * static_cast<double>(p.m) * static_cast<double>(p.n);
  const double us = std::max(weight_bytes(p) / bandwidth, flops(p) / 650e6) + intermediates / bandwidth + 6;
  return {us, 1, 1, portable_workspace_bytes(p), "gate and up go through device memory"};
}

}  // namespace

cost_estimate estimate(const kernel_row& row, const problem& p, const device_facts& device) {
  switch (row.backend) {
    case backend_id::cpu: return cpu_cost(row, p, device);
    case backend_id::cuda_portable: return portable_cost(p, device);
    case backend_id::sm90: return sm90_cost(row, p, device);
    default: return {0, 1, 1, 0, "the only row of its kind"};
  }
}

}  // namespace tileglu::plan_detail
