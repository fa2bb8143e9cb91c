// mbarrier: a shared-memory barrier that counts arrivals and bytes, and flips a phase when both are in.
#pragma once

#include "sm90/ptx/shared_address.cuh"

namespace tileglu::ptx {

__device__ __forceinline__ void mbarrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/// Make initialised barriers visible to the cluster and to TMA.
__device__ __forceinline__ void mbarrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/// Arrive once and announce `bytes` that TMA will bring.
__device__ __forceinline__ void mbarrier_expect(std::uint64_t* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbarrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Arrive on the same barrier of CTA `rank` of this cluster. Without `.release.cluster`, which compiles to MEMBAR.ALL.GPU in the
/// main loop and costs 30 %: what it would order here are wgmma's reads, and wgmma's own wait has ordered them.
__device__ __forceinline__ void mbarrier_arrive_at(std::uint64_t* barrier, int rank) {
  asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(
                   shared_address(barrier)),
               "r"(rank)
               : "memory");
}

/// Wait until the phase of `parity` has ended.
__device__ __forceinline__ void mbarrier_wait(std::uint64_t* barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra ended;\nbra again;\nended:\n}" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}

}  // namespace tileglu::ptx
