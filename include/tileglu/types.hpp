// The words of a gated MLP problem: element types, weight layouts, activations, numerics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "tileglu/export.h"

namespace tileglu {

/// Element type of activations, weights and outputs. Accumulation is float32 for both.
enum class dtype : std::int32_t { bf16 = 0, fp16 = 1 };

/// How the gate and up weights lie in memory. Every matrix is K-major: one row of K elements per output column,
/// as `torch.nn.Linear.weight` stores it.
enum class weight_layout : std::int32_t {
  separate = 0,         ///< two matrices [N, K]
  stacked_gate_up = 1,  ///< one matrix [2N, K]: the N gate rows, then the N up rows
  stacked_up_gate = 2,  ///< one matrix [2N, K]: the N up rows, then the N gate rows
  interleaved = 3,      ///< one matrix [2N, K]: g0, u0, g1, u1, ... (the paper's W_fused, as K-major rows)
};

/// The function applied to the gate.
enum class activation_kind : std::int32_t {
  silu = 0,       ///< x * sigmoid(x)
  gelu_tanh = 1,  ///< 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  gelu_erf = 2,   ///< 0.5 x (1 + erf(x / sqrt(2)))
  relu = 3,       ///< max(x, 0)
  sigmoid = 4,    ///< 1 / (1 + exp(-x)): the original GLU
  identity = 5,   ///< x: the bilinear unit
  gpt_oss = 6,    ///< x * sigmoid(alpha x), and 1 is added to up (gpt-oss's SwiGLU)
};

/// An activation with its constants. `limit` clamps before the activation: gate to (-inf, limit], up to [-limit, limit].
struct activation {
  activation_kind kind = activation_kind::silu;
  float alpha = 1.0f;                                     ///< used by gpt_oss only
  float limit = std::numeric_limits<float>::infinity();  ///< > 0; infinity: no clamp

  friend bool operator==(const activation&, const activation&) = default;
};

/// gpt-oss's activation: alpha 1.702, limit 7, up + 1 (openai/gpt-oss, `swiglu`).
constexpr activation gpt_oss_activation() { return {activation_kind::gpt_oss, 1.702f, 7.0f}; }

/// Where values are rounded to the element type.
enum class numerics : std::int32_t {
  fp32_through = 0,   ///< float32 from the first product to the last; one rounding, at the store
  match_unfused = 1,  ///< gate, up and act(gate) rounded to the element type, as separate kernels would store them
};

TILEGLU_API std::string_view name(dtype value) noexcept;
TILEGLU_API std::string_view name(weight_layout value) noexcept;
TILEGLU_API std::string_view name(activation_kind value) noexcept;
TILEGLU_API std::string_view name(numerics value) noexcept;

/// Bytes of one element.
constexpr std::size_t size_of(dtype) noexcept { return 2; }

}  // namespace tileglu
