// Every tile is computed once, whatever the shape, the cluster and the schedule; and producer and consumers agree on the ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sm90/device/tile_schedule.hpp"

namespace tileglu::sm90 {
namespace {

/// Marks the tiles that a launch computes, walking them as the kernel's consumers do; false where one is met twice or lies outside.
bool covers_once(const paired_config& c, std::int64_t m, std::int64_t n, int sm_count, int group) {
  const tile_schedule order{tiles_of(c, m, n), group};
  const int clusters = launched_clusters(c, m, n, sm_count), tiles = order.grid.count();
  std::vector<char> seen(static_cast<std::size_t>(tiles), 0);
  const int warpgroups = takes_turns(c) ? 2 : 1;
  for (int cluster = 0; cluster < clusters; ++cluster)
    for (int warpgroup = 0; warpgroup < warpgroups; ++warpgroup)
      for (int tile = cluster + warpgroup * clusters; tile < tiles; tile += clusters * warpgroups) {
        const tile_position p = order.at(tile);
        if (p.row < 0 || p.row >= order.grid.rows || p.column < 0 || p.column >= order.grid.columns) return false;
        char& mark = seen[static_cast<std::size_t>(p.row) * static_cast<std::size_t>(order.grid.columns) + static_cast<std::size_t>(p.column)];
        if (mark++) return false;
      }
  for (const char mark : seen)
    if (!mark) return false;
  return true;
}

TEST(tile_schedule, covers_every_tile_once_for_random_shapes) {
  std::mt19937 random(20261129);
  const auto upto = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)) + 1; };
  for (int i = 0; i < 300000; ++i) {
    const bool pairs = random() % 2;
    const int cluster_m = pairs && i % 3 ? 2 : 1, cluster_n = pairs && i % 3 == 0 ? 2 : 1, swapped = upto(6) - 4, turns = upto(2);
    const schedule kind = random() % 2 ? schedule::pingpong : schedule::cooperative;
    const paired_config c = swapped > 0 ? paired_config{schedule::swapped, upto(24), 64 * swapped, 4, cluster_m, cluster_n, std::max(swapped, turns)}
                                        : paired_config{kind, upto(2), 8 * upto(16), 4, cluster_m, cluster_n};
    const std::int64_t m = random() % 4 ? upto(600) : upto(9000), n = 8 * (random() % 4 ? upto(120) : upto(1200));
    const int sm_count = random() % 2 ? 132 : 2 * upto(80), group = upto(20);
    ASSERT_TRUE(covers_once(c, m, n, sm_count, group))
        << "m " << m << " n " << n << " rows " << c.tile_rows() << " width " << c.pair_width << " cluster " << c.cluster_m << "x" << c.cluster_n
        << " sms " << sm_count << " group " << group;
  }
}

TEST(tile_schedule, the_tiles_of_the_grid_cover_the_output) {
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) {
    const paired_config c = i % 4 ? paired_config{schedule::pingpong, 1 + i % 2, 8 * (1 + i % 16), 4, 1 + i % 2, 1}
                                  : paired_config{schedule::swapped, 1 + i / 4 % 24, 64 + i / 4 % 2 * 64, 4, 1 + i / 8 % 2, 1, 1 + i / 4 % 2};
    const std::int64_t m = random() % 5000 + 1, n = 8 * (random() % 5000 + 1);
    const tile_grid grid = tiles_of(c, m, n);
    EXPECT_GE(std::int64_t{grid.rows} * c.tile_rows() * c.cluster_m, m);
    EXPECT_LT(std::int64_t{grid.rows - 1} * c.tile_rows() * c.cluster_m, m);
    EXPECT_GE(std::int64_t{grid.columns} * c.pair_width * c.cluster_n, n);
    EXPECT_LT(std::int64_t{grid.columns - 1} * c.pair_width * c.cluster_n, n);
  }
}

// The producer walks the K blocks of all tiles; each pingpong warpgroup multiplies every other tile and skips the rest. All must name the
// same stage and parity for the same K block.
TEST(ring_position, warpgroups_meet_the_producer) {
  constexpr int stages = 5;
  for (int blocks = 1; blocks <= 23; ++blocks) {
    ring_position<stages> producer, consumer[2];
    consumer[1].skip(blocks);
    for (int tile = 0; tile < 40; ++tile) {
      ring_position<stages>& c = consumer[tile % 2];
      for (int block = 0; block < blocks; ++block) {
        ASSERT_EQ(producer.stage, c.stage);
        ASSERT_EQ(producer.parity, c.parity);
        producer.advance();
        c.advance();
      }
      c.skip(blocks);
    }
  }
}

// A turn is handed over exactly as often as it is waited for: no arrival is left at a named barrier when the kernel ends.
TEST(pingpong, every_turn_that_is_given_is_taken) {
  for (int tiles = 1; tiles < 60; ++tiles)
    for (int clusters = 1; clusters <= tiles && clusters < 20; ++clusters)
      for (int cluster = 0; cluster < clusters; ++cluster) {
        int given[2] = {1, 0}, taken[2] = {0, 0};
        for (int w = 0; w < 2; ++w)
          for (int tile = cluster + w * clusters; tile < tiles; tile += 2 * clusters) {
            ++taken[w];
            if (tile + clusters < tiles) ++given[w ^ 1];
          }
        EXPECT_EQ(given[0], taken[0]);
        EXPECT_EQ(given[1], taken[1]);
      }
}

// X is held while a later wave reads it again, never in the last one, and never more of it than fits.
TEST(what_to_hold, is_what_a_later_wave_reads_and_fits) {
  constexpr std::int64_t h200 = 60 << 20;
  const held_x whole = what_to_hold(384, 66, 1024, 80, h200);  // 14B, m = 1024: X is 10.5 MB
  EXPECT_EQ(whole.tiles, 318);
  EXPECT_EQ(whole.k_blocks, 80);
  EXPECT_EQ(what_to_hold(384, 66, 2048, 80, h200).k_blocks, 40) << "21 MB of X: its first half";
  EXPECT_EQ(what_to_hold(66, 66, 1024, 80, h200).tiles, 0) << "one wave reads X once";
  EXPECT_EQ(what_to_hold(3, 3, 16, 14, h200).tiles, 0);
  EXPECT_EQ(what_to_hold(384, 66, 1024, 80, 0).k_blocks, 0) << "a device whose L2 is not known";
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const int clusters = static_cast<int>(random() % 132) + 1, tiles = clusters + static_cast<int>(random() % 3000);
    const int k_blocks = static_cast<int>(random() % 500) + 1;
    const std::int64_t rows = random() % 70000 + 1;
    const held_x held = what_to_hold(tiles, clusters, rows, k_blocks, h200);
    ASSERT_LE(held.k_blocks, k_blocks);
    ASSERT_LE(rows * held.k_blocks * k_block * 2, h200 / 6);
    ASSERT_TRUE(held.k_blocks == k_blocks || rows * (held.k_blocks + 1) * k_block * 2 > h200 / 6) << "more would have fit";
    for (int tile = std::max(0, held.tiles - 3); tile < held.tiles + 3; ++tile) ASSERT_EQ(tile < held.tiles, tile >= 0 && tile + clusters < tiles);
  }
}

TEST(launched_clusters, are_as_many_as_fit) {
  const paired_config swapped{schedule::swapped, 20, 64, 6, 2, 1, 1};
  EXPECT_EQ(launched_clusters(swapped, 320, 3584, 132), 56) << "pairs of 160 x 64 tiles, none of them padded";
  EXPECT_EQ(launched_clusters(swapped, 328, 3584, 132), 66) << "of 112, half of which have no rows in their second tile";
  const paired_config c{schedule::pingpong, 2, 96, 4, 2, 1};
  EXPECT_EQ(launched_clusters(c, 256, 96 * 65, 132), 65);
  EXPECT_EQ(launched_clusters(c, 1, 8, 132), 1);
  EXPECT_EQ(launched_clusters(c, 8192, 18944, 132), 66);
}

}  // namespace
}  // namespace tileglu::sm90
