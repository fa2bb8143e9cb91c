<<<<<<< HEAD
// Programmatic dependent launch.
#pragma once

namespace tileglu::ptx {

/// Blocks until the grids this one depends on have ended and their writes are visible; at once where there is none.
__device__ __forceinline__ void wait_for_dependencies() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// Lets the next grid of the stream start once every CTA of this one has said so or ended.
__device__ __forceinline__ void launch_dependents() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

}  // namespace tileglu::ptx
=======
// Programmatic dependent launch: overlap with the kernels before and after on the stream.
#pragma once

namespace tileglu::sm90::ptx {

/// Wait until the kernels ahead have ended and their writes are visible. Returns at once where the launch does not overlap.
__device__ __forceinline__ void wait_for_kernels_ahead() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// Let the kernel behind start once every CTA has said so; it still waits for this grid's end before it reads its results.
__device__ __forceinline__ void release_kernel_behind() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

}  // namespace tileglu::sm90::ptx
>>>>>>> 7325fd6 (Paired kernel: gate rows over up rows in one wgmma, on plain weights)
