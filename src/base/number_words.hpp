// Numbers in sentences: the same in every locale, and no digits lost.
#pragma once

#include <charconv>
#include <string>

namespace tileglu::base {

/// The shortest text that reads back as `value`: "7", "1.702", "1e-45", "inf".
inline std::string shortest(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// With so many digits after the point: "12.5".
inline std::string fixed(double value, int digits) {
  char text[400];  // 1e308 has 309 digits before the point
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr};
}

/// A compute capability as its vendor writes it: 90 is "9.0".
inline std::string capability(int number) { return std::to_string(number / 10) + "." + std::to_string(number % 10); }

}  // namespace tileglu::base
