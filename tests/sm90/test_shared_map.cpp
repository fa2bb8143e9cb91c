// Shared memory of the paired kernel: its parts lie apart, aligned as TMA and wgmma need, inside the limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "plan/config/paired_shape.hpp"

namespace tileglu {
namespace {

std::vector<paired_config> every_buildable() {
  std::vector<paired_config> all;
  for (const schedule kind : {schedule::pingpong, schedule::cooperative})
    for (int blocks = 1; blocks <= 2; ++blocks)
      for (int width = 8; width <= 128; width += 8)
        for (int stages = 2; stages <= 12; ++stages)
          for (const auto& [cm, cn] : {std::pair{1, 1}, std::pair{2, 1}, std::pair{1, 2}}) {
            for (int warpgroups = 2; warpgroups <= 3; ++warpgroups) {
              const paired_config c{kind, blocks, width, stages, cm, cn, warpgroups};
              if (is_buildable(c)) all.push_back(c);
            }
          }
  for (int blocks = 1; blocks <= 24; ++blocks)
    for (int warpgroups = 1; warpgroups <= 2; ++warpgroups)
      for (int stages = 2; stages <= 12; ++stages)
        for (const auto& [cm, cn] : {std::pair{1, 1}, std::pair{2, 1}, std::pair{1, 2}}) {
          for (int width = 64; width <= 64 * warpgroups; width += 64) {
            const paired_config c{schedule::swapped, blocks, width, stages, cm, cn, warpgroups};
            if (is_buildable(c)) all.push_back(c);
          }
        }
  return all;
}

TEST(shared_map, parts_lie_apart_and_inside) {
  const auto all = every_buildable();
  ASSERT_GT(all.size(), 500u);
  for (const paired_config& c : all) {
    const paired_shared_map m = shared_map(c);
    const int x_bytes = c.stages * c.tile_rows() * 128, weight_bytes = c.stages * 2 * c.pair_width * 128;
    const auto& [rows, buffers] = m.buffering;
    const int output_bytes = c.warpgroups * buffers * rows * warpgroup_columns(c) * 2;
    EXPECT_GE(m.weights, m.x + x_bytes);
    EXPECT_GE(m.output, m.weights + weight_bytes);
    EXPECT_GE(m.full, m.output + output_bytes);
    EXPECT_GE(m.empty, m.full + 8 * c.stages);
    EXPECT_GE(m.bytes, m.empty + 8 * c.stages);
    EXPECT_LE(shared_bytes(c), sm90_shared_limit);
    EXPECT_GE(buffers, 1);
    if (c.is_swapped()) {
      EXPECT_EQ(c.tile_rows() % rows, 0) << "pieces fill the tile";
      EXPECT_LE(buffers, c.tile_rows() / rows) << "no piece of a tile waits for the same tile's first";
    } else {
      EXPECT_TRUE(rows == 64 && (buffers == 1 || buffers == c.row_blocks));
    }
  }
}

TEST(shared_map, operands_are_aligned_to_the_swizzle) {
  for (const paired_config& c : every_buildable()) {
    const paired_shared_map m = shared_map(c);
    for (int stage = 0; stage < c.stages; ++stage) {
      EXPECT_EQ((m.x + stage * c.tile_rows() * 128) % 1024, 0);
      EXPECT_EQ((m.weights + stage * 2 * c.pair_width * 128) % 1024, 0);
      EXPECT_EQ((m.weights + stage * 2 * c.pair_width * 128 + c.pair_width * 128) % 1024, 0) << "the up rows are a TMA box of their own";
    }
    EXPECT_EQ(c.tile_rows() % c.cluster_n, 0);
    EXPECT_EQ(c.tile_rows() / c.cluster_n % 8, 0) << "a multicast share of X starts at a swizzle atom of 8 rows";
    EXPECT_EQ(m.full % 8, 0);
    EXPECT_EQ(m.output % 1024, 0) << "output panels with a 128-byte swizzle";
    if (c.is_swapped()) {
      EXPECT_EQ(output_bytes(c, m.buffering) % 1024, 0) << "so is every buffer";
    }
  }
}

TEST(shared_map, a_configuration_that_does_not_fit_is_not_buildable) {
  EXPECT_TRUE(is_buildable({schedule::pingpong, 2, 96, 4, 2, 1}));
  EXPECT_FALSE(is_buildable({schedule::pingpong, 2, 96, 6, 2, 1})) << "shared memory";
  EXPECT_FALSE(is_buildable({schedule::pingpong, 2, 104, 3, 2, 1})) << "accumulators";
  EXPECT_FALSE(is_buildable({schedule::pingpong, 2, 92, 3, 2, 1})) << "wgmma takes multiples of 8";
  EXPECT_TRUE(is_buildable({schedule::cooperative, 1, 96, 3, 1, 2, 3}));
  EXPECT_FALSE(is_buildable({schedule::pingpong, 1, 64, 4, 1, 1, 3})) << "two take turns";
  EXPECT_FALSE(is_buildable({schedule::cooperative, 1, 104, 3, 1, 1, 3})) << "registers of three warpgroups";
  EXPECT_FALSE(is_buildable({schedule::pingpong, 2, 64, 3, 2, 2})) << "clusters of four leave SMs idle";
}

TEST(shared_map, swapped_operands_have_rules_of_their_own) {
  EXPECT_TRUE(is_buildable({schedule::swapped, 20, 64, 6, 2, 1, 1})) << "160 rows x 64 columns";
  EXPECT_TRUE(is_buildable({schedule::swapped, 24, 128, 3, 1, 2, 2})) << "192 x 128";
  EXPECT_FALSE(is_buildable({schedule::swapped, 20, 64, 7, 1, 1, 1})) << "shared memory";
  EXPECT_FALSE(is_buildable({schedule::swapped, 25, 64, 4, 1, 1, 1})) << "accumulators";
  EXPECT_TRUE(is_buildable({schedule::swapped, 20, 64, 4, 1, 1, 2})) << "they take turns";
  EXPECT_FALSE(is_buildable({schedule::swapped, 20, 128, 3, 1, 1, 1})) << "a warpgroup has 64 columns";
  EXPECT_FALSE(is_buildable({schedule::swapped, 20, 72, 4, 1, 1, 1})) << "a warpgroup has 64 columns";
  EXPECT_FALSE(is_buildable({schedule::swapped, 15, 64, 4, 1, 2, 1})) << "60 rows of X a CTA: half a swizzle atom";
  EXPECT_TRUE(is_buildable({schedule::swapped, 15, 64, 4, 2, 1, 1}));
}

// A piece's buffer is written when the stores of all but the last `buffers` - 1 pieces have read theirs; a tile's first piece waits for all.
TEST(shared_map, no_piece_overwrites_one_that_is_being_stored) {
  for (const paired_config& c : every_buildable()) {
    if (!c.is_swapped()) continue;
    const auto& [rows, buffers] = shared_map(c).buffering;
    const int pieces = c.tile_rows() / rows;
    std::vector<int> last(static_cast<std::size_t>(buffers), -1);  // the piece that was stored from the buffer, counted over tiles
    for (int piece = 0, read = 0; piece < 3 * pieces; ++piece) {  // the stores of pieces below `read` have been waited for
      const int in_tile = piece % pieces;
      read = in_tile == 0 ? piece : std::max(read, piece - (buffers - 1));
      int& before = last[static_cast<std::size_t>(in_tile % buffers)];
      if (before >= 0) {
        ASSERT_LT(before, read) << rows << " rows, " << buffers << " buffers, piece " << piece;
      }
      before = piece;
    }
  }
}

// The protocol of a stage's barriers, played by hand: each consumer warpgroup of each CTA that shares a load arrives once.
TEST(barriers, a_stage_waits_for_every_warpgroup_that_reads_or_writes_it) {
  for (const auto& [cm, cn] : {std::pair{1, 1}, std::pair{2, 1}, std::pair{1, 2}})
    for (int warpgroups = 1; warpgroups <= 3; ++warpgroups)
      for (int receiver = 0; receiver < cm * cn; ++receiver) {
        int arrivals = 0;
        for (int sender = 0; sender < cm * cn; ++sender)  // as paired_ring::release does it
          if (receiver % cm == sender % cm || receiver / cm == sender / cm) arrivals += warpgroups;
        EXPECT_EQ(arrivals, (cm + cn - 1) * warpgroups);
      }
}

}  // namespace
}  // namespace tileglu
