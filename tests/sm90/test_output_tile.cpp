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

// Swapped operands: D is [64 output columns, rows of X]. What the epilogue does with it, replayed: registers to stmatrix.trans to the buffer
// of a piece, read back as TMA does. Every output must come from the accumulator that holds it, once.
TEST(swapped_output, lands_row_major_once) {
  for (int tile_rows = 8; tile_rows <= 192; tile_rows += 8)
    for (const int piece_rows : {8, 16, 32}) {
      if (tile_rows % piece_rows) continue;
      std::vector<int> y(static_cast<std::size_t>(tile_rows * 64), -1);  // [tile_rows][64]: which accumulator was stored, row * 64 + column
      for (int first = 0; first < tile_rows; first += piece_rows) {
        std::vector<int> buffer(static_cast<std::size_t>(piece_rows * 64), -1);  // 2-byte elements
        for (int warp = 0; warp < 4; ++warp)
          for (int r = 0; r < piece_rows; r += 16) {
            const int matrices = piece_rows - r >= 16 ? 4 : 2;
            for (int matrix = 0; matrix < matrices; ++matrix)
              for (int lane = 0; lane < 32; ++lane)
                for (int side = 0; side < 2; ++side) {
                  const accumulator_position d = accumulator_at(warp * 32 + lane, (first + r) / 2 + 2 * matrix + side);  // row: column of Y
                  // stmatrix.trans: lane l gives row l % 4 * 2 + side of its matrix, element l / 4; lane 8 * matrix + row addresses the row.
                  const int row_of_matrix = lane % 4 * 2 + side, addressing = 8 * matrix + row_of_matrix;
                  const int row = matrices == 4 ? r + transposed_row(addressing) : r + addressing % 8;
                  const int at = output_offset(64, row, transposed_group(warp, addressing)) / 2 + lane / 4;
                  ASSERT_EQ(buffer[static_cast<std::size_t>(at)], -1) << "written twice";
                  buffer[static_cast<std::size_t>(at)] = d.column * 64 + d.row;
                }
          }
        for (int row = 0; row < piece_rows; ++row)
          for (int column = 0; column < 64; ++column) {
            int address = row * 128 + column * 2;
            address ^= (address >> 3) & 0x70;
            y[static_cast<std::size_t>((first + row) * 64 + column)] = buffer[static_cast<std::size_t>(address / 2)];
          }
      }
      for (int i = 0; i < tile_rows * 64; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], i) << tile_rows << " " << piece_rows;
    }
}

TEST(swapped_output, the_pair_of_a_silu_is_in_the_neighbour_lane) {
  for (int thread = 0; thread < 128; ++thread)
    for (int index = 0; index < 96; ++index) {
      const accumulator_position own = accumulator_at(thread, index), other = accumulator_at(thread ^ neighbour_lane_mask, index);
      EXPECT_EQ(own.column, other.column) << "the row of X";
      EXPECT_EQ(own.row ^ 1, other.row) << "an even column of Y and the next";
    }
}

TEST(swapped_output, eight_rows_of_stmatrix_hit_all_banks) {
  for (int warp = 0; warp < 4; ++warp)
    for (int matrix = 0; matrix < 4; ++matrix) {
      std::set<int> banks;
      for (int lane = 8 * matrix; lane < 8 * matrix + 8; ++lane)
        banks.insert(output_offset(64, transposed_row(lane), transposed_group(warp, lane)) / 16 % 8);
      EXPECT_EQ(banks.size(), 8u);
    }
}

}  // namespace
}  // namespace tileglu::sm90
