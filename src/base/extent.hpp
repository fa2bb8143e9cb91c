// What a matrix in memory occupies, and the checks of a pointer that a caller hands in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu::base {

inline status bad(std::string text) { return {status_code::invalid_argument, std::move(text)}; }

/// The bytes of an argument: [begin, end).
struct extent {
  const char* argument;
  std::uintptr_t begin, end;
};

/// From the first to past the last byte of a matrix of `rows` rows of `width` elements, `stride` apart.
inline extent matrix(const char* argument, const void* data, std::int64_t rows, std::int64_t width, std::int64_t stride, dtype type) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::int64_t elements = rows == 0 || width == 0 ? 0 : (rows - 1) * stride + width;
  return {argument, begin, begin + static_cast<std::uintptr_t>(elements) * size_of(type)};
}

inline bool overlap(const extent& a, const extent& b) { return a.begin < b.end && b.begin < a.end; }

inline std::string hex(std::uintptr_t value) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[value % 16]);
  while (value /= 16);
  return "0x" + text;
}

/// Is it there, and a multiple of `alignment`? An empty extent may be null.
inline status check_pointer(const extent& e, std::size_t alignment) {
  if (e.begin == e.end) return {};
  if (e.begin == 0) return bad(std::string(e.argument) + " is null; allowed is a pointer to " + std::to_string(e.end - e.begin) + " bytes");
  if (e.begin % alignment)
    return bad(std::string(e.argument) + " is " + hex(e.begin) + "; allowed are addresses that are multiples of " + std::to_string(alignment));
  return {};
}

}  // namespace tileglu::base
