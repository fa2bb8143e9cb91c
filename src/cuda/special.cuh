// The special function unit, one instruction a function. Beside src/sm90/ptx the only file with asm: the intrinsics __expf and
// __fdividef carry range fix-ups (FSETP and FMUL per element), which cost a fused epilogue about a third of its instructions.
#pragma once

namespace tileglu::cuda {

/// 2^x, relative error about 2^-22; subnormal results are 0.
__device__ __forceinline__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x, relative error about 2^-23; subnormal results are 0, and 1 / infinity is 0.
__device__ __forceinline__ float rcp(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace tileglu::cuda
