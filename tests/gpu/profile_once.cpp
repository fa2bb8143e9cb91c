// One run of one row between cudaProfilerStart and cudaProfilerStop: what a profiler is pointed at.
#include <cuda_profiler_api.h>

#include <cstdio>

#include "gpu/checker.hpp"

namespace tileglu::gpu_check {

int profile_once(context& c, const std::string& row, std::int64_t m, std::int64_t n, std::int64_t k) {
  problem p{.m = m, .n = n, .k = k};
  plan_options options;
  options.kernel = row;
  auto chosen = plan(p, c.device, options);
  if (!chosen) {
    p.layout = weight_layout::interleaved;
    chosen = plan(p, c.device, options);
  }
  status s = chosen ? prepare(*chosen) : chosen.error();
  if (s.ok()) {
    const matrix_values values{p.x_type, value_class::normal, k, 1, false};
    placed_weights w;
    w.fill(values, p, 0, half_values::random, half_values::random, c.on);
    call_memory memory;
    memory.fill_inputs(values, p, 0, c.on);
    memory.clear_outputs(p, chosen->workspace, 0, c.on);
    require(cudaStreamSynchronize(c.on), "filling inputs");
    require(cudaProfilerStart(), "cudaProfilerStart");
    s = run(*chosen, memory.get(p, w, chosen->workspace), c.on);
    require(cudaStreamSynchronize(c.on), "a kernel");
    require(cudaProfilerStop(), "cudaProfilerStop");
  }
  if (s.ok())
    std::printf("%s m=%lld n=%lld k=%lld\n", chosen->row.c_str(), static_cast<long long>(m), static_cast<long long>(n), static_cast<long long>(k));
  else
    std::fprintf(stderr, "%s\n", s.text().c_str());
  return s.ok() ? 0 : 1;
}

}  // namespace tileglu::gpu_check
