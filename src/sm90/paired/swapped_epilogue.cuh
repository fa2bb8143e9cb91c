// The epilogue of swapped operands: accumulators D [64 output columns, rows of X] of gate and up, activated, turned round, and written
// row-major into the shared buffer that TMA stores. Outputs have the bits of paired/epilogue.cuh.
#pragma once

#include "sm90/paired/epilogue.cuh"

namespace tileglu::sm90 {

/// silu as silu_pairs() computes it, of which an even column's reciprocal is shared with the next column's: here that is in another lane.
/// `Batch` values at a time, in their place: few enough that their sigmoids find registers beside the accumulators.
template <int Batch, int Count>
__device__ __forceinline__ void silu_across_lanes(float (&x)[Count]) {
  const auto neighbour_of = [](float a) { return __shfl_xor_sync(~0u, a, neighbour_lane_mask); };
#pragma unroll
  for (int first = 0; first < Count; first += Batch) {
    const int count = Count - first < Batch ? Count - first : Batch;
    float sigmoid[Batch];
    bool fit = true;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float a = silu_denominator(x[first + i]), b = neighbour_of(a), product = a * b;
      fit = fit && product < largest_shared;
      sigmoid[i] = cuda::rcp(product) * b;
    }
    if (__any_sync(~0u, !fit)) {  // gates that sum to -86, or a NaN
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const float a = silu_denominator(x[first + i]), product = a * neighbour_of(a);
        if (!(product < largest_shared)) sigmoid[i] = cuda::rcp(a);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) x[first + i] *= sigmoid[i];
  }
}

/// Activated gates times up, for rows `first` to `first` + Rows - 1 of a warpgroup's tile, into `buffer`. Unrolled. A register packs
/// neighbouring rows: of column c, then of column c + 8, for every 8 rows.
template <class Element, int Rows, int Count>
__device__ __forceinline__ void write_products(const float (&gate)[Count], const float (&up)[Count], int first, std::uint32_t buffer) {
  const int thread = static_cast<int>(threadIdx.x % 128), lane = thread % 32;
  const int row = transposed_row(lane), group = transposed_group(thread / 32, lane);
  const auto output = [&](int i) { return cuda::pack_two<Element>(gate[i] * up[i], gate[i + 1] * up[i + 1]); };
#pragma unroll
  for (int r = 0; r + 16 <= Rows; r += 16) {
    const int i = (first + r) / 2;
    const std::uint32_t v[4] = {output(i), output(i + 2), output(i + 4), output(i + 6)};
    ptx::stmatrix_x4_transposed(buffer + output_offset(64, r + row, group), v);
  }
  if constexpr (Rows % 16 != 0) {
    const int i = (first + Rows - 8) / 2;
    const std::uint32_t v[2] = {output(i), output(i + 2)};
    ptx::stmatrix_x2_transposed(buffer + output_offset(64, Rows - 8 + row % 8, group), v);
  }
}

/// The same for whatever the problem asks for; in a loop, for the reason at take_group().
template <class Element, int Rows, int Count>
__device__ __forceinline__ void finish_general_piece(const float (&gate)[Count], const float (&up)[Count], const paired_arguments& args, int first,
                                                     int first_column, std::uint32_t buffer) {
  const int thread = static_cast<int>(threadIdx.x % 128), warp = thread / 32, lane = thread % 32;
  const int row = lane % 8, group = transposed_group(warp, lane);
#pragma unroll 1
  for (int r = 0; r < Rows; r += 8) {
    column_group g;
    take_group<0, Count / 4>(gate, up, (first + r) / 8, g);
    finish_group<Element, group_columns::halves>(g, args.epilogue, first_column + warp * 16 + lane / 4, args.n);
    const std::uint32_t v[2] = {cuda::pack_two<Element>(g.gate[0], g.gate[1]), cuda::pack_two<Element>(g.gate[2], g.gate[3])};
    ptx::stmatrix_x2_transposed(buffer + output_offset(64, r + row, group), v);
  }
}

}  // namespace tileglu::sm90
