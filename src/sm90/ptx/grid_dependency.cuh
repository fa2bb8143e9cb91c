// Programmatic dependent launch.
#pragma once

namespace tileglu::ptx {

/// Blocks until the grids this one depends on have ended and their writes are visible; at once where there is none.
__device__ __forceinline__ void wait_for_dependencies() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// Lets the next grid of the stream start once every CTA of this one has said so or ended.
__device__ __forceinline__ void launch_dependents() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

}  // namespace tileglu::ptx
