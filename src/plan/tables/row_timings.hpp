// What the Hopper rows were measured to cost. Written by bench/fit_rows.py from races of rows and of choices on an H200
// (bench/results/*h200*rows*.json, *h200*race*.json); edit the races, not this file.
#pragma once

#include <array>
#include <string_view>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

struct measured_row {
  std::string_view row;
  row_timing timing;  ///< block_ns, tile_ns, fixed_us, bytes_per_ns, idle, imbalance, tail, blocks_per_sm, largest_m, smallest_m, smallest_k
  std::string_view evidence;
};

inline constexpr std::array<measured_row, 63> row_timings = {{
    {"decode_t1r1u2w8p", {0.0, 0, 0.86, 4263, 0.00, 0.00, 0.28, 4, 0, 0, 0}, "H200, 13 cells, median error 1.7 %, largest 6.1 %"},
    {"decode_t1r2u2w8p", {0.0, 0, 0.46, 4260, 0.00, 0.00, 0.43, 2, 0, 0, 0}, "H200, 13 cells, median error 1.3 %, largest 6.4 %"},
    {"decode_t2r2u2w4p", {0.0, 0, 1.10, 4014, 0.00, 1.18, 0.19, 4, 0, 0, 0}, "H200, 14 cells, median error 2.6 %, largest 10.5 %"},
    {"decode_t2r2u2w8p", {0.0, 0, 1.31, 3887, 0.00, 0.00, 0.60, 1, 0, 0, 0}, "H200, 13 cells, median error 1.0 %, largest 6.4 %"},
    {"decode_t2r3u1w4", {0.0, 0, 2.09, 4045, 0.00, 0.58, 0.12, 4, 0, 0, 0}, "H200, 13 cells, median error 0.9 %, largest 8.1 %"},
    {"gate_first_128x96_s6_c1x2", {632.0, 0, 2.95, 3308, 0.05, 0.00, 0.00, 0, 4096, 16, 896}, "H200, 19 cells, median error 1.5 %, largest 27.0 %"},
    {"gate_first_128x96_s6_c2x1", {601.6, 489, 3.27, 4025, 0.00, 0.00, 0.00, 0, 8192, 256, 896}, "H200, 21 cells, median error 0.9 %, largest 8.8 %"},
    {"gate_first_64x64_s10_c1x1", {347.0, 0, 1.87, 4600, 0.72, 0.00, 0.00, 0, 4096, 1, 896}, "H200, 25 cells, median error 1.7 %, largest 26.0 %"},
    {"interleaved_c128x256_c2x1", {713.4, 849, 1.00, 3712, 2.00, 0.00, 0.00, 0, 4096, 256, 896}, "H200, 13 cells, median error 1.7 %, largest 14.1 %"},
    {"interleaved_p128x192_c1x2", {526.0, 0, 3.19, 3757, 0.00, 0.00, 0.00, 0, 4096, 16, 896}, "H200, 20 cells, median error 2.1 %, largest 22.2 %"},
    {"interleaved_p128x192_c2x1", {526.7, 0, 1.00, 2330, 0.00, 0.00, 0.00, 0, 8192, 256, 896}, "H200, 20 cells, median error 2.3 %, largest 30.0 %"},
    {"interleaved_p64x128_c1x1", {321.5, 0, 2.47, 4600, 0.57, 0.00, 0.00, 0, 4096, 1, 896}, "H200, 24 cells, median error 4.4 %, largest 32.8 %"},
    {"paired_c128x112_s4_c1x2", {615.4, 496, 3.35, 4154, 0.13, 0.00, 0.00, 0, 8192, 24, 576}, "H200, 46 cells, median error 1.4 %, largest 7.1 %"},
    {"paired_c128x112_s4_c2x1", {592.9, 967, 2.64, 4600, 1.45, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 41 cells, median error 1.1 %, largest 3.5 %"},
    {"paired_c128x120_s4_c2x1", {632.0, 638, 3.46, 4600, 0.11, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 35 cells, median error 1.2 %, largest 4.8 %"},
    {"paired_c128x128_s4_c2x1", {673.8, 709, 2.95, 4600, 1.48, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 31 cells, median error 0.9 %, largest 5.3 %"},
    {"paired_c128x32_s8_c1x1", {251.5, 806, 1.00, 4600, 0.00, 0.00, 0.00, 0, 192, 24, 576}, "H200, 9 cells, median error 3.4 %, largest 11.8 %"},
    {"paired_c128x40_s8_c1x1", {284.1, 0, 2.78, 4456, 0.00, 0.00, 0.00, 0, 512, 24, 576}, "H200, 12 cells, median error 2.1 %, largest 15.8 %"},
    {"paired_c128x48_s7_c1x1", {283.3, 525, 2.36, 4371, 0.72, 0.00, 0.00, 0, 1500, 24, 576}, "H200, 17 cells, median error 1.4 %, largest 5.5 %"},
    {"paired_c128x56_s7_c1x1", {315.1, 465, 2.64, 4298, 0.46, 0.00, 0.00, 0, 1500, 24, 576}, "H200, 36 cells, median error 1.5 %, largest 16.0 %"},
    {"paired_c128x64_s6_c1x1", {349.4, 716, 1.97, 4600, 0.79, 0.00, 0.00, 0, 1024, 24, 576}, "H200, 20 cells, median error 1.1 %, largest 4.1 %"},
    {"paired_c128x72_s6_c1x1", {390.9, 457, 2.85, 4110, 0.00, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 24 cells, median error 1.4 %, largest 3.9 %"},
    {"paired_c128x72_s6_c2x1", {398.9, 236, 4.15, 4517, 1.03, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 32 cells, median error 1.0 %, largest 7.5 %"},
    {"paired_c128x80_s5_c1x1", {433.8, 629, 3.15, 4600, 0.77, 0.00, 0.00, 0, 8192, 24, 576}, "H200, 44 cells, median error 1.4 %, largest 6.8 %"},
    {"paired_c128x88_s5_c1x1", {471.4, 460, 3.25, 4114, 0.00, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 27 cells, median error 1.0 %, largest 4.6 %"},
    {"paired_c128x88_s5_c2x1", {476.6, 251, 3.87, 4345, 0.69, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 36 cells, median error 0.9 %, largest 4.8 %"},
    {"paired_c128x96_s5_c2x1", {513.4, 535, 3.48, 4476, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 37 cells, median error 1.1 %, largest 4.6 %"},
    {"paired_c192x40_s6_c1x1", {326.0, 881, 2.19, 4013, 0.00, 0.00, 0.00, 0, 384, 160, 896}, "H200, 12 cells, median error 1.7 %, largest 12.0 %"},
    {"paired_c192x56_s5_c1x1", {469.2, 483, 2.13, 4306, 0.00, 0.00, 0.00, 0, 1500, 144, 896}, "H200, 31 cells, median error 2.3 %, largest 27.0 %"},
    {"paired_c192x72_s4_c1x1", {567.1, 476, 3.57, 4176, 0.92, 0.00, 0.00, 0, 384, 144, 896}, "H200, 12 cells, median error 0.8 %, largest 5.6 %"},
    {"paired_c192x88_s4_c1x1", {691.7, 0, 4.07, 4341, 0.08, 0.00, 0.00, 0, 3000, 192, 896}, "H200, 11 cells, median error 0.4 %, largest 2.6 %"},
    {"paired_c256x56_s4_c1x2", {609.1, 429, 3.95, 3018, 0.81, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 19 cells, median error 3.7 %, largest 38.7 %"},
    {"paired_c256x64_s4_c1x2", {667.4, 920, 2.74, 2502, 0.19, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 7 cells, median error 1.6 %, largest 2.5 %"},
    {"paired_c256x72_s4_c1x2", {746.1, 1058, 3.72, 3994, 1.32, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 17 cells, median error 2.3 %, largest 8.7 %"},
    {"paired_c256x72_s4_c2x1", {760.6, 122, 5.31, 3932, 0.00, 0.00, 0.00, 0, 8192, 320, 576}, "H200, 34 cells, median error 1.4 %, largest 4.7 %"},
    {"paired_c256x88_s3_c2x1", {895.2, 932, 3.58, 2098, 0.59, 0.00, 0.00, 0, 8192, 320, 576}, "H200, 30 cells, median error 1.0 %, largest 3.2 %"},
    {"paired_c256x96_s3_c1x2", {987.3, 411, 4.13, 2685, 0.00, 0.00, 0.00, 0, 8192, 24, 576}, "H200, 34 cells, median error 1.0 %, largest 4.9 %"},
    {"paired_c256x96_s3_c2x1", {978.9, 840, 3.89, 2398, 0.73, 0.00, 0.00, 0, 8192, 320, 576}, "H200, 33 cells, median error 1.1 %, largest 5.2 %"},
    {"paired_p128x64_s6_c2x1", {360.5, 0, 3.36, 4259, 1.24, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 30 cells, median error 1.2 %, largest 5.2 %"},
    {"paired_p128x72_s5_c2x1", {397.7, 0, 4.51, 4105, 1.08, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 35 cells, median error 1.1 %, largest 6.1 %"},
    {"paired_p128x80_s5_c2x1", {430.3, 0, 4.37, 3918, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 40 cells, median error 1.3 %, largest 4.9 %"},
    {"paired_p128x88_s4_c2x1", {470.8, 0, 3.90, 3883, 1.56, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 42 cells, median error 0.9 %, largest 5.8 %"},
    {"paired_p128x96_s4_c2x1", {508.4, 0, 3.88, 3985, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 44 cells, median error 1.0 %, largest 6.8 %"},
    {"paired_p128x96_s5_c2x1", {508.6, 0, 3.84, 4335, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 45 cells, median error 1.2 %, largest 7.4 %"},
    {"paired_p64x104_s5_c1x1", {303.1, 661, 2.98, 4132, 0.33, 0.00, 0.00, 0, 4096, 24, 576}, "H200, 25 cells, median error 2.5 %, largest 8.4 %"},
    {"paired_p64x112_s5_c1x1", {318.6, 900, 2.78, 4211, 0.25, 0.00, 0.00, 0, 4096, 16, 576}, "H200, 51 cells, median error 1.7 %, largest 28.9 %"},
    {"paired_p64x32_s12_c1x1", {224.7, 174, 1.00, 4600, 0.00, 0.00, 0.00, 0, 96, 16, 576}, "H200, 10 cells, median error 2.6 %, largest 18.2 %"},
    {"paired_p64x40_s10_c1x1", {232.1, 137, 1.82, 4274, 0.00, 0.00, 0.00, 0, 192, 16, 576}, "H200, 13 cells, median error 3.8 %, largest 19.7 %"},
    {"paired_p64x48_s9_c1x1", {234.0, 153, 1.86, 4283, 0.37, 0.00, 0.00, 0, 192, 16, 576}, "H200, 26 cells, median error 3.0 %, largest 15.9 %"},
    {"paired_p64x56_s8_c1x1", {242.1, 164, 1.88, 4254, 0.55, 0.00, 0.00, 0, 192, 16, 576}, "H200, 18 cells, median error 3.0 %, largest 18.6 %"},
    {"paired_p64x64_s8_c1x1", {245.7, 207, 2.03, 4448, 0.56, 0.00, 0.00, 0, 320, 16, 576}, "H200, 33 cells, median error 2.6 %, largest 21.1 %"},
    {"paired_p64x72_s7_c1x1", {253.7, 173, 2.44, 4266, 0.39, 0.00, 0.00, 0, 320, 16, 576}, "H200, 33 cells, median error 2.3 %, largest 18.9 %"},
    {"paired_p64x80_s7_c1x1", {262.8, 147, 2.89, 4314, 0.33, 0.00, 0.00, 0, 512, 16, 576}, "H200, 38 cells, median error 3.4 %, largest 21.7 %"},
    {"paired_p64x88_s6_c1x1", {281.8, 121, 2.86, 4167, 0.31, 0.00, 0.00, 0, 320, 16, 576}, "H200, 41 cells, median error 3.0 %, largest 22.3 %"},
    {"paired_p64x96_s6_c1x1", {285.9, 244, 2.91, 4324, 0.50, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 42 cells, median error 2.1 %, largest 16.1 %"},
    {"paired_t112x64_s7_c2x1", {352.4, 0, 1.00, 4600, 0.00, 0.00, 0.00, 0, 8192, 176, 3584}, "H200, 10 cells, median error 1.5 %, largest 6.6 %"},
    {"paired_t144x128_s4_c1x1", {713.2, 2912, 2.08, 4427, 0.00, 0.00, 0.00, 0, 3000, 96, 576}, "H200, 15 cells, median error 1.5 %, largest 3.4 %"},
    {"paired_t160x128_s4_c1x1", {798.6, 2297, 1.00, 4307, 0.00, 0.00, 0.00, 0, 2048, 144, 896}, "H200, 12 cells, median error 2.3 %, largest 8.7 %"},
    {"paired_t160x64_s6_c1x1", {411.2, 2008, 1.00, 4004, 0.00, 0.00, 0.00, 0, 320, 144, 896}, "H200, 9 cells, median error 0.3 %, largest 5.8 %"},
    {"paired_t80x64_s8_c2x1", {300.4, 661, 1.00, 4600, 0.00, 0.00, 0.00, 0, 160, 112, 4096}, "H200, 5 cells, median error 1.4 %, largest 6.0 %"},
    {"paired_t96x64_s7_c2x1", {284.0, 1382, 1.19, 3981, 0.35, 0.00, 0.00, 0, 352, 112, 896}, "H200, 16 cells, median error 0.9 %, largest 25.5 %"},
    {"paired_tp144x64_s6_c1x1", {400.1, 0, 1.95, 3785, 0.32, 0.00, 0.00, 0, 3000, 144, 3584}, "H200, 8 cells, median error 0.8 %, largest 5.8 %"},
    {"paired_tp176x64_s5_c1x1", {440.3, 3246, 1.00, 4600, 1.45, 0.00, 0.00, 0, 512, 176, 896}, "H200, 10 cells, median error 0.9 %, largest 7.0 %"},
}};

}  // namespace tileglu::plan_detail
