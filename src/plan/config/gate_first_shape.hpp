// What follows from a configuration of the gate_first kernel: tiles, shared memory. Host, planner and kernel ask here.
#pragma once

#include "plan/config/paired_shape.hpp"

namespace tileglu {

constexpr int cluster_size(const gate_first_config& c) { return c.cluster_m * c.cluster_n; }

/// Accumulators of a thread: float32 gate and up of a warpgroup's whole tile.
constexpr int accumulators(const gate_first_config& c) { return 2 * (c.tile_rows * c.tile_columns / 128); }

/// Byte offsets in shared memory, from a base that is a multiple of 1024.
struct gate_first_shared_map {
  int x;        ///< [stages][tile_rows][64] elements
  int weights;  ///< [stages][tile_columns][64]: of the gate in the first pass over K, of up in the second
  int output;   ///< [2 warpgroups][output_buffers][64][tile_columns], in panels (sm90/device/output_tile.hpp)
  int output_buffers;
  int full;   ///< [stages] mbarriers: loaded
  int empty;  ///< [stages] mbarriers: read
  int bytes;  ///< past the end
};

constexpr int x_stage_bytes(const gate_first_config& c) { return c.tile_rows * k_block * 2; }
constexpr int weight_stage_bytes(const gate_first_config& c) { return c.tile_columns * k_block * 2; }
constexpr int output_buffer_bytes(const gate_first_config& c) { return 64 * c.tile_columns * 2; }

constexpr gate_first_shared_map shared_map(const gate_first_config& c) {
  gate_first_shared_map map{};
  map.weights = c.stages * x_stage_bytes(c);
  map.output = map.weights + c.stages * weight_stage_bytes(c);
  map.output_buffers = c.tile_rows / 64;
  map.full = map.output + 2 * map.output_buffers * output_buffer_bytes(c);
  map.empty = map.full + c.stages * 8;
  map.bytes = map.empty + c.stages * 8;
  return map;
}

constexpr int shared_bytes(const gate_first_config& c) { return shared_map(c).bytes + shared_base_slack; }

constexpr tile_grid tiles_of(const gate_first_config& c, std::int64_t m, std::int64_t n) {
  return {static_cast<int>(ceil_div<std::int64_t>(m, c.tile_rows * c.cluster_m)),
          static_cast<int>(ceil_div<std::int64_t>(n, c.tile_columns * c.cluster_n))};
}

constexpr int tile_outputs(const gate_first_config& c) { return c.tile_rows * c.tile_columns; }

constexpr int resident_clusters(const gate_first_config& c, int sm_count) { return sm_count / cluster_size(c); }

constexpr int launched_clusters(const gate_first_config& c, std::int64_t m, std::int64_t n, int sm_count) {
  return std::min(tiles_of(c, m, n).count(), resident_clusters(c, sm_count));
}

/// Bytes that a CTA reads from L2 for one K block of one pass, multicast counted once.
constexpr int l2_bytes_per_k_block(const gate_first_config& c) { return x_stage_bytes(c) / c.cluster_n + weight_stage_bytes(c) / c.cluster_m; }

/// Is this a configuration that the kernel can be built with?
constexpr bool is_buildable(const gate_first_config& c) {
  const bool clusters = (c.cluster_m == 1 || c.cluster_m == 2) && (c.cluster_n == 1 || c.cluster_n == 2);
  return clusters && (c.tile_rows == 64 || c.tile_rows == 128) && c.tile_columns >= 16 && c.tile_columns % 16 == 0 && c.tile_columns <= 256 &&
         c.stages >= 2 && accumulators(c) <= 192 && shared_bytes(c) <= sm90_shared_limit;
}

}  // namespace tileglu
