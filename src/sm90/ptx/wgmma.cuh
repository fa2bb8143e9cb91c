// Warpgroup matrix multiply: its fences, its groups, and descriptors of operands in shared memory.
#pragma once

#include "sm90/ptx/shared_address.cuh"
#include "sm90/ptx/wgmma_shapes.cuh"

namespace tileglu::ptx {

/// D [64, N] += A [64, 16] B [N, 16]^T.
template <class Element, int Registers>
__device__ __forceinline__ void wgmma(float (&d)[Registers], std::uint64_t a, std::uint64_t b, int accumulate) {
  wgmma_shape<Element, 2 * Registers>::multiply(d, a, b, accumulate);
}

/// Order earlier writes of the accumulators before the wgmmas that follow.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Close the group of wgmmas issued since the last commit.
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Wait until at most `Pending` groups run.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Keep the compiler from reading `d` ahead of this point.
template <int Registers>
__device__ __forceinline__ void wgmma_results(float (&d)[Registers]) {
#pragma unroll
  for (int i = 0; i < Registers; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// Descriptor of a K-major operand of 64 elements (128 bytes) a row with 128-byte swizzle, 1024-byte aligned: 8 rows are 1024 bytes.
/// 16 elements of K further is + 2, in units of 16 bytes.
__device__ __forceinline__ std::uint64_t wgmma_operand(const void* p) {
  constexpr std::uint64_t leading_bytes = 16 >> 4, stride_bytes = 1024 >> 4, swizzle_128 = 1;
  return ((shared_address(p) & 0x3ffffu) >> 4) | (leading_bytes << 16) | (stride_bytes << 32) | (swizzle_128 << 62);
}

}  // namespace tileglu::ptx
