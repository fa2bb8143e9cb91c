// The activations, on vectors. Errors are a few units of float32's last place, 2^-13 of what the store to fp16 rounds away.
#pragma once

#include "tileglu/types.hpp"

namespace tileglu::cpu {

template <class Isa>
struct math {
  using f = typename Isa::f;
  using i = typename Isa::i;

  /// e^x: x = n ln 2 + r with |r| <= ln 2 / 2, a polynomial of degree 6 for e^r (relative error 2^-24), then 2^n in two factors so that
  /// results below 2^-126 and overflow to infinity come out as float32's. A NaN stays.
  static f exp(f x) {
    x = Isa::at_least(Isa::at_most(x, Isa::all(89.0f)), Isa::all(-104.0f));
    const f shift = Isa::all(0x1.8p23f);  // adding it rounds to an integer, which then stands in the low bits
    const f shifted = x * 1.44269504088896341f + shift;
    const f n = shifted - shift;
    const f r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    f p = r * 1.3930548e-3f + 8.3686800e-3f;
    p = p * r + 4.1665795e-2f;
    p = p * r + 1.6666577e-1f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1.0f;
    const i power = (i)shifted - (i)shift;
    const i half = power >> 1;
    return p * (f)((half + 127) << 23) * (f)((power - half + 127) << 23);
  }

  static f sigmoid(f x) { return 1.0f / (1.0f + exp(-x)); }

  /// erfc(z) for z >= 0 by a Chebyshev fit (Numerical Recipes, 'erfcc': relative error 1.2e-7 everywhere).
  static f erfc(f z) {
    const f t = 1.0f / (1.0f + 0.5f * z);
    f p = t * 0.17087277f - 0.82215223f;
    p = p * t + 1.48851587f;
    p = p * t - 1.13520398f;
    p = p * t + 0.27886807f;
    p = p * t - 0.18628806f;
    p = p * t + 0.09678418f;
    p = p * t + 0.37409196f;
    p = p * t + 1.00002368f;
    p = p * t - 1.26551223f;
    return t * exp(p - z * z);
  }

  /// act(gate), gate already clamped. 1 + tanh(u) is written 2 sigmoid(2u), and 1 + erf as erfc: nothing cancels for negative gates.
  template <activation_kind Kind>
  static f apply(f g, float alpha) {
    if constexpr (Kind == activation_kind::silu) return g * sigmoid(g);
    if constexpr (Kind == activation_kind::gelu_tanh) return g * sigmoid(1.5957691216057308f * (g + 0.044715f * g * g * g));
    if constexpr (Kind == activation_kind::gelu_erf) {
      const f z = g * 0.70710678118654752f;
      const f tail = erfc((z < 0.0f) ? -z : z);
      return 0.5f * g * ((g < 0.0f) ? tail : 2.0f - tail);
    }
    if constexpr (Kind == activation_kind::relu) return (g <= 0.0f) ? f{} : g;
    if constexpr (Kind == activation_kind::sigmoid) return sigmoid(g);
    if constexpr (Kind == activation_kind::identity) return g;
    if constexpr (Kind == activation_kind::gpt_oss) return g * sigmoid(alpha * g);
  }
};

}  // namespace tileglu::cpu
