// Rows of the paired kernel. A name says: p, c, t or tp (pingpong, cooperative, swapped operands, swapped with pingpong), rows x pair width,
// s stages, c cluster.
// Their ratios were measured on an NVIDIA H200 on 2026-11-29, weights cold, in CUDA graphs (docs/lab-book.md). They are what is left of
// 74 rows after those went that the rest replaces within 1.2 % in each of 110 cells (eleven shapes, m = 24 to 8192), with a few widths kept
// for shapes that were not raced; and of 36 rows with swapped operands, those that win somewhere by 1 % (17 cells, then 39).
#pragma once

#include <array>
#include <string_view>

#include "plan/config/kernel_row.hpp"
#include "plan/config/paired_shape.hpp"

namespace tileglu::plan_detail {

constexpr kernel_row paired_row(std::string_view name, const paired_config& config, std::string_view evidence) {
  return {name, kernel_family::paired, backend_id::sm90, config, evidence};
}

/// Two warpgroups of 64 or 128 rows, or three of 64.
constexpr kernel_row cooperative_row(std::string_view name, int rows, int width, int stages, int cluster_m, int cluster_n,
                                     std::string_view evidence) {
  const int warpgroups = rows == 192 ? 3 : 2;
  return paired_row(name, {schedule::cooperative, rows / 64 / warpgroups, width, stages, cluster_m, cluster_n, warpgroups}, evidence);
}

constexpr kernel_row pingpong_row(std::string_view name, int rows, int width, int stages, int cluster_m, int cluster_n, std::string_view evidence) {
  return paired_row(name, {schedule::pingpong, rows / 64, width, stages, cluster_m, cluster_n}, evidence);
}

/// A warpgroup for 64 columns; rows by eights.
constexpr kernel_row swapped_row(std::string_view name, int rows, int width, int stages, int cluster_m, int cluster_n, std::string_view evidence) {
  return paired_row(name, {schedule::swapped, rows / 8, width, stages, cluster_m, cluster_n, width / 64}, evidence);
}

/// Two warpgroups that take turns at tiles of 64 columns.
constexpr kernel_row swapped_pingpong_row(std::string_view name, int rows, int stages, int cluster_m, int cluster_n, std::string_view evidence) {
  return paired_row(name, {schedule::swapped, rows / 8, 64, stages, cluster_m, cluster_n, 2}, evidence);
}

inline constexpr auto paired_rows = [] {
  constexpr std::string_view between = "a width between its neighbours', to fill a wave";
  return std::array{
      // One or two waves: both warpgroups on one tile, half the epilogue each.
      cooperative_row("paired_c128x128_s4_c2x1", 128, 128, 4, 2, 1, "1.004 of the bare product, 72B, m = 512, burst"),
      cooperative_row("paired_c128x120_s4_c2x1", 128, 120, 4, 2, 1, between),
      cooperative_row("paired_c128x112_s4_c2x1", 128, 112, 4, 2, 1, "0.959 of the bare product, 72B, m = 256, burst"),
      cooperative_row("paired_c128x112_s4_c1x2", 128, 112, 4, 1, 2, "0.946 of the bare product, 14B, m = 128, burst"),
      cooperative_row("paired_c128x96_s5_c2x1", 128, 96, 5, 2, 1, between),
      cooperative_row("paired_c128x88_s5_c2x1", 128, 88, 5, 2, 1, between),
      cooperative_row("paired_c128x88_s5_c1x1", 128, 88, 5, 1, 1, "0.958 of the bare product, 3B, m = 128, burst"),
      cooperative_row("paired_c128x80_s5_c1x1", 128, 80, 5, 1, 1, "0.993 of the bare product, 0.5B, m = 256, burst"),
      cooperative_row("paired_c128x72_s6_c2x1", 128, 72, 6, 2, 1, between),
      cooperative_row("paired_c128x72_s6_c1x1", 128, 72, 6, 1, 1, "0.941 of the bare product, 1.5B, m = 128, burst"),
      cooperative_row("paired_c128x64_s6_c1x1", 128, 64, 6, 1, 1, between),
      cooperative_row("paired_c128x56_s7_c1x1", 128, 56, 7, 1, 1, "0.985 of the bare product, k = 4096, n = 7168, m = 96, burst"),
      cooperative_row("paired_c128x48_s7_c1x1", 128, 48, 7, 1, 1, between),
      cooperative_row("paired_c128x40_s8_c1x1", 128, 40, 8, 1, 1, "1.047 of the bare product, 0.5B, m = 128, burst"),
      cooperative_row("paired_c128x32_s8_c1x1", 128, 32, 8, 1, 1, "1.030 of the bare product, k = 4096, n = 3584, m = 96, burst"),
      // m of 192, 320, 384.
      cooperative_row("paired_c192x88_s4_c1x1", 192, 88, 4, 1, 1, "1.017 of the bare product, 3B, m = 192, burst"),
      cooperative_row("paired_c192x72_s4_c1x1", 192, 72, 4, 1, 1, "0.861 of the bare product, 7B, m = 192, burst"),
      cooperative_row("paired_c192x56_s5_c1x1", 192, 56, 5, 1, 1, "0.954 of the bare product, 14B, m = 192, burst"),
      cooperative_row("paired_c192x40_s6_c1x1", 192, 40, 6, 1, 1, "1.114 of the bare product, k = 4096, n = 3584, m = 192, burst"),
      // Large K, and m of 256 in one wave: fewer bytes from L2 for each product, the epilogue under the tile's own products.
      cooperative_row("paired_c256x96_s3_c2x1", 256, 96, 3, 2, 1, "0.922 of the bare product, 7B, m = 8192, sustained; 0.961, 72B, m = 8192, burst"),
      cooperative_row("paired_c256x96_s3_c1x2", 256, 96, 3, 1, 2, "0.976 of the bare product, 72B, m = 4096, burst"),
      cooperative_row("paired_c256x88_s3_c2x1", 256, 88, 3, 2, 1, between),
      cooperative_row("paired_c256x72_s4_c2x1", 256, 72, 4, 2, 1, "0.958 of the bare product, 7B, m = 512, burst"),
      cooperative_row("paired_c256x72_s4_c1x2", 256, 72, 4, 1, 2, "1.016 of the bare product, 32B, m = 256, burst"),
      cooperative_row("paired_c256x64_s4_c1x2", 256, 64, 4, 1, 2, between),
      cooperative_row("paired_c256x56_s4_c1x2", 256, 56, 4, 1, 2, between),
      // Many waves: one warpgroup's epilogue under the other's products.
      pingpong_row("paired_p128x96_s5_c2x1", 128, 96, 5, 2, 1, "0.936 of the bare product, 1.5B, m = 1024, burst"),
      pingpong_row("paired_p128x96_s4_c2x1", 128, 96, 4, 2, 1, "0.885 of the bare product, 0.5B, m = 4096, burst"),
      pingpong_row("paired_p128x88_s4_c2x1", 128, 88, 4, 2, 1, "0.889 of the bare product, 0.5B, m = 2048, burst"),
      pingpong_row("paired_p128x80_s5_c2x1", 128, 80, 5, 2, 1, "0.969 of the bare product, 0.5B, m = 1024, burst"),
      pingpong_row("paired_p128x72_s5_c2x1", 128, 72, 5, 2, 1, between),
      pingpong_row("paired_p128x64_s6_c2x1", 128, 64, 6, 2, 1, between),
      // Few rows.
      pingpong_row("paired_p64x112_s5_c1x1", 64, 112, 5, 1, 1, "0.970 of the bare product, 14B, m = 64, burst"),
      pingpong_row("paired_p64x104_s5_c1x1", 64, 104, 5, 1, 1, between),
      pingpong_row("paired_p64x96_s6_c1x1", 64, 96, 6, 1, 1, between),
      pingpong_row("paired_p64x88_s6_c1x1", 64, 88, 6, 1, 1, "0.972 of the bare product, 3B, m = 64, burst"),
      pingpong_row("paired_p64x80_s7_c1x1", 64, 80, 7, 1, 1, between),
      pingpong_row("paired_p64x72_s7_c1x1", 64, 72, 7, 1, 1, "0.862 of the bare product, 1.5B, m = 64, burst"),
      pingpong_row("paired_p64x64_s8_c1x1", 64, 64, 8, 1, 1, between),
      pingpong_row("paired_p64x56_s8_c1x1", 64, 56, 8, 1, 1, "0.987 of the bare product, k = 4096, n = 7168, m = 24, burst"),
      pingpong_row("paired_p64x48_s9_c1x1", 64, 48, 9, 1, 1, "0.972 of the bare product, 7B, m = 64, burst"),
      pingpong_row("paired_p64x40_s10_c1x1", 64, 40, 10, 1, 1, "0.902 of the bare product, 0.5B, m = 64, burst"),
      pingpong_row("paired_p64x32_s12_c1x1", 64, 32, 12, 1, 1, "0.984 of the bare product, k = 4096, n = 3584, m = 24, burst"),
      // Swapped operands: m that tiles of 64 rows fill badly, where 64 or 128 columns fill the waves.
      swapped_row("paired_t160x128_s4_c1x1", 160, 128, 4, 1, 1, "0.997 of the bare product, k = 4096, n = 7168, m = 320, burst"),
      swapped_row("paired_t144x128_s4_c1x1", 144, 128, 4, 1, 1, "0.955 of the bare product, 72B, m = 144; 0.962, k = 4096, n = 7168, m = 288, burst"),
      swapped_row("paired_t160x64_s6_c1x1", 160, 64, 6, 1, 1, "1.040 of the bare product, k = 4096, n = 3584, m = 320; 1.003, 72B, m = 320, burst"),
      swapped_row("paired_t112x64_s7_c2x1", 112, 64, 7, 2, 1, "0.865 of the bare product, k = 4096, n = 3584, m = 224, burst"),
      swapped_row("paired_t96x64_s7_c2x1", 96, 64, 7, 2, 1, "0.867 of the bare product, k = 4096, n = 3584, m = 176; 0.898, m = 192, burst"),
      swapped_row("paired_t80x64_s8_c2x1", 80, 64, 8, 2, 1, "1.101 of the bare product, k = 4096, n = 3584, m = 160, burst"),
      swapped_pingpong_row("paired_tp176x64_s5_c1x1", 176, 5, 1, 1, "0.934 of the bare product, 72B, m = 352, burst"),
      swapped_pingpong_row("paired_tp144x64_s6_c1x1", 144, 6, 1, 1, "1.003 of the bare product, k = 4096, n = 3584, m = 288, burst"),
  };
}();

static_assert([] {
  for (const kernel_row& row : paired_rows)
    if (!is_buildable(std::get<paired_config>(row.config))) return false;
  return true;
}(), "a row of the paired kernel breaks a rule of is_buildable()");

}  // namespace tileglu::plan_detail
