// Where PairMulStore moves every accumulator of the product [M, 2N]: one index map for the device node and the test that replays it.
//
// wgmma leaves an accumulator tile so: lane `l` of warp `w` holds, of every block of 8 columns, columns 2q and 2q+1 (q = l % 4) of
// rows 16w + l/4 and 8 below. Over W_fused those two columns are the gate and the up of one output, so a pair meets in one thread,
// and each thread is left with column q of every 4 outputs. stmatrix and packed stores want columns 2q, 2q+1 of every 8 instead:
// the four lanes of a quad trade them by two shuffles per four outputs (16 per thread and 64 product columns: 64 clk per
// scheduler, beside 256 clk of special functions).
#pragma once

#include <cstdint>

namespace tileglu::sm90::interleaved::pair_map {

/// Product columns of an epilogue subtile; 32 output columns of 2 bytes are a row of 64 bytes, with the 64-byte swizzle.
inline constexpr int subtile_columns = 64;
inline constexpr int subtile_outputs = subtile_columns / 2;
inline constexpr int row_bytes = subtile_outputs * 2;
/// Accumulators of one thread in a subtile of 64 rows per warpgroup.
inline constexpr int subtile_registers = subtile_columns / 2;

struct position {
  int row;
  int column;
  friend constexpr bool operator==(const position&, const position&) = default;
};

/// Of the subtile of the product: where register `i` (< subtile_registers) of `thread` lies. Threads 128-255 own the next 64 rows.
constexpr position of_register(int thread, int i) {
  const int warp = thread / 32, lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

/// The output of a pair of product columns.
constexpr position output_of(position gate) { return {gate.row, gate.column / 2}; }

// The trade within a quad. A thread's outputs of 8 columns are `first` (column q) and `second` (column 4 + q), each for two rows
// (packed: row r in the low half, row r + 8 in the high half). In round 0 odd lanes send `first`, even ones `second`; in round 1
// the other way round. A lane then holds columns 2q and 2q + 1.
constexpr bool sends_first(int q, int round) { return (q % 2 == 1) == (round == 0); }
/// The lane of the quad from which lane q takes its word.
constexpr int source(int q, int round) {
  // {1, 3, 0, 2} and {0, 2, 1, 3} in two bits each: an array indexed by a thread's lane would lie in local memory.
  return (round == 0 ? 0x8d : 0xd8) >> 2 * q & 3;
}
/// Which round brings the lower of the two columns.
constexpr int round_of_low(int q) { return q < 2 ? 1 : 0; }

/// Bytes from the start of a stage to the 16-byte chunk (8 outputs) `chunk` of `row`: rows of 64 bytes, and the hardware's
/// 64-byte swizzle (chunk index xor bits 1-2 of the row), which makes eight rows of a stmatrix meet 32 distinct banks.
constexpr std::uint32_t chunk_offset(int row, int chunk) { return static_cast<std::uint32_t>(row * row_bytes + (chunk ^ ((row >> 1) & 3)) * 16); }

/// The row and chunk whose address `lane` hands to stmatrix.x4 number `half` (0, 1): its four matrices are rows 0-7 and 8-15 of
/// chunk 2 * half, then of chunk 2 * half + 1. `row` counts from the warp's first.
constexpr position stmatrix_address(int lane, int half) { return {8 * (lane / 8 % 2) + lane % 8, 2 * half + lane / 16}; }

}  // namespace tileglu::sm90::interleaved::pair_map
