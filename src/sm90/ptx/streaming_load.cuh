// A 16-byte load of data that is read once: not kept in L1, fetched into L2 by 256 bytes.
#pragma once

#include <cuda_runtime.h>

namespace tileglu::ptx {

__device__ __forceinline__ uint4 load_streaming(const void* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

}  // namespace tileglu::ptx
