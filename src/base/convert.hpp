// Software conversions between float and the 16-bit element types, round to nearest even, on any machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tileglu/types.hpp"

namespace tileglu::base {

inline float bf16_to_float(std::uint16_t bits) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

inline std::uint16_t float_to_bf16(float value) noexcept {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);  // keep it a NaN when the payload is cut
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<std::uint16_t>(bits >> 16);
}

inline float fp16_to_float(std::uint16_t bits) noexcept {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ff) << 13));
  // Shifting the fields into float's places leaves the exponent 112 too small; one exact multiplication mends it, subnormals included.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

inline std::uint16_t float_to_fp16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and above round to infinity
  if (magnitude < 0x38800000u) {  // below 2^-14: a subnormal; adding 0.5 puts the unit of rounding at 2^-24
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f)));
  }
  const std::uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float to_float(dtype type, std::uint16_t bits) noexcept {
  return type == dtype::bf16 ? bf16_to_float(bits) : fp16_to_float(bits);
}

inline std::uint16_t from_float(dtype type, float value) noexcept {
  return type == dtype::bf16 ? float_to_bf16(value) : float_to_fp16(value);
}

/// Round a double once to the element type: through float with round-to-odd, so that the two roundings make one.
inline std::uint16_t from_double_once(dtype type, double value) noexcept {
  auto narrow = static_cast<float>(value);
  if (std::isfinite(narrow) && static_cast<double>(narrow) != value) {
    auto bits = std::bit_cast<std::uint32_t>(narrow);
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value)) bits -= 1;  // truncate toward zero ...
    narrow = std::bit_cast<float>(bits | 1u);                                  // ... and mark what was cut
  }
  return from_float(type, narrow);
}

}  // namespace tileglu::base
