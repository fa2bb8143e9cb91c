// Addresses in the shared window, as PTX takes them.
#pragma once

#include <cstdint>

namespace tileglu::ptx {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }

}  // namespace tileglu::ptx
