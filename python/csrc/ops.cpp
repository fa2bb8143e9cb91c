// The operators of torch.ops.tileglu, registered when the library is loaded. Python adds what needs symbolic shapes: the fake
// functions, the gradients, the casts of autocast and the unfused path (python/tileglu/_library.py).
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "device.hpp"
#include "tileglu/tileglu.hpp"

namespace tileglu::torch_extension {
namespace {

const std::string gated_arguments =
    "Tensor x, Tensor w, Tensor? w_up=None, Tensor? bias_gate=None, Tensor? bias_up=None, int layout=0, int activation=0, float alpha=1.0, "
    "float limit=0.0, int numerics=0, bool prefetch_weights=False, str kernel_name=\"\"";

/// plain_gated_linear with the words that most models have as their default: from Python a number costs a call 0.25 us (EPYC), a default
/// nothing. Python finds them here by their schemas.
constexpr struct {
  const char* name;
  int words;
} usual_calls[] = {
    {"plain_silu", words_of(weight_layout::separate, activation_kind::silu)},
    {"plain_silu_gate_up", words_of(weight_layout::stacked_gate_up, activation_kind::silu)},
    {"plain_gelu_tanh", words_of(weight_layout::separate, activation_kind::gelu_tanh)},
    {"plain_gelu_tanh_gate_up", words_of(weight_layout::stacked_gate_up, activation_kind::gelu_tanh)},
};

std::string plain_schema(const std::string& name, const std::string& words) {
  return name + "(Tensor x, Tensor w, Tensor w_up, int " + words + ") -> Tensor";
}

/// The unfused path, in torch: python/tileglu/_unfused.py. What no kernel computes is computed there.
tensor unfused(const arguments& given) {
  std::array<torch_slot, arguments::count> stack;
  given.give_all(stack.data());
  if (torch_call_dispatcher("tileglu::unfused_gated_linear", "", stack.data(), aoti_torch_abi_version()) != 0)
    refuse("no kernel computes this problem on this device, and the unfused path failed (it needs Python's tileglu package)");
  return take_tensor(stack[0]);
}

void run_plan(const call& c, const cached_plan& known, void* y) {
  tensors t{.x = c.x.data, .w = c.weights(), .y = y, .bias_gate = c.bias_gate, .bias_up = c.bias_up};
  tensor workspace;
  if (const std::size_t bytes = workspace_bytes(known.plan); bytes > 0) {
    static const std::int32_t uint8 = aoti_torch_dtype_uint8();
    const std::int64_t size = static_cast<std::int64_t>(bytes) + 255;  // torch's CPU allocator aligns to 64 bytes, a plan wants 256
    workspace = empty({&size, 1}, uint8, c.device_type, c.device_index);
    const auto at = reinterpret_cast<std::uintptr_t>(data_of(workspace));
    t.workspace = reinterpret_cast<void*>((at + 255) / 256 * 256);
    t.workspace_bytes = bytes;
  }
  const stream_handle stream = c.key.cuda ? current_cuda_stream(c.device_index) : nullptr;
  status s = run(known.plan, t, stream);
  if (s.code() == status_code::wrong_device) {  // run() asks for the current device anyway: asking first too would cost every call
    const current_device scope(c.device_index);
    s = run(known.plan, t, stream);
  }
  if (s.ok()) return;
  std::string text = s.text().empty() ? std::string(name(s.code())) : s.text();
  if (text.starts_with("y at ")) text.replace(0, 1, "out");  // the library's name for what is out here
  refuse(std::move(text));
}

tensor compute(const arguments& given) {
  const call c(given);
  tensor y = empty(c.y_sizes, c.dtype, c.device_type, c.device_index);
  if (!c.empty()) {
    const auto known = find_plan(c.key);
    if (!runs_in_library(*known)) return unfused(given);
    run_plan(c, *known, data_of(y));
  }
  return y;
}

void gated_linear(torch_slot* stack, std::uint64_t, std::uint64_t) { stack[0] = give(compute(arguments(stack))); }

void plain_gated_linear(torch_slot* stack, std::uint64_t, std::uint64_t) { stack[0] = give(compute(arguments::plain(stack))); }

/// The row stride of `out` where the library can write straight into it, else 0.
std::int64_t writable_stride(const call& c, const tensor_facts& out) {
  const std::int64_t n = c.key.problem.n;
  const std::int64_t stride = row_stride_of(out);
  const bool aligned = !c.key.cuda || (reinterpret_cast<std::uintptr_t>(out.data) % 16 == 0 && (stride % 8 == 0 || n % 8 != 0));
  return stride >= n && aligned ? stride : 0;
}

/// Do two elements lie at one place? Torch's copy notices strides of 0 only.
bool shares_memory(const tensor_facts& t) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] > 1) dimensions.emplace_back(t.strides[i], t.sizes[i]);
  std::ranges::sort(dimensions);
  std::int64_t reach = 0;
  for (const auto& [stride, size] : dimensions) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

void gated_linear_out(torch_slot* stack, std::uint64_t, std::uint64_t) {
  const tensor out = take_tensor(stack[0]);
  const arguments given(stack + 1);
  call c(given);
  const tensor_facts facts = facts_of(out, "out");
  if (facts.dtype != c.dtype || facts.device_type != c.device_type || facts.device_index != c.device_index)
    refuse("out has another dtype or device than x, " + dtype_name(facts.dtype) + " on " + device_name(facts.device_type, facts.device_index) +
           "; allowed are x's, " + dtype_name(c.dtype) + " on " + device_name(c.device_type, c.device_index));
  if (!std::equal(facts.sizes.begin(), facts.sizes.end(), c.y_sizes.begin(), c.y_sizes.end()))
    refuse("out has shape " + text_of(facts.sizes) + "; allowed is " + text_of(c.y_sizes));
  if (c.empty()) return;
  const std::int64_t stride = writable_stride(c, facts);
  if (stride == 0 && shares_memory(facts))
    refuse("out's elements share memory, its strides are " + text_of(facts.strides) + " for shape " + text_of(facts.sizes) +
           "; allowed is a place of its own for each");
  if (stride != 0 && stride != c.key.problem.n) c.key.problem.ldy = stride;
  const auto known = find_plan(c.key);
  if (!runs_in_library(*known)) {
    check(aoti_torch_copy_(out.get(), unfused(given).get(), 0), "copying to out");
    return;
  }
  if (stride != 0) return run_plan(c, *known, facts.data);
  const tensor y = empty(c.y_sizes, c.dtype, c.device_type, c.device_index);
  run_plan(c, *known, data_of(y));
  check(aoti_torch_copy_(out.get(), y.get(), 0), "copying to out");
}

void explain_gated_linear(torch_slot* stack, std::uint64_t, std::uint64_t) {
  const arguments given(stack);
  const call c(given);
  std::string text;
  for (const matrix* m : {&c.x, &c.w, &c.w_up})
    if (!m->why_copied.empty()) text += "copied on every call: " + m->why_copied + "\n";
  if (c.bias_gate_copy || c.bias_up_copy) text += "copied on every call: a bias whose elements are not adjacent\n";
  if (c.empty()) {
    stack[0] = give_text(text + "nothing is computed: the output has no elements\n");
    return;
  }
  const auto known = find_plan(c.key);
  const bool fused = runs_in_library(*known);
  if (!fused) {
    text += "unfused, in torch: " + (known->outcome.ok() ? "only the float64 oracle computes this here" : known->outcome.text()) + "\n";
  }
  auto facts = c.key.cuda ? this_cuda_device(c.key.device_index) : result<device_facts>(this_cpu());
  if (facts) {
    if (auto planned = plan(c.key.problem, *facts, c.key.options); planned) text += explain(*planned);
  }
  stack[0] = give_text(text);
}

/// Owned by the process: torch drops an operator when its library object is deleted.
struct registration {
  registration() {
    torch_library ops = nullptr;
    if (aoti_torch_library_init_def("tileglu", __FILE__, __LINE__, &ops) != 0) return;
    aoti_torch_library_def(ops, ("gated_linear(" + gated_arguments + ") -> Tensor").c_str());
    aoti_torch_library_def(ops, ("gated_linear_out(Tensor(a!) out, " + gated_arguments + ") -> ()").c_str());
    aoti_torch_library_def(ops, ("inference_gated_linear(" + gated_arguments + ") -> Tensor").c_str());
    // The common call, for which twelve arguments cost more than the call (see arguments::plain).
    aoti_torch_library_def(ops, plain_schema("plain_gated_linear", "words").c_str());
    for (const auto& usual : usual_calls) aoti_torch_library_def(ops, plain_schema(usual.name, "words=" + std::to_string(usual.words)).c_str());
    aoti_torch_library_def(ops, ("unfused_gated_linear(" + gated_arguments + ") -> Tensor").c_str());
    aoti_torch_library_def(ops, ("explain(" + gated_arguments + ") -> str").c_str());
    const std::uint64_t abi = aoti_torch_abi_version();
    for (const char* key : {"CPU", "CUDA"}) {
      torch_library kernels = nullptr;
      if (aoti_torch_library_init_impl("tileglu", key, __FILE__, __LINE__, &kernels) != 0) return;
      torch_library_impl(kernels, "gated_linear", gated_linear, abi);
      torch_library_impl(kernels, "inference_gated_linear", gated_linear, abi);
      torch_library_impl(kernels, "plain_gated_linear", plain_gated_linear, abi);
      for (const auto& usual : usual_calls) torch_library_impl(kernels, usual.name, plain_gated_linear, abi);
      torch_library_impl(kernels, "gated_linear_out", gated_linear_out, abi);
      torch_library_impl(kernels, "explain", explain_gated_linear, abi);
    }
  }
};
const registration registered;

}  // namespace
}  // namespace tileglu::torch_extension
