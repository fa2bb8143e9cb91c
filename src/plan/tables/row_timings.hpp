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

inline constexpr std::array<measured_row, 56> row_timings = {{
    {"decode_t1r1u1w7", {0.0, 0, 0.97, 4255, 0.00, 0.69, 0.00, 6}, "H200, 7 cells, median error 1.9 %, largest 6.3 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r1u1w8", {0.0, 0, 0.47, 4045, 0.00, 0.62, 0.17, 5}, "H200, 7 cells, median error 0.4 %, largest 3.4 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r1u2w8p", {0.0, 0, 0.93, 4306, 0.00, 0.00, 0.48, 2}, "H200, 7 cells, median error 1.5 %, largest 3.6 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u1w8", {0.0, 0, 0.88, 4324, 0.00, 0.00, 0.47, 4}, "H200, 7 cells, median error 1.6 %, largest 8.0 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u2w4p", {0.0, 0, 1.63, 4424, 0.00, 0.00, 0.41, 4}, "H200, 7 cells, median error 1.0 %, largest 2.5 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r3u1w4", {0.0, 0, 1.75, 3813, 0.00, 1.35, 0.02, 5}, "H200, 7 cells, median error 2.7 %, largest 10.4 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r4u1w4", {0.0, 0, 1.34, 4096, 0.00, 0.00, 0.31, 4}, "H200, 7 cells, median error 1.2 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_128x96_s6_c1x2", {617.8, 439, 1.00, 3021, 1.23, 0.00, 0.00, 0}, "H200, 6 cells, median error 0.9 %, largest 1.1 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_128x96_s6_c2x1", {595.0, 535, 2.74, 3934, 0.00, 0.00, 0.00, 0}, "H200, 6 cells, median error 0.9 %, largest 1.2 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_64x64_s10_c1x1", {343.2, 0, 2.18, 4600, 0.80, 0.00, 0.00, 0}, "H200, 6 cells, median error 0.3 %, largest 23.0 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_c128x256_c2x1", {707.8, 0, 8.83, 2029, 2.00, 0.00, 0.00, 0}, "H200, 6 cells, median error 1.7 %, largest 12.8 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p128x192_c2x1", {518.0, 303, 5.16, 1384, 0.95, 0.00, 0.00, 0}, "H200, 6 cells, median error 0.1 %, largest 8.6 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p64x128_c1x1", {320.7, 0, 2.95, 4600, 0.30, 0.00, 0.00, 0}, "H200, 6 cells, median error 6.7 %, largest 19.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c1x2", {611.2, 600, 2.93, 4125, 0.21, 0.00, 0.00, 0}, "H200, 46 cells, median error 1.2 %, largest 10.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {586.5, 1152, 1.98, 4600, 1.66, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.2 %, largest 3.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {624.6, 876, 2.60, 4600, 0.93, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.9 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {666.3, 929, 2.12, 4600, 1.50, 0.00, 0.00, 0}, "H200, 31 cells, median error 1.0 %, largest 4.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x32_s8_c1x1", {262.4, 502, 1.03, 4600, 0.00, 0.00, 0.00, 0}, "H200, 5 cells, median error 4.0 %, largest 7.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x40_s8_c1x1", {279.6, 0, 2.73, 4411, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.2 %, largest 14.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c1x1", {282.7, 456, 2.23, 4320, 0.69, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.2 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s7_c1x1", {313.8, 404, 2.42, 4255, 0.47, 0.00, 0.00, 0}, "H200, 31 cells, median error 1.4 %, largest 4.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c1x1", {347.0, 715, 1.91, 4600, 0.86, 0.00, 0.00, 0}, "H200, 20 cells, median error 0.8 %, largest 4.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c1x1", {387.7, 431, 2.89, 4120, 0.06, 0.00, 0.00, 0}, "H200, 24 cells, median error 0.7 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {393.3, 436, 3.02, 4108, 0.30, 0.00, 0.00, 0}, "H200, 32 cells, median error 0.8 %, largest 10.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {431.0, 590, 2.90, 4600, 0.78, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.8 %, largest 5.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c1x1", {470.5, 171, 3.48, 4121, 0.02, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.7 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {470.8, 384, 3.30, 3988, 0.44, 0.00, 0.00, 0}, "H200, 36 cells, median error 0.9 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {507.8, 665, 2.95, 4233, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.1 %, largest 4.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x40_s6_c1x1", {342.3, 0, 3.67, 4600, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 1.6 %, largest 10.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x56_s5_c1x1", {450.8, 174, 4.62, 4600, 0.09, 0.00, 0.00, 0}, "H200, 12 cells, median error 1.2 %, largest 7.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x72_s4_c1x1", {570.3, 0, 4.35, 4477, 0.97, 0.00, 0.00, 0}, "H200, 9 cells, median error 0.9 %, largest 2.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x88_s4_c1x1", {679.0, 204, 4.06, 4268, 0.02, 0.00, 0.00, 0}, "H200, 8 cells, median error 0.6 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x56_s4_c1x2", {584.0, 1144, 2.41, 3192, 1.39, 0.00, 0.00, 0}, "H200, 13 cells, median error 1.4 %, largest 7.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c1x2", {656.4, 1163, 2.15, 2740, 0.62, 0.00, 0.00, 0}, "H200, 6 cells, median error 1.2 %, largest 1.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c1x2", {734.7, 1263, 3.33, 3876, 1.19, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.7 %, largest 7.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c2x1", {729.2, 240, 4.08, 2692, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.1 %, largest 9.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x88_s3_c2x1", {853.5, 2461, 1.96, 2009, 0.21, 0.00, 0.00, 0}, "H200, 9 cells, median error 0.6 %, largest 2.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {974.2, 1184, 3.00, 2704, 0.00, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.8 %, largest 5.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {965.5, 1580, 2.33, 2552, 0.51, 0.00, 0.00, 0}, "H200, 28 cells, median error 1.1 %, largest 5.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {357.2, 91, 2.66, 4069, 1.36, 0.00, 0.00, 0}, "H200, 30 cells, median error 1.2 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {392.3, 164, 3.60, 3824, 0.71, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.9 %, largest 6.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {427.3, 24, 4.01, 3763, 0.00, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.3 %, largest 5.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {466.8, 0, 3.65, 3583, 0.72, 0.00, 0.00, 0}, "H200, 37 cells, median error 0.7 %, largest 4.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {505.4, 0, 3.50, 3890, 0.12, 0.00, 0.00, 0}, "H200, 44 cells, median error 0.9 %, largest 5.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {505.7, 0, 3.43, 4189, 0.00, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.1 %, largest 6.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {306.3, 440, 2.92, 4203, 0.34, 0.00, 0.00, 0}, "H200, 23 cells, median error 1.9 %, largest 9.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {313.6, 874, 3.33, 4177, 0.06, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.3 %, largest 7.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {226.4, 145, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 1.4 %, largest 18.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {236.7, 23, 1.69, 4266, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.7 %, largest 17.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {238.7, 39, 1.91, 4320, 0.36, 0.00, 0.00, 0}, "H200, 13 cells, median error 2.3 %, largest 10.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {248.0, 28, 1.80, 4237, 0.51, 0.00, 0.00, 0}, "H200, 17 cells, median error 2.3 %, largest 18.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {250.4, 141, 1.73, 4600, 0.82, 0.00, 0.00, 0}, "H200, 19 cells, median error 3.8 %, largest 21.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {255.4, 121, 2.46, 4271, 0.33, 0.00, 0.00, 0}, "H200, 20 cells, median error 2.3 %, largest 15.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {265.2, 21, 2.87, 4439, 0.50, 0.00, 0.00, 0}, "H200, 25 cells, median error 3.1 %, largest 9.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {279.6, 198, 2.72, 4287, 0.55, 0.00, 0.00, 0}, "H200, 24 cells, median error 2.6 %, largest 7.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {283.2, 260, 2.70, 4352, 0.51, 0.00, 0.00, 0}, "H200, 41 cells, median error 2.0 %, largest 8.6 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
