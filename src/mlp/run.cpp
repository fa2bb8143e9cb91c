// The whole MLP, run: Y into the workspace, then Z from it.
#include <new>
#include <string>

#include "base/extent.hpp"
#include "mlp/prepared_mlp.hpp"

namespace tileglu {
namespace {

using base::bad;
using base::extent;

status empty_plan() { return bad("plan is empty; allowed is a plan that plan() returned"); }

status prepare_down(const mlp_plan& plan, prepared_mlp& inner) {
  if (inner.down_by == nullptr)
    return {status_code::not_available, "this build of tileglu has no backend for the down projection on " + plan.gate_up.device.name};
  if (std::string why = inner.down_by->missing(); !why.empty())
    return {status_code::not_available,
            "backend " + std::string(name(inner.down_by->id)) + ", which does the down projection, can't run here: " + why};
  if (inner.down.m == 0 || inner.down.n == 0) return {};  // run() returns before it reaches the backend
  return inner.down_by->prepare_linear(inner.down, plan.gate_up.device, inner.down_state);
}

status prepare_once(const mlp_plan& plan) {
  prepared_mlp& inner = *plan.prepared;
  std::call_once(inner.once, [&] { inner.outcome = prepare_down(plan, inner); });
  return inner.outcome;
}

/// What gate-up's own check does not see: the down projection's memory, and the whole workspace.
status check_tensors(const mlp_plan& plan, const mlp_tensors& t) {
  const linear_problem& down = plan.prepared->down;
  const problem& p = plan.gate_up.problem;
  const bool separate = p.layout == weight_layout::separate;
  const extent z = base::matrix("z", t.z, down.m, down.n, down.ldy, down.type);
  const extent inputs[] = {
      base::matrix("x", t.gate_up.x, p.m, p.k, row_stride_x(p), p.x_type),
      base::matrix(separate ? "w.gate" : "w", t.gate_up.w.first(), separate ? p.n : 2 * p.n, p.k, row_stride_w(p), p.w_type),
      base::matrix("w.up", t.gate_up.w.second(), separate ? p.n : 0, p.k, row_stride_w(p), p.w_type),
      base::matrix("w_down", t.w_down, down.n, down.k, down.ldw, down.type),
      base::matrix("bias_down", t.bias_down, down.bias ? 1 : 0, down.n, down.n, down.type),
  };
  const std::size_t alignment = size_of(down.type);
  if (status s = base::check_pointer(z, alignment); !s.ok()) return s;
  for (const extent& input : {inputs[3], inputs[4]})
    if (status s = base::check_pointer(input, alignment); !s.ok()) return s;
  for (const extent& input : inputs)
    if (base::overlap(z, input))
      return bad("z at " + base::hex(z.begin) + " overlaps " + input.argument + " at " + base::hex(input.begin) +
                 "; allowed is an output apart from every input");
  if (plan.workspace == 0) return {};
  if (t.workspace_bytes < plan.workspace)
    return {status_code::workspace_too_small,
            "workspace_bytes is " + std::to_string(t.workspace_bytes) + "; this plan needs " + std::to_string(plan.workspace)};
  const extent workspace{"workspace", reinterpret_cast<std::uintptr_t>(t.workspace), reinterpret_cast<std::uintptr_t>(t.workspace) + plan.workspace};
  if (status s = base::check_pointer(workspace, 256); !s.ok()) return s;
  if (base::overlap(workspace, z)) return bad("workspace overlaps z; allowed is memory of its own");
  for (const extent& input : inputs)
    if (base::overlap(workspace, input)) return bad(std::string("workspace overlaps ") + input.argument + "; allowed is memory of its own");
  return {};
}

}  // namespace

status prepare(const mlp_plan& plan) {
  if (plan.prepared == nullptr) return empty_plan();
  if (status s = prepare(plan.gate_up); !s.ok()) return s;
  return prepare_once(plan);
}

status run(const mlp_plan& plan, const mlp_tensors& t, stream_handle stream) noexcept try {
  if (plan.prepared == nullptr) return empty_plan();
  const prepared_mlp& inner = *plan.prepared;
  if (inner.down.m == 0 || inner.down.n == 0) return {};
  if (status s = check_tensors(plan, t); !s.ok()) return s;
  if (status s = prepare_once(plan); !s.ok()) return s;
  char* const after_y = static_cast<char*>(t.workspace) + inner.y_bytes;

  tensors gate_up = t.gate_up;
  gate_up.y = t.workspace;
  gate_up.workspace = plan.gate_up.workspace == 0 ? nullptr : after_y;
  gate_up.workspace_bytes = plan.gate_up.workspace;
  if (status s = run(plan.gate_up, gate_up, stream); !s.ok()) return s;

  const linear_tensors down{.x = t.workspace,
                            .w = t.w_down,
                            .bias = t.bias_down,
                            .y = t.z,
                            .workspace = inner.down_workspace == 0 ? nullptr : after_y,
                            .workspace_bytes = inner.down_workspace};
  return inner.down_by->run_linear(inner.down, inner.down_state, down, stream);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, {}};
} catch (...) {
  return {status_code::internal, {}};
}

}  // namespace tileglu
