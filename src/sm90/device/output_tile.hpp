// Where an output element waits in shared memory for its TMA store, and which thread holds it. Pure maps, tested on the host.
#pragma once

namespace tileglu::sm90 {

/// A block of 64 rows x `width` columns of 2-byte outputs is stored in panels of `columns` columns, each one TMA box of 64 rows.
struct output_panels {
  int columns;
  int swizzle_bytes;  ///< TMA's: 128, 64, 32, or 0 for none
};

/// Widest panel that divides the width and that eight rows of stmatrix write without a bank conflict. An odd multiple of 8 columns is
/// an odd multiple of 16 bytes a row, which is free of conflicts without a swizzle.
constexpr output_panels panels_of(int width) {
  if (width % 64 == 0) return {64, 128};
  if (width % 32 == 0) return {32, 64};
  if (width % 16 == 0) return {16, 32};
  return {width, 0};
}

/// Byte offset of columns 8 * group to 8 * group + 7 of `row` in a block's buffer.
constexpr int output_offset(int width, int row, int group) {
  const output_panels panels = panels_of(width);
  const int pitch = panels.columns * 2, groups = panels.columns / 8;
  const int panel = group / groups, chunk = group % groups;
  // TMA's swizzle: the 16-byte chunk's index is xored with the address bits from 7 up.
  const int swizzled = panels.swizzle_bytes == 0 ? chunk : chunk ^ ((row * pitch / 128) & (panels.swizzle_bytes / 16 - 1));
  return panel * 64 * pitch + row * pitch + swizzled * 16;
}

struct accumulator_position {
  int row;     ///< of the 64
  int column;  ///< of the wgmma's N
};

/// Where accumulator `index` of `thread` of a warpgroup lies in D [64, N]: a warp has 16 rows; a thread two neighbouring columns of rows
/// r and r + 8 in every 8 columns. With gate rows over up rows in B, the gate of output column j is register r and its up register
/// r + pair_width / 2 of the same thread.
constexpr accumulator_position accumulator_at(int thread, int index) {
  const int warp = thread / 32, lane = thread % 32;
  return {warp * 16 + lane / 4 + (index / 2) % 2 * 8, index / 4 * 8 + lane % 4 * 2 + index % 2};
}

/// Row of the block whose 16 bytes lane `lane` of `warp` addresses in stmatrix.x4 (x2: lanes 0 to 15), and which of its two groups of
/// 8 columns.
constexpr int stmatrix_row(int warp, int lane) { return warp * 16 + lane % 16; }
constexpr int stmatrix_group(int lane) { return lane / 16; }

/// The same where operands are swapped: accumulators are D [64 output columns, rows of X], so a thread has two neighbouring rows of X in
/// columns c and c + 8 for every 8 rows. stmatrix.trans writes them row-major, 64 columns a row: its four matrices are two groups of 8
/// rows (j, j + 1) by two halves of the warp's 16 columns. Row of the piece (from 8 j up) and group of 8 columns that `lane` addresses:
constexpr int transposed_row(int lane) { return lane / 16 * 8 + lane % 8; }
constexpr int transposed_group(int warp, int lane) { return 2 * warp + lane / 8 % 2; }

/// The lane that holds the neighbouring column of an even and odd pair, in the same registers.
inline constexpr int neighbour_lane_mask = 4;

}  // namespace tileglu::sm90
