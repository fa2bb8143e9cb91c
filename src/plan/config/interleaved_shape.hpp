// What follows from a configuration of the interleaved kernel. Host, planner and kernel ask here.
#pragma once

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

}  // namespace tileglu
