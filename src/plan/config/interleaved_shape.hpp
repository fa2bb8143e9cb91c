// What follows from a configuration of the interleaved kernel. Host, planner and kernel ask here.
#pragma once

#include <cstdint>

#include "plan/config/sm90_config.hpp"

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

/// CUTLASS's max_swizzle_size: the width of the bands in which its scheduler walks the tiles, at most `most`. It rounds the grid up to
/// whole bands both ways and computes the tiles it added, so a band may add 3 % at most (M = 64 in a 2x1 cluster would take 4 times as long).
constexpr int raster_band(const interleaved_config& c, std::int64_t m, std::int64_t n, int most) {
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t rows = up(m, c.tile_rows * c.cluster_m), columns = up(2 * n, c.tile_columns * c.cluster_n);
  for (int band = 8; band > 1; band /= 2)
    if (band <= most && up(rows, band) * up(columns, band) * band * band * 100 <= rows * columns * 103) return band;
  return 1;
}

}  // namespace tileglu
