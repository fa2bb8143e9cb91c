// The C ABI of the whole MLP and of packing.
#include <string>

#include "api/c_convert.hpp"
#include "tileglu/mlp.hpp"
#include "tileglu/pack.hpp"

using namespace tileglu;
using namespace tileglu::c_abi;

tileglu_status tileglu_mlp_plan_create(const tileglu_mlp_problem* p, const tileglu_device* device, const tileglu_options* options,
                                       tileglu_mlp_plan** out) {
  return guard([&]() -> status {
    if (out == nullptr) return null_argument("out");
    *out = nullptr;
    if (p == nullptr) return null_argument("problem");
    if (device == nullptr) return null_argument("device");
    if (status s = check_reserved("problem", p->reserved); !s.ok()) return s;
    const auto gate_up = convert(p->gate_up, "problem.gate_up");
    if (!gate_up) return gate_up.error();
    if (status s = check_switch("problem", ".down_bias", p->down_bias); !s.ok()) return s;
    const auto wanted = convert(options);
    if (!wanted) return wanted.error();
    mlp_problem whole;
    whole.gate_up = *gate_up;
    whole.hidden_out = p->hidden_out, whole.ldd = p->ldd, whole.ldz = p->ldz;
    whole.down_bias = p->down_bias == 1;
    auto made = plan(whole, device->facts, *wanted);
    if (!made) return made.error();
    std::string explanation = explain(made->gate_up);
    *out = new tileglu_mlp_plan{*std::move(made), std::move(explanation)};
    return {};
  });
}

void tileglu_mlp_plan_destroy(tileglu_mlp_plan* plan) { delete plan; }
std::size_t tileglu_mlp_plan_workspace_bytes(const tileglu_mlp_plan* plan) { return plan ? plan->value.workspace : 0; }
const char* tileglu_mlp_plan_row(const tileglu_mlp_plan* plan) { return plan ? plan->value.gate_up.row.c_str() : ""; }
const char* tileglu_mlp_plan_explain(const tileglu_mlp_plan* plan) { return plan ? plan->explanation.c_str() : ""; }

tileglu_status tileglu_mlp_prepare(const tileglu_mlp_plan* plan) {
  return guard([&]() -> status { return plan ? prepare(plan->value) : null_argument("plan"); });
}

tileglu_status tileglu_mlp_run(const tileglu_mlp_plan* plan, const tileglu_mlp_tensors* t, tileglu_stream stream) {
  return guard([&]() -> status {
    if (plan == nullptr) return null_argument("plan");
    if (t == nullptr) return null_argument("tensors");
    if (status s = check_reserved("tensors", t->reserved); !s.ok()) return s;
    const auto w = convert(t->w);
    if (!w) return w.error();
    mlp_tensors memory{tensors{t->x, *w}};
    memory.gate_up.bias_gate = t->bias_gate, memory.gate_up.bias_up = t->bias_up;
    memory.w_down = t->w_down, memory.bias_down = t->bias_down;
    memory.z = t->z;
    memory.workspace = t->workspace, memory.workspace_bytes = t->workspace_bytes;
    return run(plan->value, memory, stream);
  });
}

tileglu_status tileglu_pack(const tileglu_weights* from, const tileglu_packed_weights* to, std::int64_t n, std::int64_t k,
                            const tileglu_device* device, tileglu_stream stream) {
  return guard([&]() -> status {
    if (from == nullptr) return null_argument("from");
    if (to == nullptr) return null_argument("to");
    if (device == nullptr) return null_argument("device");
    const auto target = convert(*to);
    if (!target) return target.error();
    const auto weights = convert(*from);
    if (!weights) return weights.error();
    return pack(*weights, *target, n, k, device->facts, stream);
  });
}
