// The portable CUDA backend: cuBLASLt's products for gate and up, then one activation kernel.
#include <map>
#include <memory>
#include <string>

#include "backend/port.hpp"
#include "cublaslt/activate.cuh"
#include "cublaslt/plain_product.cuh"
#include "cublaslt/product.hpp"
#include "cuda/check.hpp"
#include "cuda/facts.hpp"
#include "layout/pairing.hpp"

namespace tileglu {
namespace cublaslt {
namespace {

std::string missing() {
  if (const auto device = cuda::device_of(0); !device) return device.error().text();
  if (const auto& lt = load(); !lt) return lt.error().text();
  return {};
}

/// The products of a plan by the rows they take: one shape for full passes, one for the rest.
struct gate_up_state {
  plan_detail::portable_intermediates layout;
  std::map<std::int64_t, product> by_rows;
};

product_shape shape_of(const problem& p, const plan_detail::portable_intermediates& l, std::int64_t rows) {
  const bool separate = p.layout == weight_layout::separate;
  return {.m = rows,
          .n = separate ? p.n : 2 * p.n,
          .k = p.k,
          .type = p.x_type,
          .float32_result = l.element_bytes == sizeof(float),
          .ldx = row_stride_x(p),
          .ldw = row_stride_w(p),
          .ldd = l.row_stride};
}

status prepare(const execution_plan& plan, prepared_plan& out) {
  if (status s = cuda::check_device_of(plan.device, device_bond::capability_8); !s.ok()) return s;
  const cuda::current_device device(plan.device.ordinal);
  if (!device.outcome().ok()) return device.outcome();
  const problem& p = plan.problem;
  auto state = std::make_shared<gate_up_state>();
  state->layout = plan_detail::portable_layout(p);
  if (status s = prepare_activate(p); !s.ok()) return s;
  if (p.m > 0 && p.n > 0 && p.k > 0) {
    const auto handle = handle_of(plan.device.ordinal);
    if (!handle) return handle.error();
    const std::int64_t pass = state->layout.rows_per_pass;
    for (const std::int64_t rows : {pass, p.m % pass}) {
      if (rows == 0 || state->by_rows.contains(rows)) continue;
      auto made = product::make(shape_of(p, state->layout, rows), *handle);
      if (!made) return made.error();
      state->by_rows.emplace(rows, std::move(*made));
    }
  }
  out.state = std::move(state);
  return {};
}

/// Gate and up of the rows from `row` on, into the workspace.
status multiply(const problem& p, const gate_up_state& state, const product& by, const tensors& t, std::int64_t row, void* product_space,
                stream_handle on) {
  const auto* x = static_cast<const std::uint16_t*>(t.x) + row * row_stride_x(p);
  auto* into = static_cast<char*>(t.workspace);
  if (p.layout != weight_layout::separate) return by.run({.x = x, .w = t.w.first(), .d = into}, product_space, on);
  const auto* up = t.w.second();
  if (status s = by.run({.x = x, .w = t.w.first(), .d = into + state.layout.gate_offset * state.layout.element_bytes}, product_space, on); !s.ok())
    return s;
  return by.run({.x = x, .w = up, .d = into + state.layout.up_offset * state.layout.element_bytes}, product_space, on);
}

status run(const execution_plan& plan, const prepared_plan& prepared, const tensors& t, stream_handle on) noexcept {
  if (status s = cuda::ready_to_launch(plan.device, on); !s.ok()) return s;
  const problem& p = plan.problem;
  const auto& state = *static_cast<const gate_up_state*>(prepared.state.get());
  void* product_space = static_cast<char*>(t.workspace) + state.layout.bytes;
  for (std::int64_t row = 0; row < p.m; row += state.layout.rows_per_pass) {
    const std::int64_t rows = std::min(state.layout.rows_per_pass, p.m - row);
    if (p.k > 0)
      if (status s = multiply(p, state, state.by_rows.find(rows)->second, t, row, product_space, on); !s.ok()) return s;
    const activate_call call{.of = &p,
                             .layout = state.layout,
                             .intermediates = p.k > 0 ? t.workspace : nullptr,
                             .bias_gate = t.bias_gate,
                             .bias_up = t.bias_up,
                             .y = static_cast<std::uint16_t*>(t.y) + row * row_stride_y(p),
                             .rows = rows};
    if (status s = launch_activate(call, on); !s.ok()) return s;
  }
  return {};
}

struct linear_state {
  device_facts device;
  product multiply;
};

std::size_t linear_workspace(const linear_problem& p, const device_facts&) {
  return p.m == 0 || p.n == 0 || p.k == 0 ? 0 : plan_detail::product_workspace;
}

status prepare_linear(const linear_problem& p, const device_facts& planned, std::shared_ptr<void>& state) {
  if (std::string why = missing(); !why.empty()) return {status_code::not_available, "backend cuda_portable can't run here: " + why};
  if (status s = cuda::check_device_of(planned, device_bond::capability_8); !s.ok()) return s;
  const cuda::current_device device(planned.ordinal);
  if (!device.outcome().ok()) return device.outcome();
  const auto handle = handle_of(planned.ordinal);
  if (!handle) return handle.error();
  auto made = product::make({.m = p.m, .n = p.n, .k = p.k, .type = p.type, .bias = p.bias, .ldx = p.ldx, .ldw = p.ldw, .ldd = p.ldy}, *handle);
  if (!made) return made.error();
  state = std::make_shared<linear_state>(linear_state{planned, std::move(*made)});
  return {};
}

status run_linear(const linear_problem&, const std::shared_ptr<void>& state, const linear_tensors& t, stream_handle on) noexcept {
  const auto& made = *static_cast<const linear_state*>(state.get());
  if (status s = cuda::ready_to_launch(made.device, on); !s.ok()) return s;
  return made.multiply.run({.x = t.x, .w = t.w, .bias = t.bias, .d = t.y}, t.workspace, on);
}

}  // namespace
}  // namespace cublaslt

extern const backend cublaslt_backend{backend_id::cuda_portable,
                                      "cuBLASLt and one activation kernel, compute capability 8.0 or more",
                                      cublaslt::missing,
                                      cublaslt::prepare,
                                      cublaslt::run,
                                      cublaslt::linear_workspace,
                                      cublaslt::prepare_linear,
                                      cublaslt::run_linear};

}  // namespace tileglu
