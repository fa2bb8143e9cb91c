// act(gate) * up on the device: what every CUDA kernel of tileglu computes per output, from float32 gate and up.
// Host twin: combine() in src/cpu/oracle.cpp.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/special.cuh"
#include "tileglu/types.hpp"

namespace tileglu::cuda {

/// What of a problem the general epilogue reads; a kernel parameter.
struct epilogue_params {
  activation act;
  bool match_unfused = false;
  bool bias = false;
  const void* bias_gate = nullptr;  ///< [n] elements, where bias
  const void* bias_up = nullptr;    ///< [n] elements, where bias
};

/// silu, fp32_through, no bias, no clamp: what the `silu` epilogue covers; everything else is the `general` one's.
inline bool is_plain_silu(const activation& act, bool bias, numerics mode) {
  return act.kind == activation_kind::silu && act.limit == std::numeric_limits<float>::infinity() && !bias && mode == numerics::fp32_through;
}

template <class Element>
__device__ __forceinline__ float to_float(Element v);
template <>
__device__ __forceinline__ float to_float(__nv_bfloat16 v) { return __bfloat162float(v); }
template <>
__device__ __forceinline__ float to_float(__half v) { return __half2float(v); }

template <class Element>
__device__ __forceinline__ Element from_float(float v);
template <>
__device__ __forceinline__ __nv_bfloat16 from_float(float v) { return __float2bfloat16_rn(v); }
template <>
__device__ __forceinline__ __half from_float(float v) { return __float2half_rn(v); }

template <class Element>
__device__ __forceinline__ float round_to(float v) { return to_float<Element>(from_float<Element>(v)); }

/// Two neighbouring outputs in one register, the first in the low half.
template <class Element>
__device__ __forceinline__ unsigned pack_two(float low, float high);
template <>
__device__ __forceinline__ unsigned pack_two<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&v);
}
template <>
__device__ __forceinline__ unsigned pack_two<__half>(float low, float high) {
  const __half2 v = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&v);
}

/// 1 / (1 + exp(-x)) by two special-function instructions.
__device__ __forceinline__ float sigmoid(float x) { return rcp(1.0f + ex2(x * -1.4426950408889634f)); }

__device__ __forceinline__ float silu(float x) { return x * sigmoid(x); }

/// The plain silu epilogue.
__device__ __forceinline__ float finish_silu(float gate, float up) { return silu(gate) * up; }

__device__ __forceinline__ float activate(const activation& act, float g) {
  switch (act.kind) {
    case activation_kind::silu: return silu(g);
    // 0.5 (1 + tanh(u)) = sigmoid(2u), which keeps its relative accuracy where tanh is near -1.
    case activation_kind::gelu_tanh: return g * sigmoid(1.5957691216057308f * (g + 0.044715f * g * g * g));
    case activation_kind::gelu_erf: return 0.5f * g * erfcf(g * -0.7071067811865476f);
    case activation_kind::relu: return g > 0 || isnan(g) ? g : 0.0f;
    case activation_kind::sigmoid: return sigmoid(g);
    case activation_kind::identity: return g;
    case activation_kind::gpt_oss: return g * sigmoid(act.alpha * g);
  }
  return g;
}

/// Everything a problem can ask for. `bias_gate`, `bias_up`: this column's, 0 where there is none. Comparisons let a NaN through.
template <class Element>
__device__ __forceinline__ float finish_general(const epilogue_params& p, float gate, float up, float bias_gate, float bias_up) {
  gate += bias_gate;
  up += bias_up;
  if (p.match_unfused) {
    gate = round_to<Element>(gate);
    up = round_to<Element>(up);
  }
  const float limit = p.act.limit;
  gate = gate > limit ? limit : gate;
  up = up > limit ? limit : up;
  up = up < -limit ? -limit : up;
  if (p.act.kind == activation_kind::gpt_oss) {
    up += 1.0f;
    if (p.match_unfused) up = round_to<Element>(up);
  }
  float activated = activate(p.act, gate);
  if (p.match_unfused) activated = round_to<Element>(activated);
  return activated * up;
}

/// A column's bias; 0 where there is none or the column is past the end.
template <class Element>
__device__ __forceinline__ float load_bias(const epilogue_params& p, const void* bias, long long column, long long n) {
  return p.bias && column < n ? to_float<Element>(static_cast<const Element*>(bias)[column]) : 0.0f;
}

}  // namespace tileglu::cuda
