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

/// CUTLASS's max_swizzle_size: the clusters of a band, in which its scheduler walks the tiles along the shorter side of the grid, at most
/// `most`. Of 1, 2, 4 and 8 the one whose wave reads the fewest rows of X and of weights, and the narrowest of equals: a wave that ends
/// inside a band reads the band's weights in the next one too, 1.885 of the ideal bytes at M = 1024, 14B, in bands of 8, 1.330 in single
/// columns. CUTLASS rounds the grid up to whole bands both ways and computes the tiles it added, so a band may add 3 % at most (M = 64 in a
/// 2x1 cluster would take 4 times as long).
constexpr int raster_band(const interleaved_config& c, std::int64_t m, std::int64_t n, int sm_count, int most) {
  const tile_grid grid = tiles_of(c, m, n);
  const std::int64_t rows = grid.rows, columns = grid.columns, clusters = std::max(1, resident_clusters(c, sm_count));
  const std::int64_t row_height = c.tile_rows * c.cluster_m, column_width = c.tile_columns * c.cluster_n;
  const bool down_columns = columns * c.cluster_n > rows * c.cluster_m;  // CUTLASS's rule, in CTAs
  const std::int64_t length = down_columns ? rows : columns;
  const std::int64_t along = down_columns ? row_height : column_width, across = down_columns ? column_width : row_height;
  std::int64_t best = 1, fewest = 0;
  for (std::int64_t band = 1; band <= std::min(8, most); band *= 2) {
    if (ceil_div(rows, band) * ceil_div(columns, band) * band * band * 100 > rows * columns * 103) continue;
    const std::int64_t deep = std::min(length, ceil_div(clusters, band));
    const std::int64_t read = deep * along + ceil_div(clusters, deep) * across;
    if (fewest == 0 || read < fewest) best = band, fewest = read;
  }
  return static_cast<int>(best);
}

}  // namespace tileglu
