// Rows of the paired kernel. A name says: p or c (pingpong, cooperative), rows x pair width, s stages, c cluster.
#pragma once

#include <array>
#include <string_view>

#include "plan/config/kernel_row.hpp"
#include "plan/config/paired_shape.hpp"

namespace tileglu::plan_detail {

constexpr kernel_row paired_row(std::string_view name, schedule kind, int row_blocks, int pair_width, int stages, int cluster_m, int cluster_n,
                                std::string_view evidence) {
  return {name, kernel_family::paired, backend_id::sm90, paired_config{kind, row_blocks, pair_width, stages, cluster_m, cluster_n}, evidence};
}

inline constexpr auto paired_rows = [] {
  constexpr schedule c = schedule::cooperative, p = schedule::pingpong;
  constexpr std::string_view probe = "probe, H200, 2026-11-29", wave = "width between the probe's, to fill a wave";
  return std::array{
      // One wave: both warpgroups on one tile, half the epilogue each.
      paired_row("paired_c128x128_s4_c2x1", c, 1, 128, 4, 2, 1, probe),
      paired_row("paired_c128x128_s4_c1x2", c, 1, 128, 4, 1, 2, probe),
      paired_row("paired_c128x120_s4_c2x1", c, 1, 120, 4, 2, 1, wave),
      paired_row("paired_c128x112_s4_c2x1", c, 1, 112, 4, 2, 1, probe),
      paired_row("paired_c128x112_s4_c1x2", c, 1, 112, 4, 1, 2, probe),
      paired_row("paired_c128x104_s4_c2x1", c, 1, 104, 4, 2, 1, wave),
      paired_row("paired_c128x96_s5_c2x1", c, 1, 96, 5, 2, 1, probe),
      paired_row("paired_c128x88_s5_c2x1", c, 1, 88, 5, 2, 1, wave),
      paired_row("paired_c128x80_s5_c2x1", c, 1, 80, 5, 2, 1, probe),
      paired_row("paired_c128x80_s5_c1x1", c, 1, 80, 5, 1, 1, probe),
      paired_row("paired_c128x80_s5_c1x2", c, 1, 80, 5, 1, 2, probe),
      paired_row("paired_c128x72_s6_c2x1", c, 1, 72, 6, 2, 1, wave),
      paired_row("paired_c128x64_s6_c2x1", c, 1, 64, 6, 2, 1, probe),
      paired_row("paired_c128x56_s6_c2x1", c, 1, 56, 6, 2, 1, wave),
      paired_row("paired_c128x48_s7_c2x1", c, 1, 48, 7, 2, 1, probe),
      paired_row("paired_c128x48_s7_c1x2", c, 1, 48, 7, 1, 2, probe),
      // Large K: fewer bytes from L2 for each product.
      paired_row("paired_c256x96_s3_c2x1", c, 2, 96, 3, 2, 1, "probe: 0.971 of the bare product, 72B, m = 4096, sustained, H200, 2026-11-29"),
      paired_row("paired_c256x96_s3_c1x2", c, 2, 96, 3, 1, 2, probe),
      paired_row("paired_c256x80_s3_c2x1", c, 2, 80, 3, 2, 1, wave),
      paired_row("paired_c256x80_s3_c1x2", c, 2, 80, 3, 1, 2, "probe: 0.961 of the bare product, 72B, m = 4096, burst, H200, 2026-11-29"),
      paired_row("paired_c256x64_s4_c2x1", c, 2, 64, 4, 2, 1, wave),
      // Many waves: one warpgroup's epilogue under the other's products.
      paired_row("paired_p128x96_s5_c2x1", p, 2, 96, 5, 2, 1, probe),
      paired_row("paired_p128x96_s4_c2x1", p, 2, 96, 4, 2, 1, "probe: 0.974 of the bare product, 7B, m = 4096, burst, H200, 2026-11-29"),
      paired_row("paired_p128x96_s4_c1x2", p, 2, 96, 4, 1, 2, probe),
      paired_row("paired_p128x88_s4_c2x1", p, 2, 88, 4, 2, 1, wave),
      paired_row("paired_p128x80_s5_c2x1", p, 2, 80, 5, 2, 1, probe),
      paired_row("paired_p128x80_s5_c1x2", p, 2, 80, 5, 1, 2, probe),
      paired_row("paired_p128x72_s5_c2x1", p, 2, 72, 5, 2, 1, wave),
      paired_row("paired_p128x64_s6_c2x1", p, 2, 64, 6, 2, 1, probe),
      paired_row("paired_p128x64_s6_c1x2", p, 2, 64, 6, 1, 2, probe),
      paired_row("paired_p128x48_s7_c2x1", p, 2, 48, 7, 2, 1, probe),
      paired_row("paired_p128x48_s7_c1x2", p, 2, 48, 7, 1, 2, probe),
      // Few rows.
      paired_row("paired_p64x112_s5_c2x1", p, 1, 112, 5, 2, 1, probe),
      paired_row("paired_p64x112_s5_c1x1", p, 1, 112, 5, 1, 1, probe),
      paired_row("paired_p64x104_s5_c1x1", p, 1, 104, 5, 1, 1, wave),
      paired_row("paired_p64x96_s6_c1x1", p, 1, 96, 6, 1, 1, probe),
      paired_row("paired_p64x88_s6_c1x1", p, 1, 88, 6, 1, 1, wave),
      paired_row("paired_p64x80_s7_c2x1", p, 1, 80, 7, 2, 1, probe),
      paired_row("paired_p64x80_s7_c1x1", p, 1, 80, 7, 1, 1, probe),
      paired_row("paired_p64x72_s7_c1x1", p, 1, 72, 7, 1, 1, wave),
      paired_row("paired_p64x64_s8_c1x1", p, 1, 64, 8, 1, 1, probe),
      paired_row("paired_p64x56_s8_c1x1", p, 1, 56, 8, 1, 1, wave),
      paired_row("paired_p64x48_s9_c1x1", p, 1, 48, 9, 1, 1, probe),
      paired_row("paired_p64x40_s10_c1x1", p, 1, 40, 10, 1, 1, "small n: more tiles than SMs"),
      paired_row("paired_p64x32_s12_c1x1", p, 1, 32, 12, 1, 1, "small n: more tiles than SMs"),
  };
}();

static_assert([] {
  for (const kernel_row& row : paired_rows)
    if (!is_buildable(std::get<paired_config>(row.config))) return false;
  return true;
}(), "a row of the paired kernel breaks a rule of is_buildable()");

}  // namespace tileglu::plan_detail
