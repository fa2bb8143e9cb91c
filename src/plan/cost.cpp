#include "plan/cost.hpp"

#include <algorithm>

#include "plan/cost_sm90.hpp"
#include "plan/portable_workspace.hpp"

namespace tileglu::plan_detail {
namespace {

double weight_bytes(const problem& p) { return 4.0 * static_cast<double>(p.n) * static_cast<double>(p.k); }
double flops(const problem& p) { return 4.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k); }

cost_estimate cpu_cost(const kernel_row& row, const problem& p, const device_facts& device) {
  // Measured a core, EPYC 9005 (Zen 5), 2026-11-29: 30 GB/s of weights read once; own blocks 450 GFLOP/s with AVX512-BF16, 100 in float32
  // (fp16, or no AVX512-BF16); oneDNN 5 % less. AMX, which only oneDNN uses here, is taken as 1000 from its datasheet.
  const double threads = std::max(1, device.threads);
  const bool bf16 = p.x_type == dtype::bf16;
  const bool onednn = row.family == kernel_family::cpu_onednn || (row.family == kernel_family::cpu_unfused && device.onednn);
  const double own = (bf16 && device.avx512_bf16) ? 450e3 : device.avx2 ? 100e3 : 20e3;
  const double rate = !onednn ? own : bf16 && device.amx_bf16 ? 1000e3 : 0.95 * own;
  const double stream_us = weight_bytes(p) / (30e3 * threads);
  const double multiply_us = flops(p) / (rate * threads);
  if (row.family == kernel_family::cpu_stream) return {std::max(stream_us, flops(p) / (0.5 * own * threads)), 1, 1, 0, "each weight read once"};
  if (row.family == kernel_family::cpu_unfused)
    return {stream_us + multiply_us, 1, 1, static_cast<std::size_t>(4 * p.m * p.n), "gate and up go through memory"};
  return {stream_us + multiply_us, 1, 1, 0, onednn ? "oneDNN's products, X packed once" : "weights read in place, X packed once"};
}

cost_estimate portable_cost(const problem& p, const device_facts& device) {
  const double bandwidth = std::max(1e11, device.memory_bytes_per_second) * 1e-6;  // bytes per us
  // Two halves, written and read back, in float32 or in the element type; two launches. 32B at m = 128: 165 us, 161 on an H200 (2026-11-29).
  const double intermediates = 2.0 * 2 * (p.mode == numerics::fp32_through ? 4 : 2) * static_cast<double>(p.m) * static_cast<double>(p.n);
  const double us = std::max(weight_bytes(p) / (0.95 * bandwidth), flops(p) / 650e6) + intermediates / bandwidth + 8;
  return {us, 1, 1, portable_workspace_bytes(p), "gate and up go through device memory"};
}

}  // namespace

cost_estimate estimate(const kernel_row& row, const problem& p, const device_facts& device) {
  if (p.m == 0 || p.n == 0) return {0, 1, 1, 0, "nothing to compute"};
  switch (row.backend) {
    case backend_id::cpu: return cpu_cost(row, p, device);
    case backend_id::cuda_portable: return portable_cost(p, device);
    case backend_id::sm90: return sm90_cost(row, p, device);
    default: return {0, 1, 1, 0, "the only row of its kind"};
  }
}

}  // namespace tileglu::plan_detail
