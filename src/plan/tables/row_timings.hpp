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
    {"decode_t1r1u1w7", {0.0, 0, 1.31, 4344, 0.00, 0.00, 0.25, 6}, "H200, 8 cells, median error 2.3 %, largest 10.9 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r1u1w8", {0.0, 0, 0.88, 4047, 0.00, 0.00, 0.13, 5}, "H200, 7 cells, median error 1.2 %, largest 11.2 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r1u2w8p", {0.0, 0, 1.17, 4302, 0.00, 0.00, 0.33, 2}, "H200, 9 cells, median error 1.6 %, largest 4.2 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u1w8", {0.0, 0, 0.81, 4437, 0.00, 0.00, 0.53, 4}, "H200, 7 cells, median error 0.4 %, largest 9.5 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u2w4p", {0.0, 0, 1.77, 4254, 0.00, 0.00, 0.31, 4}, "H200, 10 cells, median error 2.5 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r3u1w4", {0.0, 0, 1.59, 3975, 0.00, 0.76, 0.10, 5}, "H200, 7 cells, median error 0.4 %, largest 13.6 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r4u1w4", {0.0, 0, 1.45, 4089, 0.00, 0.00, 0.30, 4}, "H200, 7 cells, median error 1.3 %, largest 3.6 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_128x96_s6_c1x2", {620.3, 0, 3.44, 3372, 0.00, 0.00, 0.00, 0}, "H200, 18 cells, median error 1.4 %, largest 28.1 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_128x96_s6_c2x1", {588.7, 665, 2.74, 4600, 0.00, 0.00, 0.00, 0}, "H200, 22 cells, median error 1.1 %, largest 8.5 %: bench/results/*-h200-rows-*.json"},
    {"gate_first_64x64_s10_c1x1", {340.9, 10, 2.10, 4600, 0.72, 0.00, 0.00, 0}, "H200, 22 cells, median error 1.6 %, largest 25.7 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_c128x256_c2x1", {704.7, 0, 8.54, 2003, 2.00, 0.00, 0.00, 0}, "H200, 6 cells, median error 2.4 %, largest 13.7 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p128x192_c2x1", {514.7, 0, 7.39, 1417, 0.29, 0.00, 0.00, 0}, "H200, 11 cells, median error 1.4 %, largest 9.7 %: bench/results/*-h200-rows-*.json"},
    {"interleaved_p64x128_c1x1", {319.1, 0, 2.83, 4600, 0.28, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.2 %, largest 20.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c1x2", {611.2, 600, 2.93, 4125, 0.21, 0.00, 0.00, 0}, "H200, 46 cells, median error 1.2 %, largest 10.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {586.6, 1149, 1.98, 4600, 1.66, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.2 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {624.7, 873, 2.60, 4600, 0.92, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.9 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {665.7, 944, 2.11, 4600, 1.52, 0.00, 0.00, 0}, "H200, 31 cells, median error 0.7 %, largest 4.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x32_s8_c1x1", {262.0, 513, 1.02, 4600, 0.00, 0.00, 0.00, 0}, "H200, 5 cells, median error 4.2 %, largest 7.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x40_s8_c1x1", {279.8, 0, 2.72, 4413, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.2 %, largest 14.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c1x1", {282.7, 456, 2.23, 4320, 0.69, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.2 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s7_c1x1", {313.9, 408, 2.41, 4259, 0.48, 0.00, 0.00, 0}, "H200, 31 cells, median error 1.4 %, largest 4.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c1x1", {347.0, 715, 1.91, 4600, 0.86, 0.00, 0.00, 0}, "H200, 20 cells, median error 0.8 %, largest 4.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c1x1", {387.7, 452, 2.79, 4113, 0.08, 0.00, 0.00, 0}, "H200, 24 cells, median error 0.6 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {393.3, 436, 3.02, 4108, 0.30, 0.00, 0.00, 0}, "H200, 32 cells, median error 0.8 %, largest 10.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {430.9, 595, 2.88, 4600, 0.78, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.8 %, largest 5.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c1x1", {470.5, 171, 3.48, 4121, 0.02, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.7 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {470.8, 384, 3.30, 3988, 0.44, 0.00, 0.00, 0}, "H200, 36 cells, median error 0.9 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {507.8, 665, 2.95, 4233, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.1 %, largest 4.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x40_s6_c1x1", {342.3, 0, 3.67, 4600, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 1.6 %, largest 10.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x56_s5_c1x1", {452.0, 21, 4.92, 4600, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 1.1 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x72_s4_c1x1", {570.3, 0, 4.35, 4477, 0.97, 0.00, 0.00, 0}, "H200, 9 cells, median error 0.9 %, largest 2.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c192x88_s4_c1x1", {691.3, 0, 4.09, 4343, 0.00, 0.00, 0.00, 0}, "H200, 11 cells, median error 0.7 %, largest 5.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x56_s4_c1x2", {584.0, 1144, 2.41, 3192, 1.39, 0.00, 0.00, 0}, "H200, 13 cells, median error 1.4 %, largest 7.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c1x2", {661.5, 986, 2.29, 2800, 0.68, 0.00, 0.00, 0}, "H200, 7 cells, median error 1.5 %, largest 2.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c1x2", {734.9, 1264, 3.32, 3869, 1.18, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.9 %, largest 7.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x72_s4_c2x1", {752.5, 371, 3.42, 3623, 0.00, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.8 %, largest 13.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x88_s3_c2x1", {880.0, 959, 3.11, 2034, 0.09, 0.00, 0.00, 0}, "H200, 30 cells, median error 0.8 %, largest 3.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {966.1, 513, 3.86, 2636, 0.00, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.9 %, largest 4.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {958.0, 1016, 2.98, 2392, 0.58, 0.00, 0.00, 0}, "H200, 33 cells, median error 0.9 %, largest 4.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {357.2, 91, 2.66, 4069, 1.36, 0.00, 0.00, 0}, "H200, 30 cells, median error 1.2 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {392.3, 164, 3.60, 3824, 0.71, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.9 %, largest 6.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {427.4, 15, 4.00, 3759, 0.00, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.5 %, largest 5.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {462.7, 27, 3.69, 3538, 0.69, 0.00, 0.00, 0}, "H200, 42 cells, median error 1.0 %, largest 4.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {500.3, 0, 3.61, 3820, 0.17, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.0 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {500.4, 0, 3.56, 4082, 0.00, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.1 %, largest 5.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {306.3, 440, 2.92, 4203, 0.34, 0.00, 0.00, 0}, "H200, 23 cells, median error 1.9 %, largest 9.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {313.8, 872, 3.34, 4179, 0.06, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.3 %, largest 7.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {227.1, 76, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 2.7 %, largest 19.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {236.9, 0, 1.77, 4266, 0.00, 0.00, 0.00, 0}, "H200, 13 cells, median error 2.8 %, largest 18.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {238.7, 39, 1.91, 4320, 0.36, 0.00, 0.00, 0}, "H200, 13 cells, median error 2.3 %, largest 10.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {248.0, 29, 1.80, 4240, 0.51, 0.00, 0.00, 0}, "H200, 17 cells, median error 2.3 %, largest 18.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {250.4, 141, 1.73, 4600, 0.82, 0.00, 0.00, 0}, "H200, 19 cells, median error 3.8 %, largest 21.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {255.3, 131, 2.45, 4268, 0.32, 0.00, 0.00, 0}, "H200, 23 cells, median error 2.1 %, largest 15.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {264.9, 29, 2.86, 4390, 0.46, 0.00, 0.00, 0}, "H200, 26 cells, median error 3.3 %, largest 9.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {279.1, 200, 2.72, 4241, 0.51, 0.00, 0.00, 0}, "H200, 25 cells, median error 2.5 %, largest 7.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {283.1, 262, 2.69, 4362, 0.52, 0.00, 0.00, 0}, "H200, 41 cells, median error 2.0 %, largest 8.7 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
