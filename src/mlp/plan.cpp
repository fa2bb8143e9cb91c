// The whole MLP as a plan: a gate-up plan whose Y is the library's own, and the down projection of the same device.
#include <algorithm>
#include <string>

#include "base/extent.hpp"
#include "mlp/prepared_mlp.hpp"

namespace tileglu {
namespace {

/// Rows of Y begin on 16 bytes, whatever n is: the fused kernels store, and cuBLASLt and oneDNN load, by whole vectors.
constexpr std::int64_t y_stride(std::int64_t n) { return (n + 7) / 8 * 8; }

status rename(const status& s, const char* from, const char* to) {
  std::string text = s.text();
  if (const std::string prefix = std::string(from) + " "; text.rfind(prefix, 0) == 0) text = std::string(to) + text.substr(prefix.size() - 1);
  return {s.code(), text};
}

/// The limits of the down projection are those of a gated problem of its extents: m x hidden_out x n.
status check_down(const mlp_problem& p) {
  const problem as_gated{.m = p.gate_up.m,
                         .n = p.hidden_out,
                         .k = p.gate_up.n,
                         .x_type = p.gate_up.x_type,
                         .w_type = p.gate_up.x_type,
                         .y_type = p.gate_up.x_type,
                         .ldw = p.ldd,
                         .ldy = p.ldz};
  status s = validate(as_gated);
  if (s.ok()) return s;
  for (const auto& [from, to] : {std::pair{"n", "hidden_out"}, std::pair{"ldw", "ldd"}, std::pair{"ldy", "ldz"}}) s = rename(s, from, to);
  return s;
}

/// Who does the down projection: the gate-up plan's backend, or the general one of the same device.
const backend* down_backend(const execution_plan& gate_up) {
  const backend* same = find_backend(gate_up.backend);
  if (same != nullptr && same->run_linear != nullptr) return same;
  const backend* general = find_backend(gate_up.device.kind == device_kind::cuda ? backend_id::cuda_portable : backend_id::cpu);
  return general != nullptr && general->run_linear != nullptr ? general : nullptr;
}

std::size_t round_up_256(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

result<mlp_plan> plan(const mlp_problem& p, const device_facts& device, const plan_options& options) {
  if (p.gate_up.ldy != 0)
    return base::bad("gate_up.ldy is " + std::to_string(p.gate_up.ldy) +
                     "; allowed is 0: Y lies in the workspace, and its stride is the library's to choose");
  if (status s = validate(p.gate_up); !s.ok()) return s;
  if (status s = check_down(p); !s.ok()) return s;

  mlp_plan made;
  made.problem = p;
  made.prepared = std::make_shared<prepared_mlp>();
  prepared_mlp& inner = *made.prepared;
  problem gate_up = p.gate_up;
  gate_up.ldy = y_stride(gate_up.n);
  inner.y_bytes = round_up_256(static_cast<std::size_t>(gate_up.m * gate_up.ldy) * size_of(gate_up.y_type));
  inner.down = {.m = gate_up.m,
                .n = p.hidden_out,
                .k = gate_up.n,
                .type = gate_up.x_type,
                .ldx = gate_up.ldy,
                .ldw = p.ldd ? p.ldd : gate_up.n,
                .ldy = p.ldz ? p.ldz : p.hidden_out,
                .bias = p.down_bias};

  if (inner.y_bytes > options.workspace_limit)
    return status(status_code::unsupported, "Y takes " + std::to_string(inner.y_bytes) + " bytes of workspace; options.workspace_limit allows " +
                                                std::to_string(options.workspace_limit));
  plan_options of_gate_up = options;
  if (options.workspace_limit != SIZE_MAX) of_gate_up.workspace_limit -= inner.y_bytes;
  auto chosen = plan(gate_up, device, of_gate_up);
  if (!chosen) return chosen.error();
  made.gate_up = std::move(*chosen);
  inner.down_by = down_backend(made.gate_up);
  if (inner.down_by != nullptr && inner.down_by->linear_workspace != nullptr)
    inner.down_workspace = round_up_256(inner.down_by->linear_workspace(inner.down, device));
  made.workspace = inner.y_bytes + std::max(round_up_256(made.gate_up.workspace), inner.down_workspace);
  if (made.workspace > options.workspace_limit)
    return status(status_code::unsupported, "Y and the down projection take " + std::to_string(made.workspace) +
                                                " bytes of workspace; options.workspace_limit allows " + std::to_string(options.workspace_limit));
  return made;
}

}  // namespace tileglu
