// The oracle as a backend: the reference's values, rounded once.
#include "backend/port.hpp"
#include "tileglu/reference.hpp"

namespace tileglu {
namespace {

std::string missing() { return {}; }

status prepare(const execution_plan&, prepared_plan&) { return {}; }

status run(const execution_plan& plan, const prepared_plan&, const tensors& t, stream_handle) noexcept try {
  const problem& p = plan.problem;
  const auto values = p.mode == numerics::fp32_through ? reference_gated_linear(p, t) : float32_gated_linear(p, t);
  if (!values) return values.error();
  auto* y = static_cast<std::uint16_t*>(t.y);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) y[i * row_stride_y(p) + j] = from_double(p.y_type, (*values)[static_cast<std::size_t>(i * p.n + j)]);
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, {}};
}

}  // namespace

extern const backend oracle_backend{backend_id::oracle, "float64 on the CPU, plain and slow: the reference", missing, prepare, run};

}  // namespace tileglu
