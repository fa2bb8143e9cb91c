// What the Hopper rows were measured to cost. Written by bench/fit_rows.py; edit the races, not this file.
#pragma once

#include <array>
#include <string_view>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

struct measured_row {
  std::string_view row;
  row_timing timing;  ///< block_ns, tile_ns, fixed_us, bytes_per_ns, idle, imbalance, tail, blocks_per_sm
  std::string_view evidence;
};

inline constexpr std::array<measured_row, 55> row_timings = {{
    {"decode_t1r1u2w8p", {0.0, 0, 0.88, 4282, 0.00, 0.00, 0.27, 4}, "H200, 13 cells, median error 2.2 %, largest 5.4 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r2u2w8p", {0.0, 0, 0.47, 4291, 0.00, 0.00, 0.41, 2}, "H200, 13 cells, median error 2.4 %, largest 6.1 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u2w4p", {0.0, 0, 1.08, 4060, 0.00, 1.28, 0.19, 4}, "H200, 14 cells, median error 2.0 %, largest 10.6 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u2w8p", {0.0, 0, 1.32, 3918, 0.00, 0.00, 0.60, 1}, "H200, 13 cells, median error 1.2 %, largest 6.2 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r3u1w4", {0.0, 0, 2.08, 4063, 0.00, 0.63, 0.12, 4}, "H200, 13 cells, median error 1.2 %, largest 6.8 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_128x96_s6_c1x2", {628.2, 0, 3.14, 3327, 0.00, 0.00, 0.00, 0}, "H200, 18 cells, median error 1.0 %, largest 26.0 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_128x96_s6_c2x1", {592.8, 602, 2.58, 4600, 0.00, 0.00, 0.00, 0}, "H200, 22 cells, median error 0.8 %, largest 7.1 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_64x64_s10_c1x1", {345.5, 0, 2.00, 4600, 0.69, 0.00, 0.00, 0}, "H200, 22 cells, median error 0.9 %, largest 25.4 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_c128x256_c2x1", {703.4, 848, 1.57, 3280, 2.00, 0.00, 0.00, 0}, "H200, 18 cells, median error 2.4 %, largest 27.6 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p128x192_c1x2", {520.0, 0, 3.26, 3773, 0.00, 0.00, 0.00, 0}, "H200, 19 cells, median error 2.4 %, largest 22.7 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p128x192_c2x1", {519.0, 0, 2.95, 2306, 0.00, 0.00, 0.00, 0}, "H200, 22 cells, median error 2.8 %, largest 31.0 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p64x128_c1x1", {319.8, 0, 2.57, 4600, 0.37, 0.00, 0.00, 0}, "H200, 21 cells, median error 6.4 %, largest 32.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c1x2", {611.2, 537, 3.25, 4160, 0.17, 0.00, 0.00, 0}, "H200, 46 cells, median error 1.4 %, largest 8.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {586.7, 1112, 2.19, 4600, 1.77, 0.00, 0.00, 0}, "H200, 36 cells, median error 0.8 %, largest 3.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {624.5, 835, 2.84, 4600, 0.93, 0.00, 0.00, 0}, "H200, 35 cells, median error 1.1 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {667.7, 826, 2.53, 4600, 1.49, 0.00, 0.00, 0}, "H200, 31 cells, median error 0.6 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x32_s8_c1x1", {261.4, 559, 1.05, 4600, 0.00, 0.00, 0.00, 0}, "H200, 5 cells, median error 5.5 %, largest 7.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x40_s8_c1x1", {283.1, 0, 2.73, 4485, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.2 %, largest 15.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c1x1", {281.8, 525, 2.28, 4314, 0.63, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.1 %, largest 4.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s7_c1x1", {313.2, 466, 2.47, 4267, 0.44, 0.00, 0.00, 0}, "H200, 31 cells, median error 1.5 %, largest 4.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c1x1", {346.8, 757, 1.90, 4600, 0.79, 0.00, 0.00, 0}, "H200, 20 cells, median error 1.0 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c1x1", {388.2, 442, 2.88, 4119, 0.00, 0.00, 0.00, 0}, "H200, 24 cells, median error 0.6 %, largest 3.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {393.6, 406, 3.20, 4200, 0.90, 0.00, 0.00, 0}, "H200, 32 cells, median error 0.7 %, largest 11.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {432.1, 577, 3.10, 4600, 0.75, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.5 %, largest 5.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c1x1", {469.9, 238, 3.55, 4139, 0.00, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.6 %, largest 4.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {470.9, 353, 3.56, 4082, 0.67, 0.00, 0.00, 0}, "H200, 36 cells, median error 0.8 %, largest 4.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {508.9, 589, 3.27, 4263, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 0.9 %, largest 3.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x40_s6_c1x1", {343.1, 0, 3.65, 4589, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 1.8 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x56_s5_c1x1", {453.4, 126, 4.67, 4600, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 1.4 %, largest 6.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x72_s4_c1x1", {570.8, 0, 4.33, 4483, 1.01, 0.00, 0.00, 0}, "H200, 9 cells, median error 1.0 %, largest 2.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x88_s4_c1x1", {690.3, 0, 4.10, 4333, 0.01, 0.00, 0.00, 0}, "H200, 11 cells, median error 0.6 %, largest 5.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x56_s4_c1x2", {586.9, 986, 2.81, 3147, 1.33, 0.00, 0.00, 0}, "H200, 13 cells, median error 1.4 %, largest 9.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c1x2", {662.7, 933, 2.58, 2717, 0.52, 0.00, 0.00, 0}, "H200, 7 cells, median error 1.2 %, largest 2.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c1x2", {738.1, 1160, 3.55, 3939, 1.25, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.8 %, largest 7.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c2x1", {752.5, 408, 3.59, 3677, 0.00, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.9 %, largest 13.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x88_s3_c2x1", {889.9, 1002, 3.13, 2087, 0.09, 0.00, 0.00, 0}, "H200, 30 cells, median error 0.8 %, largest 2.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {981.4, 459, 3.96, 2759, 0.00, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.8 %, largest 4.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {971.2, 1006, 3.19, 2614, 0.46, 0.00, 0.00, 0}, "H200, 33 cells, median error 0.9 %, largest 5.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {356.4, 97, 2.81, 4114, 1.70, 0.00, 0.00, 0}, "H200, 30 cells, median error 1.2 %, largest 6.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {392.6, 135, 3.76, 3890, 1.02, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.8 %, largest 7.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {427.7, 0, 4.15, 3717, 0.00, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.3 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {467.3, 0, 3.80, 3670, 1.00, 0.00, 0.00, 0}, "H200, 42 cells, median error 0.7 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {505.1, 0, 3.69, 3958, 0.34, 0.00, 0.00, 0}, "H200, 44 cells, median error 0.8 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {505.4, 0, 3.68, 4223, 0.00, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.1 %, largest 6.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {301.8, 602, 2.85, 4198, 0.36, 0.00, 0.00, 0}, "H200, 23 cells, median error 1.9 %, largest 9.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {313.7, 995, 2.67, 4241, 0.26, 0.00, 0.00, 0}, "H200, 49 cells, median error 1.9 %, largest 17.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {223.6, 157, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.6 %, largest 18.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {231.2, 105, 1.81, 4285, 0.00, 0.00, 0.00, 0}, "H200, 13 cells, median error 2.1 %, largest 19.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {233.3, 123, 1.84, 4293, 0.34, 0.00, 0.00, 0}, "H200, 26 cells, median error 2.0 %, largest 14.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {241.1, 142, 1.85, 4217, 0.50, 0.00, 0.00, 0}, "H200, 17 cells, median error 2.4 %, largest 17.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {245.7, 211, 1.72, 4491, 0.61, 0.00, 0.00, 0}, "H200, 32 cells, median error 2.4 %, largest 17.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {252.2, 201, 2.37, 4267, 0.36, 0.00, 0.00, 0}, "H200, 33 cells, median error 2.2 %, largest 17.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {261.8, 114, 2.84, 4328, 0.31, 0.00, 0.00, 0}, "H200, 38 cells, median error 3.3 %, largest 20.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {275.2, 300, 2.63, 4190, 0.34, 0.00, 0.00, 0}, "H200, 37 cells, median error 2.8 %, largest 19.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {282.6, 277, 2.84, 4359, 0.51, 0.00, 0.00, 0}, "H200, 41 cells, median error 1.8 %, largest 8.8 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
