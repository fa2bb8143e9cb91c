#include "tileglu/plan.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"
#include "tileglu/version.hpp"

namespace tileglu {

std::string_view name(dtype value) noexcept {
  switch (value) {
    case dtype::bf16: return "bf16";
    case dtype::fp16: return "fp16";
  }
  return "unknown dtype";
}

std::string_view name(weight_layout value) noexcept {
  switch (value) {
    case weight_layout::separate: return "separate";
    case weight_layout::stacked_gate_up: return "stacked_gate_up";
    case weight_layout::stacked_up_gate: return "stacked_up_gate";
    case weight_layout::interleaved: return "interleaved";
  }
  return "unknown layout";
}

std::string_view name(activation_kind value) noexcept {
  switch (value) {
    case activation_kind::silu: return "silu";
    case activation_kind::gelu_tanh: return "gelu_tanh";
    case activation_kind::gelu_erf: return "gelu_erf";
    case activation_kind::relu: return "relu";
    case activation_kind::sigmoid: return "sigmoid";
    case activation_kind::identity: return "identity";
    case activation_kind::gpt_oss: return "gpt_oss";
  }
  return "unknown activation";
}

std::string_view name(numerics value) noexcept {
  switch (value) {
    case numerics::fp32_through: return "fp32_through";
    case numerics::match_unfused: return "match_unfused";
  }
  return "unknown numerics";
}

std::string_view name(status_code value) noexcept {
  switch (value) {
    case status_code::ok: return "ok";
    case status_code::invalid_argument: return "invalid_argument";
    case status_code::unsupported: return "unsupported";
    case status_code::not_available: return "not_available";
    case status_code::workspace_too_small: return "workspace_too_small";
    case status_code::wrong_device: return "wrong_device";
    case status_code::device_error: return "device_error";
    case status_code::out_of_memory: return "out_of_memory";
    case status_code::io_error: return "io_error";
    case status_code::bad_file: return "bad_file";
    case status_code::internal: return "internal";
  }
  return "unknown status";
}

std::string_view name(backend_id value) noexcept {
  switch (value) {
    case backend_id::automatic: return "automatic";
    case backend_id::oracle: return "oracle";
    case backend_id::cpu: return "cpu";
    case backend_id::cuda_portable: return "cuda_portable";
    case backend_id::sm90: return "sm90";
  }
  return "unknown backend";
}

std::string_view version() noexcept { return TILEGLU_VERSION_TEXT; }

}  // namespace tileglu
