// TMA: boxes of a matrix between device and shared memory. Coordinates are (column, row) of the box's first element.
#pragma once

#include <cuda.h>

#include "sm90/ptx/shared_address.cuh"

namespace tileglu::ptx {

/// Fetch the descriptor ahead of its first use.
__device__ __forceinline__ void tma_prefetch_map(const CUtensorMap* map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"); }

__device__ __forceinline__ void tma_load(void* to, const CUtensorMap* map, std::uint64_t* barrier, int column, int row) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
               "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row)
               : "memory");
}

/// L2's eviction priority for the lines of a load, as createpolicy.fractional makes it for all lines: the normal one, or the last to go.
__device__ __forceinline__ std::uint64_t l2_priority(bool hold) { return hold ? 0x14F0000000000000 : 0x1000000000000000; }

/// The same, by a priority in L2.
__device__ __forceinline__ void tma_load(void* to, const CUtensorMap* map, std::uint64_t* barrier, int column, int row, std::uint64_t priority) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
          shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "l"(priority)
      : "memory");
}

/// The same box into the same place of every CTA whose bit is set in `ctas`; each one's barrier counts its bytes.
__device__ __forceinline__ void tma_load_multicast(void* to, const CUtensorMap* map, std::uint64_t* barrier, int column, int row,
                                                   std::uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
          shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(ctas)
      : "memory");
}

/// The same, by a priority in L2.
__device__ __forceinline__ void tma_load_multicast(void* to, const CUtensorMap* map, std::uint64_t* barrier, int column, int row,
                                                   std::uint16_t ctas, std::uint64_t priority) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4}], "
      "[%2], %5, %6;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(ctas), "l"(priority)
      : "memory");
}

__device__ __forceinline__ void tma_store(const CUtensorMap* map, const void* from, int column, int row) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(shared_address(from)), "r"(column),
               "r"(row)
               : "memory");
}

/// Close the group of stores that this thread has issued since the last commit.
__device__ __forceinline__ void tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Wait until at most `Pending` groups of this thread still read shared memory.
template <int Pending>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Order this thread's writes to shared memory before reads by TMA.
__device__ __forceinline__ void fence_shared_for_tma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace tileglu::ptx
