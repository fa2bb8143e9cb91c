// What follows from a configuration of the interleaved kernel. Host, planner and kernel ask here.
#pragma once

#include "plan/config/paired_shape.hpp"

namespace tileglu {

constexpr int cluster_size(const interleaved_config& c) { return c.cluster_m * c.cluster_n; }

/// Accumulators of a thread: of the product [M, 2N].
constexpr int accumulators(const interleaved_config& c) { return c.tile_rows * c.tile_columns / (c.schedule == schedule::pingpong ? 128 : 256); }

/// May it be built with the general epilogue? Beside 192 accumulators it spills (76 bytes); beside 128 it does not.
constexpr bool covers_general(const interleaved_config& c) { return accumulators(c) <= 128; }

/// Is this a configuration that the kernel can be built with? Subtiles of the epilogue are 64 product columns wide.
constexpr bool is_buildable(const interleaved_config& c) {
  const bool rows = c.schedule == schedule::pingpong ? c.tile_rows == 64 || c.tile_rows == 128 : c.tile_rows == 128 || c.tile_rows == 256;
  const bool clusters = (c.cluster_m == 1 || c.cluster_m == 2) && (c.cluster_n == 1 || c.cluster_n == 2);
  return rows && clusters && c.tile_columns % 64 == 0 && c.tile_columns <= 256 && accumulators(c) <= 192;
}

/// The tiles of the product [m, 2n].
constexpr tile_grid tiles_of(const interleaved_config& c, std::int64_t m, std::int64_t n) {
  return {static_cast<int>(ceil_div<std::int64_t>(m, c.tile_rows * c.cluster_m)),
          static_cast<int>(ceil_div<std::int64_t>(2 * n, c.tile_columns * c.cluster_n))};
}

/// Outputs of a CTA's tile: half as many as it has product columns.
constexpr int tile_outputs(const interleaved_config& c) { return c.tile_rows * c.tile_columns / 2; }

constexpr int resident_clusters(const interleaved_config& c, int sm_count) { return sm_count / cluster_size(c); }

/// CUTLASS's max_swizzle_size: the width of the bands in which its scheduler walks the tiles, at most `most`. It rounds the grid up to
/// whole bands both ways and computes the tiles it added, so a band may add 3 % at most (M = 64 in a 2x1 cluster would take 4 times as long).
constexpr int raster_band(const interleaved_config& c, std::int64_t m, std::int64_t n, int most) {
  const tile_grid grid = tiles_of(c, m, n);
  const std::int64_t rows = grid.rows, columns = grid.columns;
  for (std::int64_t band = 8; band > 1; band /= 2)
    if (band <= most && ceil_div(rows, band) * ceil_div(columns, band) * band * band * 100 <= rows * columns * 103) return static_cast<int>(band);
  return 1;
}

}  // namespace tileglu
