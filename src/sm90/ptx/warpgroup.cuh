// Registers and named barriers of warpgroups.
#pragma once

namespace tileglu::ptx {

/// Give registers back: this warpgroup goes on with `Registers` a thread.
template <int Registers>
__device__ __forceinline__ void registers_shrink_to() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Take registers that other warpgroups gave back.
template <int Registers>
__device__ __forceinline__ void registers_grow_to() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Wait at named barrier `id` until `threads` threads have arrived. 0 is __syncthreads'.
__device__ __forceinline__ void barrier_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

/// Be counted there without waiting.
__device__ __forceinline__ void barrier_arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

}  // namespace tileglu::ptx
