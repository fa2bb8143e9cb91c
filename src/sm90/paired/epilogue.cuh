// act(gate) * up on a warpgroup's accumulators, 64 rows at a time, into the shared buffer that TMA stores.
#pragma once

#include "base/with_activation.hpp"
#include "sm90/device/output_tile.hpp"
#include "sm90/paired/arguments.hpp"
#include "sm90/ptx/stmatrix.cuh"

namespace tileglu::sm90 {

/// What a thread holds of 8 neighbouring columns: two columns of row r, then the same two of row r + 8. (Swapped: of 8 rows of Y; two rows
/// of column c, then of column c + 8.)
struct column_group {
  float gate[4];
  float up[4];
};

/// Group `group` of [First, Last), by branches: registers can't be indexed, and unrolling the general epilogue over the groups would
/// make 20 times the code (and half a minute of ptxas a kernel).
template <int First, int Last>
__device__ __forceinline__ void take_group(const float* gate, const float* up, int group, column_group& out) {
  if constexpr (Last - First == 1) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      out.gate[i] = gate[4 * First + i];
      out.up[i] = up[4 * First + i];
    }
  } else {
    constexpr int middle = (First + Last) / 2;
    if (group < middle) take_group<First, middle>(gate, up, group, out);
    else take_group<middle, Last>(gate, up, group, out);
  }
}

/// Which accumulators of a group are of one output column, and how far apart its two columns are.
enum class group_columns {
  neighbours,  ///< i % 2: column c and c + 1
  halves,      ///< i / 2: swapped operands, column c and c + 8; i % 2 are two rows
};

/// Outputs in the place of the gates, with a constant kind of activation.
template <class Element, group_columns Columns, activation_kind Kind>
__device__ __forceinline__ void finish_group(column_group& g, cuda::epilogue_params p, int column, int n) {
  constexpr bool halves = Columns == group_columns::halves;
  p.act.kind = Kind;
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const int at = column + side * (halves ? 8 : 1);
    const float bias_gate = cuda::load_bias<Element>(p, p.bias_gate, at, n), bias_up = cuda::load_bias<Element>(p, p.bias_up, at, n);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int i = halves ? 2 * side + k : side + 2 * k;
      g.gate[i] = cuda::finish_general<Element>(p, g.gate[i], g.up[i], bias_gate, bias_up);
    }
  }
}

template <class Element, group_columns Columns>
__device__ __forceinline__ void finish_group(column_group& g, const cuda::epilogue_params& p, int column, int n) {
  base::with_activation(p.act.kind, [&]<activation_kind Kind>() { finish_group<Element, Columns, Kind>(g, p, column, n); });
}

/// 64 rows x Width columns of outputs, whatever the problem asks for, into the panels of `buffer`.
template <class Element, int Width>
__device__ __forceinline__ void finish_general_block(const float (&d)[Width], const paired_arguments& args, int first_column,
                                                     std::uint32_t buffer) {
  const int thread = static_cast<int>(threadIdx.x % 128), row = stmatrix_row(thread / 32, thread % 32);
#pragma unroll 1
  for (int group = 0; group < Width / 8; ++group) {
    column_group g;
    take_group<0, Width / 8>(d, d + Width / 2, group, g);
    finish_group<Element, group_columns::neighbours>(g, args.epilogue, first_column + 8 * group + thread % 4 * 2, args.n);
    const std::uint32_t v[2] = {cuda::pack_two<Element>(g.gate[0], g.gate[1]), cuda::pack_two<Element>(g.gate[2], g.gate[3])};
    ptx::stmatrix_x2(buffer + output_offset(Width, row, group), v);
  }
}

/// 1 + exp(-gate), whose reciprocal silu multiplies the gate by.
__device__ __forceinline__ float silu_denominator(float gate) { return 1.0f + cuda::ex2(gate * -1.4426950408889634f); }

/// Below it the product of two denominators has a reciprocal that is a normal number.
inline constexpr float largest_shared = 0x1p125f;

/// silu of pairs of neighbouring columns, by three special-function instructions a pair instead of four: 1/a is b times 1/(a b). Those
/// instructions, 16 a clock, bound the epilogue. A pair is an even column and the next, whatever the tile, so that the bits of an output
/// depend neither on the row of the table nor on the other rows of X.
template <int Pairs>
__device__ __forceinline__ void silu_pairs(float (&x)[2 * Pairs]) {
  float a[2 * Pairs], product[Pairs], sigmoid[2 * Pairs];
  bool fit = true;
#pragma unroll
  for (int i = 0; i < 2 * Pairs; ++i) a[i] = silu_denominator(x[i]);
#pragma unroll
  for (int p = 0; p < Pairs; ++p) {
    product[p] = a[2 * p] * a[2 * p + 1];
    fit = fit && product[p] < largest_shared;
    const float inverse = cuda::rcp(product[p]);
    sigmoid[2 * p] = inverse * a[2 * p + 1];
    sigmoid[2 * p + 1] = inverse * a[2 * p];
  }
  if (!fit) {  // gates that sum to -86, or a NaN
#pragma unroll
    for (int p = 0; p < Pairs; ++p)
      if (!(product[p] < largest_shared)) {
        sigmoid[2 * p] = cuda::rcp(a[2 * p]);
        sigmoid[2 * p + 1] = cuda::rcp(a[2 * p + 1]);
      }
  }
#pragma unroll
  for (int i = 0; i < 2 * Pairs; ++i) x[i] *= sigmoid[i];
}

/// Registers `index` to `index` + 2 * Count - 1: their outputs, packed two by two.
template <class Element, int Count, int Width>
__device__ __forceinline__ void finish_silu(const float (&d)[Width], int index, std::uint32_t (&v)[Count]) {
  float x[2 * Count];
#pragma unroll
  for (int i = 0; i < 2 * Count; ++i) x[i] = d[index + i];
  silu_pairs<Count>(x);
#pragma unroll
  for (int i = 0; i < Count; ++i)
    v[i] = cuda::pack_two<Element>(x[2 * i] * d[Width / 2 + index + 2 * i], x[2 * i + 1] * d[Width / 2 + index + 2 * i + 1]);
}

/// The same for silu, fp32_through, no bias and no clamp, where every instruction counts: unrolled, 16 columns at a time.
template <class Element, int Width>
__device__ __forceinline__ void finish_silu_block(const float (&d)[Width], std::uint32_t buffer) {
  const int thread = static_cast<int>(threadIdx.x % 128), lane = thread % 32;
  const int row = stmatrix_row(thread / 32, lane), side = stmatrix_group(lane);
  constexpr int groups = Width / 8;
#pragma unroll
  for (int group = 0; group + 1 < groups; group += 2) {
    std::uint32_t v[4];
    finish_silu<Element>(d, 4 * group, v);
    ptx::stmatrix_x4(buffer + output_offset(Width, row, group + side), v);
  }
  if constexpr (groups % 2 == 1) {
    std::uint32_t v[2];
    finish_silu<Element>(d, 4 * groups - 4, v);
    ptx::stmatrix_x2(buffer + output_offset(Width, row, groups - 1), v);
  }
}

/// Every thread of the warpgroup calls it.
template <class Element, epilogue_kind Kind, int Width>
__device__ __forceinline__ void finish_block(const float (&d)[Width], const paired_arguments& args, int first_column, std::uint32_t buffer) {
  if constexpr (Kind == epilogue_kind::silu) finish_silu_block<Element>(d, buffer);
  else finish_general_block<Element>(d, args, first_column, buffer);
}

}  // namespace tileglu::sm90
