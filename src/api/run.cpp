// The facade: checks what a caller hands in against the plan, then lets the plan's backend run.
#include "tileglu/run.hpp"

#include <deque>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>

#include "api/scratch.hpp"
#include "backend/port.hpp"
#include "base/extent.hpp"
#include "layout/pairing.hpp"

namespace tileglu {
namespace {

using base::bad;
using base::check_pointer;
using base::extent;
using base::hex;
using base::matrix;
using base::overlap;

status check_tensors(const execution_plan& plan, const tensors& t) {
  const problem& p = plan.problem;
  if (t.w.layout() != p.layout)
    return bad("w.layout is " + std::string(name(t.w.layout())) + "; allowed is the plan's, " + std::string(name(p.layout)));
  if (p.layout != weight_layout::separate && t.w.second() != nullptr)
    return bad("w holds two matrices; allowed is one for layout " + std::string(name(p.layout)));

  const std::size_t alignment = plan.backend == backend_id::sm90 ? 16 : size_of(p.x_type);
  const bool separate = p.layout == weight_layout::separate;
  const extent y = matrix("y", t.y, p.m, p.n, row_stride_y(p), p.y_type);
  const extent inputs[] = {
      matrix("x", t.x, p.m, p.k, row_stride_x(p), p.x_type),
      matrix(separate ? "w.gate" : "w", t.w.first(), separate ? p.n : 2 * p.n, p.k, row_stride_w(p), p.w_type),
      matrix("w.up", t.w.second(), separate ? p.n : 0, p.k, row_stride_w(p), p.w_type),
      matrix("bias_gate", t.bias_gate, p.bias ? 1 : 0, p.n, p.n, p.x_type),
      matrix("bias_up", t.bias_up, p.bias ? 1 : 0, p.n, p.n, p.x_type),
  };
  if (status s = check_pointer(y, alignment); !s.ok()) return s;
  for (const extent& input : inputs) {
    const bool is_bias = input.argument[0] == 'b';
    if (status s = check_pointer(input, is_bias ? size_of(p.x_type) : alignment); !s.ok()) return s;
    if (overlap(y, input))
      return bad("y at " + hex(y.begin) + " overlaps " + input.argument + " at " + hex(input.begin) +
                 "; allowed is an output apart from every input");
  }
  if (plan.workspace == 0) return {};
  if (t.workspace_bytes < plan.workspace)
    return {status_code::workspace_too_small,
            "workspace_bytes is " + std::to_string(t.workspace_bytes) + "; this plan needs " + std::to_string(plan.workspace)};
  const extent workspace{"workspace", reinterpret_cast<std::uintptr_t>(t.workspace), reinterpret_cast<std::uintptr_t>(t.workspace) + plan.workspace};
  if (status s = check_pointer(workspace, 256); !s.ok()) return s;
  if (overlap(workspace, y)) return bad("workspace overlaps y; allowed is memory of its own");
  for (const extent& input : inputs)
    if (overlap(workspace, input)) return bad(std::string("workspace overlaps ") + input.argument + "; allowed is memory of its own");
  return {};
}

result<const backend*> backend_of(const execution_plan& plan) {
  if (plan.config == nullptr) return bad("plan is empty; allowed is a plan that plan() returned");
  const backend* b = find_backend(plan.backend);
  if (b == nullptr) return status(status_code::not_available, "backend " + std::string(name(plan.backend)) + " is not in this build of tileglu");
  if (std::string why = b->missing(); !why.empty())
    return status(status_code::not_available, "backend " + std::string(name(plan.backend)) + " can't run here: " + why);
  return b;
}

status prepare_once(const execution_plan& plan) {
  std::call_once(plan.prepared->once, [&] {
    const auto b = backend_of(plan);
    const bool nothing = plan.problem.m == 0 || plan.problem.n == 0;  // run() returns before it reaches the backend
    plan.prepared->outcome = !b ? b.error() : nothing ? status{} : (*b)->prepare(plan, *plan.prepared);
  });
  return plan.prepared->outcome;
}

}  // namespace

status prepare(const execution_plan& plan) {
  if (plan.prepared == nullptr) return bad("plan is empty; allowed is a plan that plan() returned");
  return prepare_once(plan);
}

status run(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept try {
  if (plan.prepared == nullptr) return bad("plan is empty; allowed is a plan that plan() returned");
  if (status s = check_tensors(plan, t); !s.ok()) return s;
  if (plan.problem.m == 0 || plan.problem.n == 0) return {};
  if (status s = prepare_once(plan); !s.ok()) return s;
  return find_backend(plan.backend)->run(plan, *plan.prepared, t, stream);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, {}};
} catch (...) {
  return {status_code::internal, {}};
}

namespace {

/// Runs with workspace of the library's own where the plan needs some.
status run_with_scratch(const execution_plan& plan, tensors t, stream_handle stream) {
  if (plan.workspace == 0) return run(plan, t, stream);
  const auto lease = api::lease_scratch(plan.device, stream, plan.workspace);
  if (!lease) return lease.error();
  t.workspace = lease->data;
  t.workspace_bytes = lease->bytes;
  return run(plan, t, stream);
}

int current_ordinal() {
  const cuda_services* cuda = find_cuda_services();
  return cuda != nullptr ? cuda->current() : 0;
}

/// The calling thread's CUDA device where tileglu can use it, else the CPU.
device_facts device_of_this_thread() {
  auto gpu = this_cuda_device(current_ordinal());
  return gpu && gpu->compute_capability >= 80 ? *gpu : this_cpu();
}

}  // namespace

status gated_linear(const problem& p, const tensors& t, stream_handle stream) noexcept try {
  static std::shared_mutex mutex;
  static auto& plans = *new std::deque<execution_plan>;  // a process meets a handful of problems: a scan is quicker than a hash of 15 fields
  const int ordinal = current_ordinal();
  const auto find = [&]() -> const execution_plan* {
    for (const execution_plan& known : plans)
      if (known.problem == p && (known.device.kind == device_kind::cpu || known.device.ordinal == ordinal)) return &known;
    return nullptr;
  };
  {
    std::shared_lock lock(mutex);
    if (const execution_plan* known = find(); known != nullptr) {
      lock.unlock();  // a deque that only grows at its end leaves its elements where they are
      return run_with_scratch(*known, t, stream);
    }
  }
  auto made = plan(p, device_of_this_thread());
  if (!made) return made.error();
  const execution_plan* kept = nullptr;
  {
    const std::unique_lock lock(mutex);
    kept = find();
    if (kept == nullptr) kept = &plans.emplace_back(std::move(*made));
  }
  return run_with_scratch(*kept, t, stream);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, {}};
} catch (...) {
  return {status_code::internal, {}};
}

}  // namespace tileglu
