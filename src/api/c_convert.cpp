#include "api/c_convert.hpp"

#include <array>

namespace tileglu::c_abi {
namespace {

struct last_error {
  status_code code = status_code::ok;
  std::string text;
};

last_error& of_this_thread() noexcept {
  static thread_local last_error last;
  return last;
}

}  // namespace

tileglu_status report(const status& s) noexcept {
  last_error& last = of_this_thread();
  last.code = s.code();
  last.text.clear();
  if (!s.ok()) try {
      last.text = s.text();
    } catch (const std::bad_alloc&) {  // the code's name will do
    }
  return static_cast<tileglu_status>(last.code);
}

const char* last_error_text() noexcept {
  const last_error& last = of_this_thread();
  if (last.code == status_code::ok) return "";
  return last.text.empty() ? name(last.code).data() : last.text.c_str();  // name() gives literals, which end with 0
}

result<problem> convert(const tileglu_problem& from) {
  if (status s = check_reserved("problem.reserved", from.reserved); !s.ok()) return s;
  problem p;
  p.m = from.m, p.n = from.n, p.k = from.k;
  p.ldx = from.ldx, p.ldw = from.ldw, p.ldy = from.ldy;
  p.x_type = static_cast<dtype>(from.x_type);
  p.w_type = static_cast<dtype>(from.w_type);
  p.y_type = static_cast<dtype>(from.y_type);
  p.layout = static_cast<weight_layout>(from.layout);
  p.mode = static_cast<numerics>(from.numerics);
  p.bias = from.bias != 0;
  if (static_cast<activation_kind>(from.activation) == activation_kind::gpt_oss) p.act = gpt_oss_activation();
  p.act.kind = static_cast<activation_kind>(from.activation);
  if (from.alpha != 0) p.act.alpha = from.alpha;
  if (from.limit != 0) p.act.limit = from.limit;
  return p;  // validate() judges the values
}

result<gate_up_weights> convert(const tileglu_weights& w) {
  if (status s = check_reserved("w.reserved", std::array{w.reserved}); !s.ok()) return s;
  const auto layout = static_cast<weight_layout>(w.layout);
  if (layout == weight_layout::separate) return gate_up_weights::separate(w.first, w.second);
  if (w.second != nullptr && w.layout > 0 && w.layout <= TILEGLU_INTERLEAVED)
    return status(status_code::invalid_argument, "w.second is not null; allowed is null: layout " + std::string(name(layout)) + " is one matrix");
  switch (layout) {
    case weight_layout::separate: break;
    case weight_layout::stacked_gate_up: return gate_up_weights::stacked_gate_up(w.first);
    case weight_layout::stacked_up_gate: return gate_up_weights::stacked_up_gate(w.first);
    case weight_layout::interleaved: return gate_up_weights::interleaved(w.first);
  }
  return status(status_code::invalid_argument, "w.layout is " + std::to_string(w.layout) + "; allowed are 0 to " + std::to_string(TILEGLU_INTERLEAVED));
}

result<tensors> convert(const tileglu_tensors& from) {
  if (status s = check_reserved("tensors.reserved", from.reserved); !s.ok()) return s;
  const auto w = convert(from.w);
  if (!w) return w.error();
  return tensors{from.x, *w, from.y, from.bias_gate, from.bias_up, from.workspace, from.workspace_bytes};
}

result<plan_options> convert(const tileglu_options* from) {
  plan_options options;
  if (from == nullptr) return options;
  if (status s = check_reserved("options.reserved", from->reserved); !s.ok()) return s;
  if (from->backend < 0 || from->backend > TILEGLU_SM90)
    return status(status_code::invalid_argument, "options.backend is " + std::to_string(from->backend) + "; allowed are 0 to " + std::to_string(TILEGLU_SM90));
  options.backend = static_cast<backend_id>(from->backend);
  options.prefetch_weights = from->wait_for_weights == 0;
  if (from->kernel != nullptr) options.kernel = from->kernel;
  if (from->workspace_limit != 0) options.workspace_limit = from->workspace_limit < 0 ? 0 : static_cast<std::size_t>(from->workspace_limit);
  return options;
}

}  // namespace tileglu::c_abi
