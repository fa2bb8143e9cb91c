#include "call.hpp"

#include <cmath>
#include <limits>

namespace tileglu::torch_extension {
namespace {

tensor dense_copy(const tensor& t, const tensor_facts& facts) {
  tensor copy = empty(facts.sizes, facts.dtype, facts.device_type, facts.device_index);
  check(aoti_torch_copy_(copy.get(), t.get(), 0), "copying a tensor");
  return copy;
}

matrix copied(const tensor& t, const tensor_facts& facts, std::string why) {
  matrix m;
  m.copy = dense_copy(t, facts);
  m.data = data_of(m.copy);
  m.row_stride = facts.last_size();
  m.why_copied = std::move(why);
  return m;
}

/// [..., K] as rows of K elements.
matrix rows_of(const tensor& t, const tensor_facts& facts, const char* argument, bool align) {
  const std::int64_t width = facts.last_size();
  const std::int64_t row_stride = row_stride_of(facts);
  if (row_stride == no_rows) {
    if (width > 1 && facts.last_stride() != 1)
      return copied(t, facts, std::string(argument) + " has stride " + std::to_string(facts.last_stride()) + " along its last dimension");
    return copied(t, facts, std::string(argument) + "'s leading dimensions do not collapse into rows of one stride");
  }
  if (row_stride < width) return copied(t, facts, std::string(argument) + " has overlapping rows (stride " + std::to_string(row_stride) + ")");
  if (align && (reinterpret_cast<std::uintptr_t>(facts.data) % 16 != 0 || row_stride % 8 != 0))
    return copied(t, facts, std::string(argument) + "'s rows are not 16-byte aligned");
  return {facts.data, row_stride, {}, {}};
}

void same_kind(const tensor_facts& t, const char* argument, const call& c) {
  if (t.dtype != c.dtype) refuse(std::string(argument) + " and x have different dtypes, " + dtype_name(t.dtype) + " and " + dtype_name(c.dtype) +
           "; allowed is one dtype for all tensors");
  if (t.device_type != c.device_type || t.device_index != c.device_index)
    refuse(std::string(argument) + " and x are on different devices, " + device_name(t.device_type, t.device_index) + " and " +
           device_name(c.device_type, c.device_index) + "; allowed is one device for all tensors");
}

const void* bias_of(const tensor& bias, const char* argument, std::int64_t n, const call& c, tensor& copy) {
  const tensor_facts facts = facts_of(bias, argument);
  same_kind(facts, argument, c);
  if (facts.sizes.size() != 1 || facts.sizes[0] != n)
    refuse(std::string(argument) + " has shape " + text_of(facts.sizes) + "; allowed is [" + std::to_string(n) + "]");
  if (n <= 1 || facts.strides[0] == 1) return facts.data;
  copy = dense_copy(bias, facts);
  return data_of(copy);
}

template <class Enum>
Enum code(std::int64_t value, Enum last, const char* argument) {
  if (value < 0 || value > static_cast<std::int64_t>(last))
    refuse(std::string(argument) + " is " + std::to_string(value) + "; allowed are 0 to " + std::to_string(static_cast<int>(last)));
  return static_cast<Enum>(value);
}

}  // namespace

std::string text_of(std::span<const std::int64_t> sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

std::int64_t row_stride_of(const tensor_facts& facts) {
  if (facts.last_size() > 1 && facts.last_stride() != 1) return no_rows;
  std::int64_t row_stride = no_rows;
  std::int64_t reach = 0;  // elements that one step of the next outer dimension has to cover
  for (std::size_t i = facts.sizes.size() - 1; i-- > 0;) {
    if (facts.sizes[i] == 1) continue;
    if (row_stride != no_rows && facts.strides[i] != reach) return no_rows;
    if (row_stride == no_rows) row_stride = facts.strides[i];
    reach = facts.strides[i] * facts.sizes[i];
  }
  return row_stride == no_rows ? facts.last_size() : row_stride;  // one row: any stride will do
}

arguments::arguments(const torch_slot* s)
    : x(take_tensor(s[0])),
      w(take_tensor(s[1])),
      w_up(take_optional_tensor(s[2])),
      bias_gate(take_optional_tensor(s[3])),
      bias_up(take_optional_tensor(s[4])),
      layout(take_int(s[5])),
      activation(take_int(s[6])),
      numerics(take_int(s[9])),
      alpha(take_double(s[7])),
      limit(take_double(s[8])),
      prefetch_weights(take_bool(s[10])),
      kernel(take_text(s[11])) {}

arguments arguments::plain(const torch_slot* s) {
  arguments a;
  a.x = take_tensor(s[0]);
  a.w = take_tensor(s[1]);
  a.w_up = take_tensor(s[2]);
  const std::int64_t words = take_int(s[3]);
  a.layout = words & 0xff;
  if (a.layout != static_cast<std::int64_t>(weight_layout::separate)) a.w_up = {};
  a.activation = words >> 8 & 0xff;
  a.numerics = words >> 16 & 0xff;
  a.prefetch_weights = (words >> 24 & 1) != 0;
  return a;
}

void arguments::give_all(torch_slot* s) const {
  s[0] = reinterpret_cast<torch_slot>(x.share());
  s[1] = reinterpret_cast<torch_slot>(w.share());
  s[2] = give_optional(w_up);
  s[3] = give_optional(bias_gate);
  s[4] = give_optional(bias_up);
  s[5] = static_cast<torch_slot>(layout);
  s[6] = static_cast<torch_slot>(activation);
  s[7] = std::bit_cast<torch_slot>(alpha);
  s[8] = std::bit_cast<torch_slot>(limit);
  s[9] = static_cast<torch_slot>(numerics);
  s[10] = prefetch_weights ? 1 : 0;
  s[11] = give_text(kernel);
}

call::call(const arguments& given) {
  static const std::int32_t bf16 = aoti_torch_dtype_bfloat16(), fp16 = aoti_torch_dtype_float16(), cuda = aoti_torch_device_type_cuda();
  problem& p = key.problem;
  const tensor_facts xf = facts_of(given.x, "x");
  dtype = xf.dtype;
  device_type = xf.device_type;
  device_index = xf.device_index;
  if (dtype != bf16 && dtype != fp16) refuse("x has a dtype that no kernel computes; allowed are bfloat16 and float16");
  if (xf.sizes.empty()) refuse("x has no dimensions; allowed is [..., K]");
  p.x_type = p.w_type = p.y_type = dtype == bf16 ? tileglu::dtype::bf16 : tileglu::dtype::fp16;
  p.layout = code(given.layout, weight_layout::interleaved, "layout");
  p.act.kind = code(given.activation, activation_kind::gpt_oss, "activation");
  p.mode = code(given.numerics, numerics::match_unfused, "numerics");
  p.act.alpha = static_cast<float>(given.alpha);
  p.act.limit = given.limit == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(given.limit);

  const tensor_facts wf = facts_of(given.w, "w");
  same_kind(wf, "w", *this);
  p.k = xf.last_size();
  const bool separate = p.layout == weight_layout::separate;
  if (wf.sizes.size() != 2 || wf.sizes[1] != p.k)
    refuse("w has shape " + text_of(wf.sizes) + "; allowed is [" + (separate ? "N, " : "2N, ") + std::to_string(p.k) + "], for x has shape " +
           text_of(xf.sizes));
  if (separate != static_cast<bool>(given.w_up))
    refuse(separate ? "w_up is missing; layout separate takes two matrices" : "w_up is given; a stacked or interleaved layout takes one matrix");
  if (!separate && wf.sizes[0] % 2 != 0) refuse("w has " + std::to_string(wf.sizes[0]) + " rows; allowed is an even number, gate and up");
  p.n = separate ? wf.sizes[0] : wf.sizes[0] / 2;

  y_sizes.assign(xf.sizes.begin(), xf.sizes.end());
  y_sizes.back() = p.n;
  p.m = 1;
  for (std::size_t i = 0; i + 1 < xf.sizes.size(); ++i) p.m *= xf.sizes[i];

  key.cuda = device_type == cuda;
  key.device_index = key.cuda ? device_index : 0;
  key.options.kernel = given.kernel;
  key.options.prefetch_weights = given.prefetch_weights;

  p.bias = given.bias_gate || given.bias_up;
  if (p.bias && !(given.bias_gate && given.bias_up))
    refuse(std::string(given.bias_gate ? "bias_up" : "bias_gate") + " is missing; allowed are both biases or none");
  if (p.bias) {
    bias_gate = bias_of(given.bias_gate, "bias_gate", p.n, *this, bias_gate_copy);
    bias_up = bias_of(given.bias_up, "bias_up", p.n, *this, bias_up_copy);
  }

  tensor_facts uf;
  if (separate) {
    uf = facts_of(given.w_up, "w_up");
    same_kind(uf, "w_up", *this);
    if (uf.sizes.size() != 2 || uf.sizes[0] != p.n || uf.sizes[1] != p.k)
      refuse("w_up has shape " + text_of(uf.sizes) + "; allowed is w's, " + text_of(wf.sizes));
  }
  if (empty()) return;  // nothing is read

  x = rows_of(given.x, xf, "x", key.cuda && p.k % 8 == 0);
  w = rows_of(given.w, wf, "w", false);
  if (separate) {
    w_up = rows_of(given.w_up, uf, "w_up", false);
    if (w_up.row_stride != w.row_stride) {  // the library has one stride for both
      if (w.copy || w.row_stride == p.k) w_up = copied(given.w_up, uf, "w_up's row stride differs from w's");
      else if (w_up.copy || w_up.row_stride == p.k) w = copied(given.w, wf, "w's row stride differs from w_up's");
      else {
        w = copied(given.w, wf, "w's row stride differs from w_up's");
        w_up = copied(given.w_up, uf, "w_up's row stride differs from w's");
      }
    }
  }
  p.ldx = x.row_stride == p.k ? 0 : x.row_stride;
  p.ldw = w.row_stride == p.k ? 0 : w.row_stride;
  const auto misaligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 != 0; };
  if (key.cuda && given.kernel.empty() && (misaligned(w.data) || misaligned(w_up.data))) key.options.backend = backend_id::cuda_portable;
}

gate_up_weights call::weights() const {
  switch (key.problem.layout) {
    case weight_layout::separate: return gate_up_weights::separate(w.data, w_up.data);
    case weight_layout::stacked_gate_up: return gate_up_weights::stacked_gate_up(w.data);
    case weight_layout::stacked_up_gate: return gate_up_weights::stacked_up_gate(w.data);
    case weight_layout::interleaved: break;
  }
  return gate_up_weights::interleaved(w.data);
}

bool runs_in_library(const cached_plan& known) {
  if (known.outcome.ok()) return known.plan.backend != backend_id::oracle || !known.key.options.kernel.empty();
  const status_code why = known.outcome.code();
  const bool chosen_by_caller = !known.key.options.kernel.empty();
  if (!chosen_by_caller && (why == status_code::unsupported || why == status_code::not_available)) return false;
  refuse(known.outcome.text());
}

}  // namespace tileglu::torch_extension
