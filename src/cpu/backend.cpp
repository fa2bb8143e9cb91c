// The CPU backend: picks the product that the plan's row names.
#include <algorithm>
#include <new>

#include "backend/port.hpp"
#include "cpu/product.hpp"
#include "cpu/threads.hpp"
#include "cpu/unfused.hpp"
#include "plan/config/kernel_row.hpp"

#ifdef TILEGLU_HAS_ONEDNN
#include "cpu/onednn.hpp"
#endif

namespace tileglu {
namespace {

using cpu::product;

std::string missing() { return {}; }

/// No more threads than the plan assumed, nor than there are now, nor than the work is worth: waking one costs about 2 us, in which another
/// one reads 32768 weights and multiplies them with 8 rows.
int threads_for(const device_facts& device, std::int64_t weights, std::int64_t m) {
  const double worth = static_cast<double>(weights) / 32768 * (static_cast<double>(m) / 8 + 1);
  const int most = std::min(device.threads, cpu::available_threads());
  return worth >= most ? std::max(1, most) : std::max(1, static_cast<int>(worth));
}

cpu::product_shape shape_of(const execution_plan& plan) {
  const problem& p = plan.problem;
  const std::int64_t ldw = row_stride_w(p) * layout::weight_row_step(p.layout);
  return {p.m, p.n, p.k, row_stride_x(p), ldw, row_stride_y(p), true, p.x_type, p.mode, p.act, threads_for(plan.device, 2 * p.n * p.k, p.m)};
}

cpu::product_shape shape_of(const linear_problem& p, const device_facts& device) {
  return {p.m, p.n, p.k, p.ldx, p.ldw, p.ldy, false, p.type, numerics::fp32_through, {}, threads_for(device, p.n * p.k, p.m)};
}

std::unique_ptr<product> make(kernel_family family, const cpu::product_shape& shape) {
  if (family == kernel_family::cpu_stream) return cpu::make_stream(shape, cpu::this_machine());
#ifdef TILEGLU_HAS_ONEDNN
  if (family == kernel_family::cpu_onednn)
    if (auto made = cpu::make_onednn_blocked(shape, cpu::this_machine())) return made;
#endif
  return cpu::make_blocked(shape, cpu::this_machine());
}

std::shared_ptr<cpu::unfused> make_baseline(const cpu::product_shape& shape, [[maybe_unused]] bool bias) {
#ifdef TILEGLU_HAS_ONEDNN
  if (auto made = cpu::make_onednn_unfused(shape, cpu::this_machine(), bias)) return made;
#endif
  return cpu::make_unfused(shape, cpu::this_machine());
}

status prepare(const execution_plan& plan, prepared_plan& out) try {
  if (plan.config->family == kernel_family::cpu_unfused)
    out.state = make_baseline(shape_of(plan), plan.problem.bias);
  else
    out.state = std::shared_ptr<product>(make(plan.config->family, shape_of(plan)));
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "memory for the blocks of " + describe(plan.problem)};
}

const std::uint16_t* elements(const void* data) { return static_cast<const std::uint16_t*>(data); }

status run(const execution_plan& plan, const prepared_plan& prepared, const tensors& t, stream_handle) noexcept {
  const problem& p = plan.problem;
  const layout::halves w = layout::resolve(p.layout, t.w.first(), t.w.second(), p.n, row_stride_w(p));
  const std::uint16_t* bias_gate = p.bias ? elements(t.bias_gate) : nullptr;
  const std::uint16_t* bias_up = p.bias ? elements(t.bias_up) : nullptr;
  const cpu::product_tensors memory{elements(t.x), w, bias_gate, bias_up, static_cast<std::uint16_t*>(t.y)};
  if (plan.config->family == kernel_family::cpu_unfused)
    return static_cast<const cpu::unfused*>(prepared.state.get())->run(memory, static_cast<std::uint16_t*>(t.workspace));
  return static_cast<const product*>(prepared.state.get())->run(memory);
}

std::size_t linear_workspace(const linear_problem&, const device_facts&) { return 0; }

status prepare_linear(const linear_problem& p, const device_facts& device, std::shared_ptr<void>& state) try {
  const kernel_family family = p.m <= cpu::stream_most_rows ? kernel_family::cpu_stream : kernel_family::cpu_blocked;
  state = std::shared_ptr<product>(make(family, shape_of(p, device)));
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "memory for the blocks of a down projection"};
}

status run_linear(const linear_problem& p, const std::shared_ptr<void>& state, const linear_tensors& t, stream_handle) noexcept {
  return static_cast<const product*>(state.get())->run({elements(t.x), {elements(t.w), nullptr, p.ldw}, p.bias ? elements(t.bias) : nullptr, nullptr,
                                                        static_cast<std::uint16_t*>(t.y)});
}

}  // namespace

extern const backend cpu_backend{
    backend_id::cpu, "blocks that stay in cache, and a streaming path for few rows", missing, prepare, run, linear_workspace, prepare_linear,
    run_linear};

}  // namespace tileglu
