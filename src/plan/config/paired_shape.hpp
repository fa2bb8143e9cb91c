// What follows from a configuration of the paired kernel: tiles, clusters, shared memory. Host, planner and kernel ask here.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/config/sm90_config.hpp"

namespace tileglu {

/// A K block: 64 elements of 2 bytes are 128 bytes, the span of TMA's widest swizzle.
inline constexpr int k_block = 64;

/// Dynamic shared memory that a block of sm_90 may ask for.
inline constexpr int sm90_shared_limit = 232448;

template <class Integer>
constexpr Integer ceil_div(Integer a, Integer b) {
  return (a + b - 1) / b;
}

constexpr int cluster_size(const paired_config& c) { return c.cluster_m * c.cluster_n; }

/// Threads of a CTA: a warpgroup that loads, and those that multiply.
constexpr int threads(const paired_config& c) { return 128 * (1 + c.warpgroups); }

/// Does each consumer warpgroup own a tile, and multiply while the other runs its epilogue?
constexpr bool takes_turns(const paired_config& c) {
  return c.schedule == schedule::pingpong || (c.is_swapped() && c.pair_width < 64 * c.warpgroups);
}

/// wgmmas of a warpgroup for 16 of K: a block of rows each, or the gate rows' and the up rows' where operands are swapped.
constexpr int accumulator_blocks(const paired_config& c) { return c.is_swapped() ? 2 : c.row_blocks; }

/// Accumulators of a thread in one of them: N / 2.
constexpr int accumulators(const paired_config& c) { return c.is_swapped() ? c.tile_rows() / 2 : c.pair_width; }

/// Output columns that one warpgroup owns.
constexpr int warpgroup_columns(const paired_config& c) { return c.is_swapped() ? 64 : c.pair_width; }

/// What of a warpgroup's outputs passes through one buffer in shared memory, and how many buffers it has in turn.
struct output_buffering {
  int rows;
  int buffers;
};

/// Byte offsets in shared memory, from a base that is a multiple of 1024.
struct paired_shared_map {
  int x;  ///< [stages][tile_rows][64] elements
  int weights;  ///< [stages][2 pair_width][64]: gate rows over up rows
  int output;  ///< [warpgroups][buffers][rows][warpgroup_columns], in panels (sm90/device/output_tile.hpp)
  output_buffering buffering;
  int full;  ///< [stages] mbarriers: loaded
  int empty;  ///< [stages] mbarriers: read
  int bytes;  ///< past the end
};

/// Slack to bring the base of dynamic shared memory to a multiple of 1024.
inline constexpr int shared_base_slack = 1024;

/// Bytes of a warpgroup's output buffer.
constexpr int output_bytes(const paired_config& c, const output_buffering& b) { return b.rows * warpgroup_columns(c) * 2; }

/// `room`: bytes that the stages and barriers leave to all warpgroups.
constexpr output_buffering buffering_of(const paired_config& c, int room) {
  const auto most = [&](int rows, int wanted) { return std::min(wanted, room / (c.warpgroups * output_bytes(c, {rows, 1}))); };
  // A buffer for every block of 64 rows spares the wait for the store of the block before; one does where there is no room.
  if (!c.is_swapped()) return {64, most(64, c.row_blocks) == c.row_blocks ? c.row_blocks : 1};
  // Swapped: pieces of 32 rows, fewer where the tile or the room asks for it; a barrier a piece, so two buffers rather than smaller pieces.
  for (const int rows : {32, 16})
    if (c.tile_rows() % rows == 0 && most(rows, 2) == std::min(2, c.tile_rows() / rows)) return {rows, most(rows, c.tile_rows() / rows)};
  return {8, std::max(1, most(8, c.row_blocks))};
}

constexpr paired_shared_map shared_map(const paired_config& c) {
  paired_shared_map map{};
  map.weights = c.stages * c.tile_rows() * k_block * 2;
  map.output = map.weights + c.stages * 2 * c.pair_width * k_block * 2;
  const int barriers = 2 * c.stages * 8;
  map.buffering = buffering_of(c, sm90_shared_limit - shared_base_slack - barriers - map.output);
  map.full = map.output + c.warpgroups * map.buffering.buffers * output_bytes(c, map.buffering);
  map.empty = map.full + c.stages * 8;
  map.bytes = map.full + barriers;
  return map;
}

/// Dynamic shared memory of a launch.
constexpr int shared_bytes(const paired_config& c) { return shared_map(c).bytes + shared_base_slack; }

/// The tiles of an output, counted in clusters (a cluster owns cluster_m x cluster_n tiles).
struct tile_grid {
  int rows;
  int columns;
  constexpr int count() const { return rows * columns; }
  friend bool operator==(const tile_grid&, const tile_grid&) = default;
};

constexpr tile_grid tiles_of(const paired_config& c, std::int64_t m, std::int64_t n) {
  return {static_cast<int>(ceil_div<std::int64_t>(m, c.tile_rows() * c.cluster_m)),
          static_cast<int>(ceil_div<std::int64_t>(n, c.pair_width * c.cluster_n))};
}

/// Outputs of a CTA's tile.
constexpr int tile_outputs(const paired_config& c) { return c.tile_rows() * c.pair_width; }

/// Clusters that run at once: one CTA an SM.
constexpr int resident_clusters(const paired_config& c, int sm_count) { return sm_count / cluster_size(c); }

/// Clusters of a launch.
constexpr int launched_clusters(const paired_config& c, std::int64_t m, std::int64_t n, int sm_count) {
  return std::min(tiles_of(c, m, n).count(), resident_clusters(c, sm_count));
}

/// Bytes that a CTA reads from L2 for one K block, multicast counted once: 26 to 30 a clock is what the chip sustains.
constexpr int l2_bytes_per_k_block(const paired_config& c) { return (c.tile_rows() / c.cluster_n + 2 * c.pair_width / c.cluster_m) * k_block * 2; }

/// Is this a configuration that the kernel can be built with?
constexpr bool is_buildable(const paired_config& c) {
  const bool clusters = (c.cluster_m == 1 || c.cluster_m == 2) && (c.cluster_n == 1 || c.cluster_n == 2) && cluster_size(c) <= 2;
  const bool fits = c.stages >= 2 && shared_bytes(c) <= sm90_shared_limit;
  // A multicast share of X begins at a swizzle atom of 8 rows. One warpgroup has the launch's 255 registers a thread, two get 232 or 240.
  if (c.is_swapped())
    return clusters && fits && (c.warpgroups == 1 || c.warpgroups == 2) && (c.pair_width == 64 || c.pair_width == 64 * c.warpgroups) &&
           c.row_blocks >= 1 && c.row_blocks % c.cluster_n == 0 && c.tile_rows() <= 192;
  // Accumulators of a thread: 192 of 232 or 240 registers with two consumer warpgroups, 96 of 160 with three (ptxas plans with 128).
  const bool two = c.warpgroups == 2 && (c.row_blocks == 1 || c.row_blocks == 2) && c.row_blocks * c.pair_width <= 192;
  const bool three = c.warpgroups == 3 && c.row_blocks == 1 && c.schedule == schedule::cooperative && c.pair_width <= 96;
  return clusters && fits && (two || three) && c.pair_width >= 8 && c.pair_width <= 128 && c.pair_width % 8 == 0;
}

}  // namespace tileglu
