// The element types of the safetensors format.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tileglu::weights {

struct element_type {
  std::string_view name;
  unsigned bits;
};

inline constexpr std::array element_types = {
    element_type{"BF16", 16},   element_type{"F16", 16},    element_type{"F32", 32},    element_type{"F64", 64},    element_type{"I64", 64},
    element_type{"I32", 32},    element_type{"I16", 16},    element_type{"I8", 8},      element_type{"U64", 64},    element_type{"U32", 32},
    element_type{"U16", 16},    element_type{"U8", 8},      element_type{"BOOL", 8},    element_type{"F8_E4M3", 8}, element_type{"F8_E5M2", 8},
    element_type{"F8_E8M0", 8}, element_type{"F6_E2M3", 6}, element_type{"F6_E3M2", 6}, element_type{"F4", 4},      element_type{"C64", 64},
};

/// Bits of an element, 0 for an unknown type.
constexpr unsigned bits_of_type(std::string_view name) noexcept {
  for (const element_type& type : element_types)
    if (type.name == name) return type.bits;
  return 0;
}

inline std::string known_types() {
  std::string text;
  for (const element_type& type : element_types) text += (text.empty() ? "" : ", ") + std::string(type.name);
  return text;
}

}  // namespace tileglu::weights
