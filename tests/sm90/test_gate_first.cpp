// Kernel-1's shared-memory map, tile walk and ring, replayed on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <variant>
#include <vector>

#include "plan/config/gate_first_shape.hpp"
#include "plan/tables/paper_rows.hpp"
#include "sm90/device/output_tile.hpp"
#include "sm90/device/tile_schedule.hpp"

namespace {

using namespace tileglu;

constexpr auto config_of = [](const kernel_row& row) { return std::get<gate_first_config>(row.config); };

TEST(GateFirstRows, SharedMemoryIsDisjointAlignedAndFits) {
  for (const kernel_row& row : plan_detail::gate_first_rows) {
    const gate_first_config c = config_of(row);
    ASSERT_TRUE(is_buildable(c)) << row.name;
    const gate_first_shared_map map = shared_map(c);
    EXPECT_EQ(map.x, 0);
    EXPECT_EQ(map.weights, map.x + c.stages * x_stage_bytes(c));
    EXPECT_GE(map.output, map.weights + c.stages * weight_stage_bytes(c));
    EXPECT_GE(map.full, map.output + 2 * map.output_buffers * output_buffer_bytes(c));
    EXPECT_GE(map.empty, map.full + 8 * c.stages);
    EXPECT_GE(map.bytes, map.empty + 8 * c.stages);
    EXPECT_LE(shared_bytes(c), sm90_shared_limit);
    EXPECT_EQ(map.full % 8, 0);
    // Operands with a 128-byte swizzle repeat every 1024 bytes: a stage, and each CTA's multicast share of one, begins on such a line.
    EXPECT_EQ(x_stage_bytes(c) % 1024, 0);
    EXPECT_EQ(weight_stage_bytes(c) % 1024, 0);
    EXPECT_EQ(c.tile_rows / c.cluster_n % 8, 0) << row.name;
    EXPECT_EQ(c.tile_columns / c.cluster_m % 8, 0) << row.name;
    const int swizzle_line = sm90::panels_of(c.tile_columns).swizzle_bytes * 8;
    EXPECT_EQ(map.output % swizzle_line, 0) << row.name;
    EXPECT_EQ(output_buffer_bytes(c) % swizzle_line, 0) << row.name;
  }
}

/// Every tile of Y in the grid of CTAs, counted as the kernel's warpgroups take them.
std::vector<int> walk(const gate_first_config& c, const tile_grid& grid, int clusters, int group) {
  const sm90::tile_schedule schedule{grid, group};
  std::vector<int> taken(static_cast<std::size_t>(grid.rows * c.cluster_m) * static_cast<std::size_t>(grid.columns * c.cluster_n));
  for (int cluster = 0; cluster < clusters; ++cluster)
    for (int warpgroup = 0; warpgroup < 2; ++warpgroup)
      for (int tile = cluster + warpgroup * clusters; tile < grid.count(); tile += 2 * clusters) {
        const auto at = schedule.at(tile);
        for (int rank = 0; rank < cluster_size(c); ++rank) {
          const int row = at.row * c.cluster_m + rank % c.cluster_m, column = at.column * c.cluster_n + rank / c.cluster_m;
          ++taken[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns * c.cluster_n) + static_cast<std::size_t>(column)];
        }
      }
  return taken;
}

TEST(GateFirstRows, EveryTileIsComputedOnce) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200000; ++trial) {
    const gate_first_config c = config_of(plan_detail::gate_first_rows[random() % plan_detail::gate_first_rows.size()]);
    const std::int64_t m = 1 + random() % (trial % 4 ? 700 : 9000), n = 8 * (1 + random() % (trial % 4 ? 200 : 1200));
    const int sm_count = 1 + static_cast<int>(random() % 144);
    if (sm_count < cluster_size(c)) continue;
    const tile_grid grid = tiles_of(c, m, n);
    ASSERT_GE(std::int64_t{grid.rows} * c.cluster_m * c.tile_rows, m);
    ASSERT_GE(std::int64_t{grid.columns} * c.cluster_n * c.tile_columns, n);
    for (const int count : walk(c, grid, launched_clusters(c, m, n, sm_count), 1 + static_cast<int>(random() % 16)))
      ASSERT_EQ(count, 1) << "m " << m << " n " << n << " SMs " << sm_count;
  }
}

/// The loader fills the ring block after block; each warpgroup skips the other's tiles. Both must mean the same stage and phase.
template <int Stages>
void replay_ring(int k_blocks, int tiles) {
  sm90::ring_position<Stages> loader, consumer[2];
  consumer[1].skip(2 * k_blocks);
  for (int tile = 0; tile < tiles; ++tile) {
    sm90::ring_position<Stages>& reader = consumer[tile % 2];
    for (int block = 0; block < 2 * k_blocks; ++block) {
      ASSERT_EQ(loader.stage, reader.stage) << "tile " << tile << " block " << block;
      ASSERT_EQ(loader.parity, reader.parity) << "tile " << tile << " block " << block;
      loader.advance();
      reader.advance();
    }
    reader.skip(2 * k_blocks);
  }
}

TEST(GateFirstRing, ConsumersMeetTheLoader) {
  for (int k_blocks : {1, 2, 3, 5, 6, 7, 14, 29, 128}) {
    replay_ring<5>(k_blocks, 9);
    replay_ring<6>(k_blocks, 9);
    replay_ring<7>(k_blocks, 9);
    replay_ring<10>(k_blocks, 9);
  }
}

}  // namespace
