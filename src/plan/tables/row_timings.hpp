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
    {"paired_c128x104_s4_c2x1", {546.3, 629, 2.88, 4085, 0.00, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.8 %, largest 2.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c1x2", {609.3, 662, 2.55, 4122, 0.25, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.2 %, largest 6.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {587.0, 1106, 1.96, 4423, 0.00, 0.00, 0.00, 0}, "H200, 36 cells, median error 0.9 %, largest 3.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {627.1, 771, 2.19, 4560, 0.00, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.8 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c1x2", {697.6, 199, 2.95, 4337, 0.13, 0.00, 0.00, 0}, "H200, 34 cells, median error 1.2 %, largest 10.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {667.2, 911, 1.95, 4600, 0.00, 0.00, 0.00, 0}, "H200, 31 cells, median error 1.0 %, largest 4.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c1x2", {313.0, 3292, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 5 cells, median error 0.5 %, largest 0.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s6_c2x1", {324.8, 405, 2.69, 4000, 0.00, 0.00, 0.00, 0}, "H200, 17 cells, median error 0.9 %, largest 2.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c2x1", {352.6, 582, 1.84, 4135, 0.00, 0.00, 0.00, 0}, "H200, 24 cells, median error 0.8 %, largest 2.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {394.2, 242, 4.36, 4561, 0.00, 0.00, 0.00, 0}, "H200, 32 cells, median error 0.9 %, largest 3.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {433.0, 393, 3.39, 4497, 0.35, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.8 %, largest 4.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x2", {452.1, 39, 4.32, 4588, 0.33, 0.00, 0.00, 0}, "H200, 21 cells, median error 0.7 %, largest 2.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c2x1", {434.3, 312, 3.96, 4600, 0.00, 0.00, 0.00, 0}, "H200, 29 cells, median error 0.7 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {470.8, 297, 3.74, 4266, 0.00, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.0 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {507.8, 603, 3.34, 4599, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 0.8 %, largest 3.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c2x1", {686.1, 491, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 20 cells, median error 1.5 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x80_s3_c1x2", {850.2, 784, 3.26, 1814, 0.00, 0.00, 0.00, 0}, "H200, 11 cells, median error 0.6 %, largest 1.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x80_s3_c2x1", {841.2, 1053, 1.07, 1282, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.0 %, largest 2.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {981.6, 566, 4.37, 2978, 0.00, 0.00, 0.00, 0}, "H200, 25 cells, median error 0.9 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {972.0, 1276, 2.67, 2745, 2.00, 0.00, 0.00, 0}, "H200, 28 cells, median error 0.8 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c1x2", {250.8, 1519, 5.26, 4154, 0.32, 0.00, 0.00, 0}, "H200, 7 cells, median error 1.6 %, largest 3.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {352.1, 245, 2.10, 4052, 0.00, 0.00, 0.00, 0}, "H200, 30 cells, median error 0.9 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {391.5, 71, 4.41, 4028, 0.00, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.9 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c1x2", {443.8, 0, 4.36, 4600, 0.64, 0.00, 0.00, 0}, "H200, 28 cells, median error 1.2 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {426.3, 0, 4.21, 4214, 0.00, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.2 %, largest 5.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {465.8, 0, 3.68, 3970, 1.96, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.0 %, largest 4.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c1x2", {519.4, 0, 3.37, 3861, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.9 %, largest 6.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {505.1, 0, 3.45, 4002, 0.00, 0.00, 0.00, 0}, "H200, 44 cells, median error 0.9 %, largest 5.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {505.7, 0, 3.28, 4330, 0.00, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.1 %, largest 5.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {302.8, 135, 3.27, 4267, 0.33, 0.00, 0.00, 0}, "H200, 18 cells, median error 0.9 %, largest 5.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {307.9, 1129, 3.72, 4185, 0.01, 0.00, 0.00, 0}, "H200, 29 cells, median error 1.1 %, largest 7.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c2x1", {297.0, 2936, 3.78, 4278, 0.30, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.0 %, largest 2.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {205.9, 519, 1.20, 4447, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 0.6 %, largest 16.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {207.9, 0, 1.99, 4104, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.1 %, largest 17.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {185.7, 808, 1.86, 4183, 0.36, 0.00, 0.00, 0}, "H200, 13 cells, median error 1.3 %, largest 16.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {211.5, 653, 1.57, 4155, 0.51, 0.00, 0.00, 0}, "H200, 17 cells, median error 2.6 %, largest 15.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {226.3, 529, 1.82, 4482, 0.68, 0.00, 0.00, 0}, "H200, 18 cells, median error 2.5 %, largest 17.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {239.6, 354, 2.47, 4235, 0.28, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.9 %, largest 12.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {253.4, 0, 3.27, 4407, 0.45, 0.00, 0.00, 0}, "H200, 22 cells, median error 2.9 %, largest 7.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c2x1", {156.8, 1448, 3.47, 4067, 0.53, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.2 %, largest 2.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {269.1, 21, 3.30, 4161, 0.16, 0.00, 0.00, 0}, "H200, 20 cells, median error 1.4 %, largest 10.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {281.7, 214, 2.87, 4266, 0.37, 0.00, 0.00, 0}, "H200, 33 cells, median error 1.4 %, largest 7.4 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
