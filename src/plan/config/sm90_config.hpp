// Configurations of the Hopper kernels: constexpr aggregates that the planner, the launch code and the kernels share.
#pragma once

namespace tileglu {

/// How the consumer warpgroups divide the work of a CTA.
enum class schedule {
  pingpong,     ///< each owns a tile of its own; one multiplies while the other runs its epilogue
  cooperative,  ///< they split the rows of one tile
  swapped,      ///< paired kernel: weights are wgmma's A, X its B, rows by eights. They split the columns of one tile, 64 each; or take turns
};

/// Plain weights: a B tile of `pair_width` gate rows over `pair_width` up rows is one wgmma of N = 2 * pair_width. Swapped: 64 gate rows
/// and 64 up rows are the A of two wgmmas whose B, N = tile_rows(), is X.
struct paired_config {
  tileglu::schedule schedule;
  int row_blocks;  ///< blocks of 64 rows that one warpgroup owns; swapped: blocks of 8 rows of the tile
  int pair_width;  ///< output columns of a tile; a multiple of 8, at most 128
  int stages;      ///< K blocks of 64 in flight
  int cluster_m;   ///< CTAs along rows, which share (multicast) B
  int cluster_n;   ///< CTAs along columns, which share (multicast) A
  int warpgroups = 2;  ///< that multiply; 3 for cooperative tiles of 192 rows; swapped: pair_width / 64, or 2 that take turns at 64 columns

  constexpr bool is_swapped() const { return schedule == tileglu::schedule::swapped; }
  constexpr int tile_rows() const {
    return is_swapped() ? 8 * row_blocks : 64 * row_blocks * (schedule == tileglu::schedule::cooperative ? warpgroups : 1);
  }
  friend bool operator==(const paired_config&, const paired_config&) = default;
};

/// The paper's Kernel-1: gate accumulated over all of K, then up.
struct gate_first_config {
  int tile_rows;
  int tile_columns;
  int stages;
  int cluster_m;
  int cluster_n;
  friend bool operator==(const gate_first_config&, const gate_first_config&) = default;
};

/// The paper's Kernel-2: one product over interleaved weights, halved by an epilogue visitor node.
struct interleaved_config {
  tileglu::schedule schedule;
  int tile_rows;
  int tile_columns;  ///< of the product [M, 2N]: half as many output columns
  int cluster_m;
  int cluster_n;
  friend bool operator==(const interleaved_config&, const interleaved_config&) = default;
};

/// Few rows: weights streamed once from plain memory into registers, `mma.sync`, K split over the warps of a block.
struct decode_config {
  int token_tiles;  ///< tiles of 8 tokens: m <= 8 * token_tiles
  int row_tiles;    ///< tiles of 8 output columns a block owns
  int unroll;       ///< K blocks of 64 that one warp holds in flight
  int warps;        ///< slices of K in a block, reduced in warp order
  bool persistent;  ///< as many blocks as the SMs hold, each taking column groups in turn; else a block a group
  friend bool operator==(const decode_config&, const decode_config&) = default;
};

}  // namespace tileglu
