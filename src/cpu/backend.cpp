// The CPU backend: picks the product that the plan's row names.
#include <algorithm>
#include <new>

#include "backend/port.hpp"
#include "cpu/product.hpp"
#include "cpu/threads.hpp"
#include "cpu/unfused.hpp"
#include "plan/config/kernel_row.hpp"

namespace tileglu {
namespace {

using cpu::product;

std::string missing() { return {}; }

/// No more threads than the plan assumed, nor than there are now.
int threads_for(const device_facts& device) { return std::max(1, std::min(device.threads, cpu::available_threads())); }

cpu::product_shape shape_of(const execution_plan& plan) {
  const problem& p = plan.problem;
  return {p.m, p.n, p.k, row_stride_x(p), row_stride_y(p), true, p.x_type, p.mode, p.act, threads_for(plan.device)};
}

cpu::product_shape shape_of(const linear_problem& p, const device_facts& device) {
  return {p.m, p.n, p.k, p.ldx, p.ldy, false, p.type, numerics::fp32_through, {}, threads_for(device)};
}

std::unique_ptr<product> make(kernel_family family, const cpu::product_shape& shape) {
  if (family == kernel_family::cpu_stream) return cpu::make_stream(shape, cpu::this_machine());
  return cpu::make_blocked(shape, cpu::this_machine());
}

status prepare(const execution_plan& plan, prepared_plan& out) try {
  if (plan.config->family == kernel_family::cpu_unfused)
    out.state = cpu::make_unfused(shape_of(plan));
  else
    out.state = std::shared_ptr<product>(make(plan.config->family, shape_of(plan)));
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "memory for the blocks of " + describe(plan.problem)};
}

const std::uint16_t* elements(const void* data) { return static_cast<const std::uint16_t*>(data); }

status run(const execution_plan& plan, const prepared_plan& prepared, const tensors& t, stream_handle) noexcept {
  const problem& p = plan.problem;
  const cpu::product_tensors memory{elements(t.x), layout::resolve(p.layout, t.w.first(), t.w.second(), p.n, row_stride_w(p)),
                                    p.bias ? elements(t.bias_gate) : nullptr, p.bias ? elements(t.bias_up) : nullptr, static_cast<std::uint16_t*>(t.y)};
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

extern const backend cpu_backend{backend_id::cpu, "blocks that stay in cache, and a streaming path for few rows", missing, prepare, run, linear_workspace,
                                 prepare_linear, run_linear};

}  // namespace tileglu
