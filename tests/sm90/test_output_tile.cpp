// The maps from accumulators to the output buffer: bijective, free of bank conflicts, and the pair of an output in one thread.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sm90/device/output_tile.hpp"

namespace tileglu::sm90 {
namespace {

TEST(accumulators, cover_the_block_once) {
  for (int n = 16; n <= 256; n += 16) {
    std::set<std::pair<int, int>> seen;
    for (int thread = 0; thread < 128; ++thread)
      for (int index = 0; index < n / 2; ++index) {
        const accumulator_position p = accumulator_at(thread, index);
        EXPECT_TRUE(p.row >= 0 && p.row < 64 && p.column >= 0 && p.column < n);
        EXPECT_TRUE(seen.insert({p.row, p.column}).second);
      }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(64 * n));
  }
}

TEST(accumulators, gate_and_up_meet_in_one_thread) {
  for (int width = 8; width <= 128; width += 8)
    for (int thread = 0; thread < 128; ++thread)
      for (int r = 0; r < width / 2; ++r) {
        const accumulator_position gate = accumulator_at(thread, r), up = accumulator_at(thread, r + width / 2);
        EXPECT_EQ(gate.row, up.row);
        EXPECT_EQ(gate.column + width, up.column);
        EXPECT_LT(gate.column, width);
      }
}

TEST(output_buffer, is_filled_once_and_exactly) {
  for (int width = 8; width <= 128; width += 8) {
    std::vector<char> taken(static_cast<std::size_t>(64 * width / 8), 0);
    for (int row = 0; row < 64; ++row)
      for (int group = 0; group < width / 8; ++group) {
        const int offset = output_offset(width, row, group);
        ASSERT_TRUE(offset >= 0 && offset % 16 == 0 && offset < 64 * width * 2) << width;
        EXPECT_EQ(taken[static_cast<std::size_t>(offset / 16)]++, 0) << width;
      }
  }
}

// What the TMA unit does with a box of 64 rows x panel: row after row, 16-byte chunk index xored with address bits 7 and up.
TEST(output_buffer, is_laid_out_as_tma_reads_it) {
  for (int width = 8; width <= 128; width += 8) {
    const output_panels panels = panels_of(width);
    ASSERT_EQ(width % panels.columns, 0);
    if (panels.swizzle_bytes) {
      ASSERT_EQ(panels.columns * 2, panels.swizzle_bytes) << "a row of the box is one span of the swizzle";
    }
    for (int row = 0; row < 64; ++row)
      for (int group = 0; group < width / 8; ++group) {
        const int panel = 8 * group / panels.columns, inside = 8 * group % panels.columns * 2;
        int address = panel * 64 * panels.columns * 2 + row * panels.columns * 2 + inside;
        if (panels.swizzle_bytes == 128) address ^= (address >> 3) & 0x70;
        if (panels.swizzle_bytes == 64) address ^= (address >> 3) & 0x30;
        if (panels.swizzle_bytes == 32) address ^= (address >> 3) & 0x10;
        EXPECT_EQ(output_offset(width, row, group), address) << width;
      }
    EXPECT_EQ(panels.columns * 2 % 16, 0);
    EXPECT_EQ(64 * panels.columns * 2 % 128, 0) << "TMA's source is 128-byte aligned";
  }
}

TEST(output_buffer, eight_rows_of_stmatrix_hit_all_banks) {
  for (int width = 8; width <= 128; width += 8)
    for (int group = 0; group < width / 8; ++group)
      for (int row = 0; row < 64; row += 8) {
        std::set<int> banks;
        for (int r = 0; r < 8; ++r) banks.insert(output_offset(width, row + r, group) / 16 % 8);
        EXPECT_EQ(banks.size(), 8u) << width;
      }
}

// stmatrix: lane l addresses row l % 8 of matrix l / 8, and matrix i takes register i of every lane: row lane / 4, columns lane % 4 * 2, + 1.
TEST(stmatrix, writes_each_accumulator_where_it_belongs) {
  for (int width = 16; width <= 128; width += 16)
    for (int thread = 0; thread < 128; ++thread)
      for (int group = 0; group < width / 8; group += 2)
        for (int matrix = 0; matrix < 4; ++matrix)
          for (int side = 0; side < 2; ++side) {
            const int warp = thread / 32, lane = thread % 32;
            const accumulator_position p = accumulator_at(thread, 4 * group + 2 * matrix + side);
            const int addressing_lane = matrix * 8 + lane / 4;
            EXPECT_EQ(stmatrix_row(warp, addressing_lane), p.row);
            EXPECT_EQ((group + stmatrix_group(addressing_lane)) * 8 + lane % 4 * 2 + side, p.column);
          }
}

}  // namespace
}  // namespace tileglu::sm90
