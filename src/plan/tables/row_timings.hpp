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

inline constexpr std::array<measured_row, 54> row_timings = {{
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
    {"paired_c128x104_s4_c2x1", {544.9, 748, 2.64, 4246, 1.03, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.8 %, largest 2.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c1x2", {608.5, 796, 2.20, 4112, 0.37, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.3 %, largest 6.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {586.5, 1142, 1.97, 4600, 1.64, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.1 %, largest 3.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {624.8, 856, 2.60, 4600, 0.79, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.9 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c1x2", {695.3, 374, 2.53, 4488, 0.42, 0.00, 0.00, 0}, "H200, 34 cells, median error 1.6 %, largest 10.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {666.3, 924, 2.10, 4600, 1.53, 0.00, 0.00, 0}, "H200, 31 cells, median error 0.9 %, largest 4.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s6_c2x1", {327.1, 360, 2.72, 3802, 0.28, 0.00, 0.00, 0}, "H200, 17 cells, median error 1.1 %, largest 3.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c2x1", {355.2, 471, 2.33, 4251, 1.40, 0.00, 0.00, 0}, "H200, 24 cells, median error 1.1 %, largest 3.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {392.3, 453, 2.97, 4182, 0.31, 0.00, 0.00, 0}, "H200, 32 cells, median error 0.7 %, largest 11.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {430.7, 605, 2.89, 4600, 0.77, 0.00, 0.00, 0}, "H200, 40 cells, median error 2.0 %, largest 5.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x2", {452.6, 176, 3.76, 4600, 0.77, 0.00, 0.00, 0}, "H200, 21 cells, median error 0.8 %, largest 4.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c2x1", {432.7, 446, 3.57, 4065, 0.00, 0.00, 0.00, 0}, "H200, 29 cells, median error 1.0 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {470.1, 385, 3.28, 3979, 0.26, 0.00, 0.00, 0}, "H200, 36 cells, median error 1.1 %, largest 3.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {507.5, 659, 2.94, 4275, 0.00, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.0 %, largest 4.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c2x1", {677.8, 1019, 1.59, 4600, 0.00, 0.00, 0.00, 0}, "H200, 20 cells, median error 1.7 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x80_s3_c1x2", {853.9, 1003, 3.48, 2566, 0.00, 0.00, 0.00, 0}, "H200, 11 cells, median error 1.2 %, largest 7.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x80_s3_c2x1", {834.1, 2019, 1.68, 1996, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.2 %, largest 3.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {975.2, 1157, 2.86, 2691, 0.07, 0.00, 0.00, 0}, "H200, 25 cells, median error 0.8 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {965.8, 1599, 2.18, 2534, 0.30, 0.00, 0.00, 0}, "H200, 28 cells, median error 1.1 %, largest 6.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c1x2", {422.9, 0, 2.70, 4600, 0.37, 0.00, 0.00, 0}, "H200, 7 cells, median error 3.9 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {355.8, 109, 2.63, 4208, 1.30, 0.00, 0.00, 0}, "H200, 30 cells, median error 1.4 %, largest 3.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {391.1, 186, 3.55, 3893, 0.77, 0.00, 0.00, 0}, "H200, 35 cells, median error 0.8 %, largest 6.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c1x2", {446.8, 0, 3.90, 4600, 0.97, 0.00, 0.00, 0}, "H200, 28 cells, median error 1.3 %, largest 5.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {426.5, 34, 4.00, 3926, 0.00, 0.00, 0.00, 0}, "H200, 40 cells, median error 1.4 %, largest 5.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {466.1, 0, 3.62, 3582, 0.65, 0.00, 0.00, 0}, "H200, 37 cells, median error 0.9 %, largest 4.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c1x2", {521.3, 0, 3.26, 3871, 0.21, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.8 %, largest 6.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {505.1, 0, 3.47, 3924, 0.14, 0.00, 0.00, 0}, "H200, 44 cells, median error 0.9 %, largest 5.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {505.4, 0, 3.40, 4222, 0.00, 0.00, 0.00, 0}, "H200, 44 cells, median error 1.1 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {306.3, 413, 2.82, 4293, 0.43, 0.00, 0.00, 0}, "H200, 18 cells, median error 2.2 %, largest 6.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {314.0, 906, 3.25, 4160, 0.06, 0.00, 0.00, 0}, "H200, 29 cells, median error 1.3 %, largest 6.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c2x1", {343.5, 112, 3.59, 4340, 0.57, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.1 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {226.6, 145, 1.00, 4600, 0.00, 0.00, 0.00, 0}, "H200, 8 cells, median error 1.4 %, largest 18.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {237.9, 23, 1.68, 4276, 0.00, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.7 %, largest 17.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {241.0, 0, 1.92, 4326, 0.35, 0.00, 0.00, 0}, "H200, 13 cells, median error 2.3 %, largest 11.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {250.0, 0, 1.81, 4242, 0.51, 0.00, 0.00, 0}, "H200, 17 cells, median error 2.5 %, largest 18.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {252.1, 61, 1.74, 4600, 0.82, 0.00, 0.00, 0}, "H200, 18 cells, median error 3.9 %, largest 21.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {256.7, 169, 2.41, 4265, 0.32, 0.00, 0.00, 0}, "H200, 17 cells, median error 3.4 %, largest 15.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {270.1, 0, 2.83, 4425, 0.48, 0.00, 0.00, 0}, "H200, 22 cells, median error 3.2 %, largest 9.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c2x1", {289.6, 53, 3.61, 4600, 0.00, 0.00, 0.00, 0}, "H200, 10 cells, median error 1.5 %, largest 8.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {282.5, 157, 2.70, 4237, 0.49, 0.00, 0.00, 0}, "H200, 20 cells, median error 3.9 %, largest 7.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {284.5, 264, 2.59, 4291, 0.47, 0.00, 0.00, 0}, "H200, 33 cells, median error 1.8 %, largest 6.0 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
