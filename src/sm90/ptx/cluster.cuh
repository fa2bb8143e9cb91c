// Clusters: CTAs that run together and see each other's shared memory.
#pragma once

namespace tileglu::ptx {

__device__ __forceinline__ int cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

/// Every thread of every CTA of the cluster meets here.
__device__ __forceinline__ void cluster_sync() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

}  // namespace tileglu::ptx
