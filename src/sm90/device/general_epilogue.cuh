// Everything a problem can ask of an epilogue, two outputs at a time in a rolled loop: unrolled over a tile it would be 40 times the
// code and half a minute of ptxas a kernel, and four outputs at a time spill beside 192 accumulators.
#pragma once

#include "base/with_activation.hpp"
#include "cuda/activation.cuh"

namespace tileglu::sm90 {

/// Registers 2 * index and + 1 of [2 * First, 2 * Last), by branches that all threads take: registers can't be indexed.
template <int First, int Last, class Registers>
__device__ __forceinline__ void take_two(const Registers& d, int index, float (&out)[2]) {
  if constexpr (Last - First == 1) {
    out[0] = d[2 * First];
    out[1] = d[2 * First + 1];
  } else {
    constexpr int middle = (First + Last) / 2;
    if (index < middle)
      take_two<First, middle>(d, index, out);
    else
      take_two<middle, Last>(d, index, out);
  }
}

/// The outputs of two pairs, packed, with a constant kind of activation. `columns`: theirs in Y [m, n].
template <class Element, activation_kind Kind>
__device__ __forceinline__ unsigned finish_two(const float (&gate)[2], const float (&up)[2], cuda::epilogue_params p, const int (&columns)[2],
                                               int n) {
  p.act.kind = Kind;
  float y[2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
    y[i] = cuda::finish_general<Element>(p, gate[i], up[i], cuda::load_bias<Element>(p, p.bias_gate, columns[i], n),
                                         cuda::load_bias<Element>(p, p.bias_up, columns[i], n));
  return cuda::pack_two<Element>(y[0], y[1]);
}

template <class Element>
__device__ __forceinline__ unsigned finish_two(const float (&gate)[2], const float (&up)[2], const cuda::epilogue_params& p, const int (&columns)[2],
                                               int n) {
  return base::with_activation(p.act.kind, [&]<activation_kind Kind>() { return finish_two<Element, Kind>(gate, up, p, columns, n); });
}

}  // namespace tileglu::sm90
