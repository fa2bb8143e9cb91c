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

inline constexpr std::array<measured_row, 63> row_timings = {{
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
    {"paired_c128x112_s4_c1x2", {611.4, 521, 3.31, 4162, 0.16, 0.00, 0.00, 0}, "H200, 46 cells, median error 1.4 %, largest 7.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {587.8, 1048, 2.37, 4490, 1.61, 0.00, 0.00, 0}, "H200, 41 cells, median error 0.8 %, largest 2.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {624.5, 832, 2.87, 4600, 1.00, 0.00, 0.00, 0}, "H200, 35 cells, median error 1.1 %, largest 4.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {667.8, 821, 2.55, 4600, 1.58, 0.00, 0.00, 0}, "H200, 31 cells, median error 0.6 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x32_s8_c1x1", {252.9, 692, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 2.9 %, largest 5.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x40_s8_c1x1", {282.6, 0, 2.77, 4476, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.0 %, largest 15.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c1x1", {282.0, 505, 2.31, 4317, 0.66, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.4 %, largest 3.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s7_c1x1", {314.4, 386, 2.67, 4288, 0.43, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.7 %, largest 16.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c1x1", {346.9, 750, 1.92, 4600, 0.79, 0.00, 0.00, 0}, "H200, 20 cells, median error 1.0 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c1x1", {388.3, 433, 2.91, 4118, 0.00, 0.00, 0.00, 0}, "H200, 24 cells, median error 0.7 %, largest 3.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {393.5, 407, 3.23, 4214, 1.02, 0.00, 0.00, 0}, "H200, 32 cells, median error 0.7 %, largest 11.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {432.2, 573, 3.12, 4600, 0.76, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.5 %, largest 5.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c1x1", {469.0, 329, 3.36, 4107, 0.00, 0.00, 0.00, 0}, "H200, 27 cells, median error 0.8 %, largest 6.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {471.0, 353, 3.56, 4090, 0.76, 0.00, 0.00, 0}, "H200, 36 cells, median error 0.8 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {509.0, 585, 3.30, 4253, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 0.9 %, largest 3.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x40_s6_c1x1", {325.9, 878, 2.19, 4022, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 1.8 %, largest 8.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x56_s5_c1x1", {474.5, 44, 2.31, 4343, 0.07, 0.00, 0.00, 0}, "H200, 30 cells, median error 1.9 %, largest 24.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x72_s4_c1x1", {567.0, 469, 3.59, 4177, 0.89, 0.00, 0.00, 0}, "H200, 12 cells, median error 0.8 %, largest 5.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x88_s4_c1x1", {690.6, 0, 4.09, 4328, 0.06, 0.00, 0.00, 0}, "H200, 11 cells, median error 0.5 %, largest 2.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x56_s4_c1x2", {598.9, 597, 3.75, 3031, 0.93, 0.00, 0.00, 0}, "H200, 19 cells, median error 2.8 %, largest 40.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c1x2", {662.2, 964, 2.55, 2693, 0.52, 0.00, 0.00, 0}, "H200, 7 cells, median error 1.2 %, largest 2.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c1x2", {738.0, 1173, 3.54, 3939, 1.36, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.8 %, largest 7.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c2x1", {752.8, 395, 3.67, 3689, 0.00, 0.00, 0.00, 0}, "H200, 34 cells, median error 1.0 %, largest 12.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x88_s3_c2x1", {890.1, 989, 3.17, 2098, 0.22, 0.00, 0.00, 0}, "H200, 30 cells, median error 0.8 %, largest 2.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {981.6, 443, 4.04, 2745, 0.00, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.8 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {971.5, 988, 3.24, 2603, 0.55, 0.00, 0.00, 0}, "H200, 33 cells, median error 0.8 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {356.4, 96, 2.81, 4111, 1.76, 0.00, 0.00, 0}, "H200, 30 cells, median error 1.3 %, largest 6.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {392.6, 134, 3.79, 3900, 1.10, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.8 %, largest 7.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {427.7, 0, 4.15, 3691, 0.00, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.3 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {467.3, 0, 3.79, 3675, 1.07, 0.00, 0.00, 0}, "H200, 42 cells, median error 0.7 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {505.1, 0, 3.69, 3956, 0.39, 0.00, 0.00, 0}, "H200, 44 cells, median error 0.8 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {505.4, 0, 3.69, 4201, 0.00, 0.00, 0.00, 0}, "H200, 45 cells, median error 1.0 %, largest 6.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {305.2, 529, 3.11, 4158, 0.29, 0.00, 0.00, 0}, "H200, 25 cells, median error 2.4 %, largest 8.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {317.0, 890, 2.77, 4233, 0.25, 0.00, 0.00, 0}, "H200, 51 cells, median error 1.8 %, largest 29.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {223.8, 162, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.7 %, largest 18.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {231.6, 115, 1.83, 4294, 0.00, 0.00, 0.00, 0}, "H200, 13 cells, median error 3.1 %, largest 20.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {233.9, 124, 1.88, 4296, 0.33, 0.00, 0.00, 0}, "H200, 26 cells, median error 2.2 %, largest 15.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {241.7, 141, 1.84, 4218, 0.50, 0.00, 0.00, 0}, "H200, 17 cells, median error 2.4 %, largest 17.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {246.2, 212, 1.72, 4491, 0.61, 0.00, 0.00, 0}, "H200, 32 cells, median error 3.1 %, largest 17.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {252.8, 193, 2.38, 4268, 0.36, 0.00, 0.00, 0}, "H200, 33 cells, median error 2.2 %, largest 17.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {263.0, 95, 2.86, 4324, 0.30, 0.00, 0.00, 0}, "H200, 38 cells, median error 3.4 %, largest 20.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {282.1, 88, 2.89, 4191, 0.29, 0.00, 0.00, 0}, "H200, 41 cells, median error 3.4 %, largest 22.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {284.2, 217, 2.97, 4350, 0.48, 0.00, 0.00, 0}, "H200, 42 cells, median error 2.0 %, largest 16.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_t112x64_s7_c2x1", {244.0, 3696, 1.64, 3325, 0.00, 0.00, 0.00, 0}, "H200, 7 cells, median error 0.6 %, largest 7.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_t144x128_s4_c1x1", {763.4, 0, 1.00, 4551, 0.00, 0.00, 0.00, 0}, "H200, 7 cells, median error 0.5 %, largest 2.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_t160x128_s4_c1x1", {785.8, 2513, 1.00, 4301, 0.11, 0.00, 0.00, 0}, "H200, 11 cells, median error 1.8 %, largest 8.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_t160x64_s6_c1x1", {409.3, 2035, 1.00, 3993, 0.00, 0.00, 0.00, 0}, "H200, 9 cells, median error 0.3 %, largest 5.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_t80x64_s8_c2x1", {311.1, 534, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 7 cells, median error 3.6 %, largest 9.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_t96x64_s7_c2x1", {284.3, 1138, 1.65, 3962, 0.33, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.2 %, largest 24.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_tp144x64_s6_c1x1", {385.4, 0, 2.48, 3452, 0.00, 0.00, 0.00, 0}, "H200, 7 cells, median error 0.8 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_tp176x64_s5_c1x1", {487.5, 213, 1.00, 4600, 1.50, 0.00, 0.00, 0}, "H200, 9 cells, median error 1.7 %, largest 5.3 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
