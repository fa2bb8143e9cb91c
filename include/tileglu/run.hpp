// Plan -> run.
#pragma once

#include <cstddef>

#include "tileglu/export.h"
#include "tileglu/plan.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu {

/// The gate and up weights, with the layout that the pointers mean. Made by one of the four functions, so a stacked
/// matrix can't be handed in as a separate one.
class gate_up_weights {
 public:
  static gate_up_weights separate(const void* gate, const void* up) { return {weight_layout::separate, gate, up}; }
  static gate_up_weights stacked_gate_up(const void* w) { return {weight_layout::stacked_gate_up, w, nullptr}; }
  static gate_up_weights stacked_up_gate(const void* w) { return {weight_layout::stacked_up_gate, w, nullptr}; }
  static gate_up_weights interleaved(const void* w) { return {weight_layout::interleaved, w, nullptr}; }

  weight_layout layout() const noexcept { return layout_; }
  const void* first() const noexcept { return first_; }    ///< the gate matrix, or the one matrix
  const void* second() const noexcept { return second_; }  ///< the up matrix, or null

 private:
  gate_up_weights(weight_layout layout, const void* first, const void* second) : layout_(layout), first_(first), second_(second) {}
  weight_layout layout_;
  const void* first_;
  const void* second_;
};

/// The memory of one call, in the device's address space, 16-byte aligned for the fused kernels.
struct tensors {
  const void* x = nullptr;  ///< [m, k]
  gate_up_weights w;
  void* y = nullptr;                ///< [m, n]; may not overlap an input
  const void* bias_gate = nullptr;  ///< [n], where problem.bias
  const void* bias_up = nullptr;    ///< [n], where problem.bias
  void* workspace = nullptr;        ///< workspace_bytes(plan), 256-byte aligned; null where that is 0
  std::size_t workspace_bytes = 0;
};

/// A CUDA stream (cudaStream_t), or null for the default stream. CPU backends ignore it and return when Y is written.
using stream_handle = void*;

/// Make what a first run would otherwise make: library handles, primitives, kernel attributes. Idempotent and thread-safe.
/// Call it before a CUDA graph is captured and where a first call must not allocate.
TILEGLU_API status prepare(const execution_plan& plan);

/// Compute. After prepare() it neither allocates nor synchronises; it may be captured in a CUDA graph, and called from many
/// threads on many streams. Errors: invalid_argument (a null, misaligned or overlapping pointer, weights of another layout),
/// workspace_too_small, wrong_device, device_error.
TILEGLU_API status run(const execution_plan& plan, const tensors& t, stream_handle stream = nullptr) noexcept;

/// Plan (once per problem, kept for the life of the process) and run on the calling thread's CUDA device, else on the CPU, in one
/// line. Thread-safe. Where the plan needs workspace, the library makes one per stream at the first call and keeps it, so a stream
/// that is to be captured in a CUDA graph must have been used once before (else invalid_argument); the graph must then be replayed
/// on that stream.
TILEGLU_API status gated_linear(const problem& p, const tensors& t, stream_handle stream = nullptr) noexcept;

}  // namespace tileglu
