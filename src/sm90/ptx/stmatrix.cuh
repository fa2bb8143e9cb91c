// stmatrix: 8 x 8 blocks of 16-bit elements from a warp's registers to shared memory; lane l gives the address of row l.
#pragma once

#include <cstdint>

namespace tileglu::ptx {

__device__ __forceinline__ void stmatrix_x2(std::uint32_t address, const std::uint32_t (&v)[2]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(v[0]), "r"(v[1]) : "memory");
}

__device__ __forceinline__ void stmatrix_x4(std::uint32_t address, const std::uint32_t (&v)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
               : "memory");
}

/// The blocks turned round: lane l holds elements of row l % 4 * 2 and the next, column l / 4.
__device__ __forceinline__ void stmatrix_x2_transposed(std::uint32_t address, const std::uint32_t (&v)[2]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(v[0]), "r"(v[1]) : "memory");
}

__device__ __forceinline__ void stmatrix_x4_transposed(std::uint32_t address, const std::uint32_t (&v)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
               : "memory");
}

}  // namespace tileglu::ptx
