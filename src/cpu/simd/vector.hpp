// Vectors of `Lanes` floats by the compiler's vector extension, and the conversions that every instruction set can do this way.
// Everything here is a template over a type that is local to one source file: each instruction set gets functions of its own, so the
// linker can't hand code that was compiled for AVX-512 to a machine without it. For the same reason no std function is called.
#pragma once

#include <cstdint>

#include "tileglu/types.hpp"

namespace tileglu::cpu {

template <int Lanes>
struct vectors {
  typedef float f __attribute__((vector_size(4 * Lanes)));
  typedef std::int32_t i __attribute__((vector_size(4 * Lanes)));
  typedef std::uint32_t u __attribute__((vector_size(4 * Lanes)));
  typedef std::uint16_t h __attribute__((vector_size(2 * Lanes)));
};

template <class To, class From>
inline __attribute__((always_inline)) To load_as(const From* p) {
  To v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

template <class To, class V>
inline __attribute__((always_inline)) void store_as(To* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}

/// What an instruction set can do with plain vector operations; it derives from this and replaces what it does better.
template <class Isa, int Lanes>
struct vector_isa {
  using f = typename vectors<Lanes>::f;
  using i = typename vectors<Lanes>::i;
  using u = typename vectors<Lanes>::u;
  using h = typename vectors<Lanes>::h;
  static constexpr int lanes = Lanes;

  static f all(float value) { return f{} + value; }
  static f load(const float* p) { return load_as<f>(p); }
  static void store(float* p, f v) { store_as(p, v); }
  static f at_most(f x, f limit) { return x > limit ? limit : x; }   // a NaN stays
  static f at_least(f x, f limit) { return x < limit ? limit : x; }  // a NaN stays

  static f bf16_to_float(h bits) { return (f)(__builtin_convertvector(bits, u) << 16); }

  static h float_to_bf16(f value) {
    const u bits = (u)value;
    const u rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const u nan = (bits >> 16) | 0x40;
    return __builtin_convertvector((value == value) ? rounded : nan, h);
  }

  // The formulas of base/convert.hpp, lane by lane.
  static f fp16_to_float(h half) {
    const u bits = __builtin_convertvector(half, u);
    const u sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    const u scaled = (u)((f)(magnitude << 13) * all(0x1p112f));
    const u special = 0x7f800000u | ((magnitude & 0x3ffu) << 13);
    return (f)(((magnitude >= 0x7c00u) ? special : scaled) | sign);
  }

  static h float_to_fp16(f value) {
    const u bits = (u)value;
    const u sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    const u normal = ((magnitude + 0xfff + ((magnitude >> 13) & 1)) - 0x38000000u) >> 13;
    const u subnormal = (u)((f)magnitude + 0.5f) - 0x3f000000u;
    u result = (magnitude < 0x38800000u) ? subnormal : normal;
    result = (magnitude >= 0x477ff000u) ? (u{} + 0x7c00u) : result;
    result = (magnitude > 0x7f800000u) ? (u{} + 0x7e00u) : result;
    return __builtin_convertvector(result | sign, h);
  }

  static f widen(dtype type, const std::uint16_t* p) {
    const h bits = load_as<h>(p);
    return type == dtype::bf16 ? Isa::bf16_to_float(bits) : Isa::fp16_to_float(bits);
  }
  static h narrow(dtype type, f value) { return type == dtype::bf16 ? Isa::float_to_bf16(value) : Isa::float_to_fp16(value); }
  static f round_to(dtype type, f value) {
    return type == dtype::bf16 ? Isa::bf16_to_float(Isa::float_to_bf16(value)) : Isa::fp16_to_float(Isa::float_to_fp16(value));
  }

  /// The first `count` <= Lanes elements, zeros after them; reads no byte past them.
  static f widen_some(dtype type, const std::uint16_t* p, std::int64_t count) {
    std::uint16_t padded[Lanes] = {};
    for (std::int64_t l = 0; l < count; ++l) padded[l] = p[l];
    return widen(type, padded);
  }

  /// The sum of the lanes, always in the same order.
  static float sum(f v) {
    float part[Lanes];
    store(part, v);
    for (int width = Lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) part[l] += part[l + width];
    return part[0];
  }
};

}  // namespace tileglu::cpu
