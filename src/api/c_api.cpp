// The C ABI of problem -> plan -> run: each function converts, calls the C++ function of the same name, and reports.
#include <algorithm>
#include <string>
#include <vector>

#include "api/c_convert.hpp"
#include "tileglu/info.hpp"
#include "tileglu/names.hpp"
#include "tileglu/reference.hpp"
#include "tileglu/version.hpp"

using namespace tileglu;
using namespace tileglu::c_abi;

namespace {

// One number, two headers: the C++ enums and those of tileglu.h.
template <class Enum>
constexpr bool same(Enum a, int b) {
  return static_cast<int>(a) == b;
}
static_assert(same(status_code::ok, TILEGLU_OK) && same(status_code::invalid_argument, TILEGLU_INVALID_ARGUMENT) &&
              same(status_code::unsupported, TILEGLU_UNSUPPORTED) && same(status_code::not_available, TILEGLU_NOT_AVAILABLE) &&
              same(status_code::workspace_too_small, TILEGLU_WORKSPACE_TOO_SMALL) && same(status_code::wrong_device, TILEGLU_WRONG_DEVICE) &&
              same(status_code::device_error, TILEGLU_DEVICE_ERROR) && same(status_code::out_of_memory, TILEGLU_OUT_OF_MEMORY) &&
              same(status_code::io_error, TILEGLU_IO_ERROR) && same(status_code::bad_file, TILEGLU_BAD_FILE) &&
              same(status_code::internal, TILEGLU_INTERNAL));
static_assert(same(dtype::bf16, TILEGLU_BF16) && same(dtype::fp16, TILEGLU_FP16));
static_assert(same(weight_layout::separate, TILEGLU_SEPARATE) && same(weight_layout::stacked_gate_up, TILEGLU_STACKED_GATE_UP) &&
              same(weight_layout::stacked_up_gate, TILEGLU_STACKED_UP_GATE) && same(weight_layout::interleaved, TILEGLU_INTERLEAVED));
static_assert(same(activation_kind::silu, TILEGLU_SILU) && same(activation_kind::gelu_tanh, TILEGLU_GELU_TANH) &&
              same(activation_kind::gelu_erf, TILEGLU_GELU_ERF) && same(activation_kind::relu, TILEGLU_RELU) &&
              same(activation_kind::sigmoid, TILEGLU_SIGMOID) && same(activation_kind::identity, TILEGLU_IDENTITY) &&
              same(activation_kind::gpt_oss, TILEGLU_GPT_OSS));
static_assert(same(numerics::fp32_through, TILEGLU_FP32_THROUGH) && same(numerics::match_unfused, TILEGLU_MATCH_UNFUSED));
static_assert(same(backend_id::automatic, TILEGLU_AUTOMATIC) && same(backend_id::oracle, TILEGLU_ORACLE) && same(backend_id::cpu, TILEGLU_CPU) &&
              same(backend_id::cuda_portable, TILEGLU_CUDA_PORTABLE) && same(backend_id::sm90, TILEGLU_SM90));
static_assert(same(device_kind::cpu, TILEGLU_DEVICE_CPU) && same(device_kind::cuda, TILEGLU_DEVICE_CUDA));

template <class Enum>
std::int32_t number(const char* word, result<Enum> (*by_name)(std::string_view)) noexcept try {
  if (word == nullptr) return -1;
  const auto value = by_name(word);
  return value ? static_cast<std::int32_t>(*value) : -1;
} catch (...) {
  return -1;
}

}  // namespace

// ---- version, errors, words: name() gives literals, which end with 0 ----

const char* tileglu_version(void) { return version().data(); }
std::int32_t tileglu_abi_version(void) { return TILEGLU_ABI_VERSION; }
const char* tileglu_status_name(tileglu_status code) { return name(static_cast<status_code>(code)).data(); }
const char* tileglu_last_error(void) { return last_error_text(); }

std::int32_t tileglu_dtype_by_name(const char* word) { return number(word, dtype_by_name); }
std::int32_t tileglu_layout_by_name(const char* word) { return number(word, layout_by_name); }
std::int32_t tileglu_activation_by_name(const char* word) { return number(word, activation_by_name); }
std::int32_t tileglu_numerics_by_name(const char* word) { return number(word, numerics_by_name); }
std::int32_t tileglu_backend_by_name(const char* word) { return number(word, backend_by_name); }
const char* tileglu_dtype_name(std::int32_t value) { return name(static_cast<dtype>(value)).data(); }
const char* tileglu_layout_name(std::int32_t value) { return name(static_cast<weight_layout>(value)).data(); }
const char* tileglu_activation_name(std::int32_t value) { return name(static_cast<activation_kind>(value)).data(); }
const char* tileglu_numerics_name(std::int32_t value) { return name(static_cast<numerics>(value)).data(); }
const char* tileglu_backend_name(std::int32_t value) { return name(static_cast<backend_id>(value)).data(); }

// ---- devices ----

tileglu_status tileglu_device_create(const char* name, tileglu_device** out) {
  return guard([&]() -> status {
    if (out == nullptr) return null_argument("out");
    *out = nullptr;
    if (name == nullptr) return null_argument("name");
    auto facts = device_by_name(name);
    if (!facts) return facts.error();
    *out = new tileglu_device{*std::move(facts)};
    return {};
  });
}

void tileglu_device_destroy(tileglu_device* device) { delete device; }

tileglu_status tileglu_device_get_facts(const tileglu_device* device, tileglu_device_facts* out) {
  return guard([&]() -> status {
    if (device == nullptr) return null_argument("device");
    if (out == nullptr) return null_argument("out");
    const device_facts& d = device->facts;
    *out = {};
    d.name.copy(out->name, sizeof out->name - 1);
    out->kind = static_cast<std::int32_t>(d.kind);
    out->ordinal = d.ordinal;
    out->compute_capability = d.compute_capability;
    out->sm_count = d.sm_count;
    out->l2_bytes = d.l2_bytes;
    out->shared_bytes_per_block = d.shared_bytes_per_block;
    out->driver_version = d.driver_version;
    out->sm90_kernels_built = d.sm90_kernels_built;
    out->memory_bytes_per_second = d.memory_bytes_per_second;
    out->threads = d.threads;
    out->avx2 = d.avx2;
    out->avx512_bf16 = d.avx512_bf16;
    out->amx_bf16 = d.amx_bf16;
    out->cache_bytes = d.cache_bytes;
    out->onednn = d.onednn;
    return {};
  });
}

const char* tileglu_backend_missing(std::int32_t backend) {
  static thread_local std::string text;
  try {
    text = "backend is " + std::to_string(backend) + "; allowed are 1 to " + std::to_string(TILEGLU_SM90);
    for (const backend_info& info : list_backends())
      if (same(info.id, backend)) text = info.missing;
    return text.c_str();
  } catch (...) {
    return "out_of_memory";
  }
}

// ---- problem -> plan ----

tileglu_status tileglu_validate(const tileglu_problem* p) {
  return guard([&]() -> status {
    if (p == nullptr) return null_argument("problem");
    const auto converted = convert(*p);
    return converted ? validate(*converted) : converted.error();
  });
}

tileglu_status tileglu_plan_create(const tileglu_problem* p, const tileglu_device* device, const tileglu_options* options, tileglu_plan** out) {
  return guard([&]() -> status {
    if (out == nullptr) return null_argument("out");
    *out = nullptr;
    if (p == nullptr) return null_argument("problem");
    if (device == nullptr) return null_argument("device");
    const auto converted = convert(*p);
    if (!converted) return converted.error();
    const auto wanted = convert(options);
    if (!wanted) return wanted.error();
    auto made = plan(*converted, device->facts, *wanted);
    if (!made) return made.error();
    std::string explanation = explain(*made);
    *out = new tileglu_plan{*std::move(made), std::move(explanation)};
    return {};
  });
}

void tileglu_plan_destroy(tileglu_plan* plan) { delete plan; }

std::size_t tileglu_plan_workspace_bytes(const tileglu_plan* plan) { return plan ? workspace_bytes(plan->value) : 0; }
const char* tileglu_plan_row(const tileglu_plan* plan) { return plan ? plan->value.row.c_str() : ""; }
std::int32_t tileglu_plan_backend(const tileglu_plan* plan) { return plan ? static_cast<std::int32_t>(plan->value.backend) : 0; }
double tileglu_plan_cost_us(const tileglu_plan* plan) { return plan ? plan->value.cost_us : 0; }
const char* tileglu_plan_reason(const tileglu_plan* plan) { return plan ? plan->value.reason.c_str() : ""; }
const char* tileglu_plan_explain(const tileglu_plan* plan) { return plan ? plan->explanation.c_str() : ""; }
std::size_t tileglu_plan_candidate_count(const tileglu_plan* plan) { return plan ? plan->value.considered.size() : 0; }

tileglu_status tileglu_plan_get_candidate(const tileglu_plan* plan, std::size_t index, tileglu_candidate* out) {
  return guard([&]() -> status {
    if (plan == nullptr) return null_argument("plan");
    if (out == nullptr) return null_argument("out");
    const auto& considered = plan->value.considered;
    if (index >= considered.size())
      return {status_code::invalid_argument,
              "index is " + std::to_string(index) + "; allowed are 0 to " + std::to_string(considered.size()) + " - 1"};
    const candidate& c = considered[index];
    *out = {c.row.c_str(), c.reason.c_str(), c.cost_us, static_cast<std::int32_t>(c.backend), c.refused};
    return {};
  });
}

namespace {
const std::vector<std::string>* all_kernels() noexcept try {
  static const std::vector<std::string> names = kernel_names();
  return &names;
} catch (...) {
  return nullptr;
}
}  // namespace

std::size_t tileglu_kernel_count(void) { return all_kernels() ? all_kernels()->size() : 0; }
const char* tileglu_kernel_name(std::size_t index) { return index < tileglu_kernel_count() ? (*all_kernels())[index].c_str() : nullptr; }

// ---- plan -> run ----

tileglu_status tileglu_prepare(const tileglu_plan* plan) {
  return guard([&]() -> status { return plan ? prepare(plan->value) : null_argument("plan"); });
}

tileglu_status tileglu_run(const tileglu_plan* plan, const tileglu_tensors* t, tileglu_stream stream) {
  return guard([&]() -> status {
    if (plan == nullptr) return null_argument("plan");
    if (t == nullptr) return null_argument("tensors");
    const auto converted = convert(*t);
    return converted ? run(plan->value, *converted, stream) : converted.error();
  });
}

tileglu_status tileglu_gated_linear(const tileglu_problem* p, const tileglu_tensors* t, tileglu_stream stream) {
  return guard([&]() -> status {
    if (p == nullptr) return null_argument("problem");
    if (t == nullptr) return null_argument("tensors");
    const auto converted = convert(*p);
    if (!converted) return converted.error();
    const auto memory = convert(*t);
    return memory ? gated_linear(*converted, *memory, stream) : memory.error();
  });
}

tileglu_status tileglu_reference(const tileglu_problem* p, const tileglu_tensors* t, std::int64_t row_begin, std::int64_t row_end,
                                 std::int32_t single, double* out) {
  return guard([&]() -> status {
    if (p == nullptr) return null_argument("problem");
    if (t == nullptr) return null_argument("tensors");
    if (out == nullptr) return null_argument("out");
    if (status s = check_switch("", "single", single); !s.ok()) return s;
    const auto converted = convert(*p);
    if (!converted) return converted.error();
    const auto memory = convert(*t);
    if (!memory) return memory.error();
    const auto values = (single == 1 ? float32_gated_linear : reference_gated_linear)(*converted, *memory, row_begin, row_end);
    if (!values) return values.error();
    std::copy(values->begin(), values->end(), out);
    return {};
  });
}
