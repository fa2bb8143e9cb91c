// Kernel-2's index maps, replayed on the host: which accumulator ends where in the output.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <variant>
#include <vector>

#include "plan/config/interleaved_shape.hpp"
#include "plan/tables/paper_rows.hpp"
#include "sm90/interleaved/pair_map.hpp"

namespace {

using namespace tileglu;
namespace map = sm90::interleaved::pair_map;

/// An output of a subtile, named by its place.
struct output {
  int row = -1, column = -1;
};

/// What PairMulStore::visit does to one warp's registers, with places for values: words[lane][half][j] = two outputs, the first in the low half.
using warp_words = std::array<std::array<std::array<std::array<output, 2>, 4>, 2>, 32>;

warp_words visit(int warp) {
  warp_words words{};
  for (int t = 0; t < map::subtile_outputs / 8; ++t) {
    // packed[lane][column: first, second][row r, row r + 8]
    std::array<std::array<std::array<output, 2>, 2>, 32> packed;
    for (int lane = 0; lane < 32; ++lane)
      for (int b = 0; b < 2; ++b)
        for (int half = 0; half < 2; ++half) {
          const int i = 8 * t + 4 * b + 2 * half;
          const map::position gate = map::of_register(32 * warp + lane, i), up = map::of_register(32 * warp + lane, i + 1);
          EXPECT_EQ(gate.column % 2, 0);
          EXPECT_EQ(up, (map::position{gate.row, gate.column + 1}));
          const map::position out = map::output_of(gate);
          packed[lane][b][half] = {out.row, out.column};
        }
    for (int lane = 0; lane < 32; ++lane) {
      const int q = lane % 4;
      std::array<std::array<output, 2>, 2> round;
      for (int r = 0; r < 2; ++r) {
        const int from = (lane & ~3) + map::source(q, r);
        round[r] = packed[from][map::sends_first(from % 4, r) ? 0 : 1];
      }
      const auto& low = round[map::round_of_low(q)];
      const auto& high = round[1 - map::round_of_low(q)];
      for (int half = 0; half < 2; ++half) words[lane][t / 2][t % 2 * 2 + half] = {low[half], high[half]};
    }
  }
  return words;
}

/// TMA's 64-byte swizzle as the hardware defines it: address bits 4-5 xored with bits 7-8.
std::uint32_t swizzled(std::uint32_t address) { return address ^ ((address >> 3) & 0x30u); }

void replay(int rows) {
  const int warps = rows / 16;
  std::vector<output> shared(static_cast<std::size_t>(rows) * map::subtile_outputs);  // by 2-byte element
  for (int warp = 0; warp < warps; ++warp) {
    const warp_words words = visit(warp);
    for (int half = 0; half < 2; ++half)
      for (int matrix = 0; matrix < 4; ++matrix) {
        std::set<std::uint32_t> banks;
        for (int r = 0; r < 8; ++r) {
          const map::position at = map::stmatrix_address(8 * matrix + r, half);
          const std::uint32_t base = map::chunk_offset(16 * warp + at.row, at.column);
          for (int bank = 0; bank < 4; ++bank) banks.insert(base / 4 % 32 + static_cast<std::uint32_t>(bank));
          for (int c = 0; c < 8; ++c) {  // stmatrix: element c of row r comes from lane 4r + c / 2
            output& cell = shared[base / 2 + static_cast<std::uint32_t>(c)];
            EXPECT_EQ(cell.row, -1) << "written twice";
            cell = words[4 * r + c / 2][half][matrix][c % 2];
          }
        }
        EXPECT_EQ(banks.size(), 32u) << "bank conflict";
      }
  }
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < map::subtile_outputs; ++column) {
      const output& cell = shared[swizzled(static_cast<std::uint32_t>(row * map::row_bytes + column * 2)) / 2];
      ASSERT_EQ(cell.row, row) << "at " << row << ", " << column;
      ASSERT_EQ(cell.column, column) << "at " << row << ", " << column;
    }
}

TEST(PairMap, EveryOutputIsWrittenOnceWhereTmaReadsIt) {
  replay(64);   // pingpong: one warpgroup
  replay(128);  // cooperative: two warpgroups, 64 rows each
}

TEST(InterleavedRows, SubtilesCoverTheTileOfOutputsOnce) {
  for (const kernel_row& row : plan_detail::interleaved_rows) {
    const auto& c = std::get<interleaved_config>(row.config);
    ASSERT_TRUE(is_buildable(c)) << row.name;
    const int subtile_rows = c.schedule == schedule::pingpong ? 64 : 128;
    std::vector<int> written(static_cast<std::size_t>(c.tile_rows) * c.tile_columns / 2);
    for (int m = 0; m < c.tile_rows / subtile_rows; ++m)
      for (int n = 0; n < c.tile_columns / map::subtile_columns; ++n)
        for (int thread = 0; thread < 2 * subtile_rows; ++thread)
          for (int i = 0; i < map::subtile_registers; i += 2) {
            const map::position out = map::output_of(map::of_register(thread, i));
            ++written[static_cast<std::size_t>(m * subtile_rows + out.row) * (c.tile_columns / 2) + n * map::subtile_outputs + out.column];
          }
    for (int count : written) ASSERT_EQ(count, 1) << row.name;
  }
}

TEST(InterleavedRows, BandsAddFewTiles) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200000; ++trial) {
    const auto& c = std::get<interleaved_config>(plan_detail::interleaved_rows[random() % plan_detail::interleaved_rows.size()].config);
    const std::int64_t m = 1 + random() % 9000, n = 8 * (1 + random() % 4000);
    const std::int64_t rows = (m + c.tile_rows * c.cluster_m - 1) / (c.tile_rows * c.cluster_m);
    const std::int64_t columns = (2 * n + c.tile_columns * c.cluster_n - 1) / (c.tile_columns * c.cluster_n);
    const int band = raster_band(c, m, n, 132, 8);
    ASSERT_TRUE(band == 1 || band == 2 || band == 4 || band == 8);
    const auto padded = [&](std::int64_t count) { return (count + band - 1) / band * band; };
    ASSERT_LE(padded(rows) * padded(columns) * 100, rows * columns * 103) << "m " << m << " n " << n;
    ASSERT_LE(raster_band(c, m, n, 132, 2), 2);
  }
  constexpr interleaved_config c{schedule::pingpong, 128, 192, 2, 1};
  EXPECT_EQ(raster_band(c, 64, 18944, 132, 8), 1);    // one row of clusters
  EXPECT_EQ(raster_band(c, 2048, 13824, 132, 8), 1);  // 8 rows and 9 columns a wave either way: then no band straddles two waves
  EXPECT_EQ(raster_band(c, 4096, 18944, 132, 8), 8);  // 16 x 198: 200 columns are 1 % more; a wave of 9 rows and 8 columns, not 16 and 5
}

}  // namespace
