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

status check_switch(const char* where, const char* field, std::int32_t value) {
  if (value == 0 || value == 1) return {};
  return {status_code::invalid_argument, std::string(where) + field + " is " + std::to_string(value) + "; allowed are 0 and 1"};
}

namespace {

/// The numbers 0 to count - 1, with their names.
template <class Enum>
status check_enum(const char* where, const char* field, std::int32_t value, int count) {
  if (value >= 0 && value < count) return {};
  std::string allowed;
  for (int i = 0; i < count; ++i) allowed += (i ? ", " : "") + std::to_string(i) + " (" + std::string(name(static_cast<Enum>(i))) + ")";
  return {status_code::invalid_argument, std::string(where) + field + " is " + std::to_string(value) + "; allowed are " + allowed};
}

status check_layout(const char* where, std::int32_t value) { return check_enum<weight_layout>(where, ".layout", value, TILEGLU_INTERLEAVED + 1); }

}  // namespace

result<problem> convert(const tileglu_problem& from, const char* where) {
  if (status s = check_reserved(where, from.reserved); !s.ok()) return s;
  for (const auto& [field, value] : {std::pair{".x_type", from.x_type}, {".w_type", from.w_type}, {".y_type", from.y_type}})
    if (status s = check_enum<dtype>(where, field, value, TILEGLU_FP16 + 1); !s.ok()) return s;
  if (status s = check_layout(where, from.layout); !s.ok()) return s;
  if (status s = check_enum<activation_kind>(where, ".activation", from.activation, TILEGLU_GPT_OSS + 1); !s.ok()) return s;
  if (status s = check_enum<numerics>(where, ".numerics", from.numerics, TILEGLU_MATCH_UNFUSED + 1); !s.ok()) return s;
  if (status s = check_switch(where, ".bias", from.bias); !s.ok()) return s;
  problem p;
  p.m = from.m, p.n = from.n, p.k = from.k;
  p.ldx = from.ldx, p.ldw = from.ldw, p.ldy = from.ldy;
  p.x_type = static_cast<dtype>(from.x_type);
  p.w_type = static_cast<dtype>(from.w_type);
  p.y_type = static_cast<dtype>(from.y_type);
  p.layout = static_cast<weight_layout>(from.layout);
  p.mode = static_cast<numerics>(from.numerics);
  p.bias = from.bias == 1;
  if (static_cast<activation_kind>(from.activation) == activation_kind::gpt_oss) p.act = gpt_oss_activation();
  p.act.kind = static_cast<activation_kind>(from.activation);
  if (from.alpha != 0) p.act.alpha = from.alpha;
  if (from.limit != 0) p.act.limit = from.limit;
  return p;  // validate() judges the numbers
}

result<gate_up_weights> convert(const tileglu_weights& w) {
  if (status s = check_reserved("w", std::array{w.reserved}); !s.ok()) return s;
  if (status s = check_layout("w", w.layout); !s.ok()) return s;
  const auto layout = static_cast<weight_layout>(w.layout);
  if (w.second != nullptr && layout != weight_layout::separate)
    return status(status_code::invalid_argument, "w.second is not null; allowed is null: layout " + std::string(name(layout)) + " is one matrix");
  switch (layout) {
    case weight_layout::separate: break;
    case weight_layout::stacked_gate_up: return gate_up_weights::stacked_gate_up(w.first);
    case weight_layout::stacked_up_gate: return gate_up_weights::stacked_up_gate(w.first);
    case weight_layout::interleaved: return gate_up_weights::interleaved(w.first);
  }
  return gate_up_weights::separate(w.first, w.second);
}

result<packed_weights> convert(const tileglu_packed_weights& to) {
  if (status s = check_reserved("to", std::array{to.reserved}); !s.ok()) return s;
  if (status s = check_layout("to", to.layout); !s.ok()) return s;
  return packed_weights{static_cast<weight_layout>(to.layout), to.first, to.second};
}

result<tensors> convert(const tileglu_tensors& from) {
  if (status s = check_reserved("tensors", from.reserved); !s.ok()) return s;
  const auto w = convert(from.w);
  if (!w) return w.error();
  return tensors{from.x, *w, from.y, from.bias_gate, from.bias_up, from.workspace, from.workspace_bytes};
}

result<plan_options> convert(const tileglu_options* from) {
  plan_options options;
  if (from == nullptr) return options;
  if (status s = check_reserved("options", from->reserved); !s.ok()) return s;
  if (status s = check_enum<backend_id>("options", ".backend", from->backend, TILEGLU_SM90 + 1); !s.ok()) return s;
  if (status s = check_switch("options", ".wait_for_weights", from->wait_for_weights); !s.ok()) return s;
  options.backend = static_cast<backend_id>(from->backend);
  options.prefetch_weights = from->wait_for_weights == 0;
  if (from->kernel != nullptr) options.kernel = from->kernel;
  if (from->workspace_limit != 0) options.workspace_limit = from->workspace_limit < 0 ? 0 : static_cast<std::size_t>(from->workspace_limit);
  return options;
}

}  // namespace tileglu::c_abi
