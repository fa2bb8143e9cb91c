#pragma once

#include <string_view>

#include "tileglu/export.h"

namespace tileglu {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

/// "0.1.0", of the library that is linked, which may not be that of the headers.
TILEGLU_API std::string_view version() noexcept;

}  // namespace tileglu
