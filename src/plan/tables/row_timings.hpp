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
    {"decode_t1r1u2w8p", {0.0, 0, 0.86, 4261, 0.00, 0.00, 0.27, 4, 0, 0, 0}, "H200, 13 cells, median error 2.1 %, largest 6.7 %"},
    {"decode_t1r2u2w8p", {0.0, 0, 0.47, 4263, 0.00, 0.00, 0.41, 2, 0, 0, 0}, "H200, 13 cells, median error 1.7 %, largest 6.0 %"},
    {"decode_t2r2u2w4p", {0.0, 0, 1.09, 4029, 0.00, 1.19, 0.19, 4, 0, 0, 0}, "H200, 14 cells, median error 2.4 %, largest 10.3 %"},
    {"decode_t2r2u2w8p", {0.0, 0, 1.32, 3904, 0.00, 0.00, 0.60, 1, 0, 0, 0}, "H200, 13 cells, median error 0.9 %, largest 6.3 %"},
    {"decode_t2r3u1w4", {0.0, 0, 2.09, 4055, 0.00, 0.57, 0.12, 4, 0, 0, 0}, "H200, 13 cells, median error 1.1 %, largest 7.4 %"},
    {"gate_first_128x96_s6_c1x2", {632.9, 0, 3.05, 3360, 0.00, 0.00, 0.00, 0, 4096, 16, 896}, "H200, 18 cells, median error 1.6 %, largest 27.6 %"},
    {"gate_first_128x96_s6_c2x1", {601.1, 362, 3.40, 4059, 0.00, 0.00, 0.00, 0, 8192, 256, 896}, "H200, 17 cells, median error 0.7 %, largest 3.2 %"},
    {"gate_first_64x64_s10_c1x1", {346.7, 0, 1.97, 4600, 0.70, 0.00, 0.00, 0, 4096, 1, 896}, "H200, 23 cells, median error 0.9 %, largest 26.1 %"},
    {"interleaved_c128x256_c2x1", {706.6, 956, 1.00, 3746, 2.00, 0.00, 0.00, 0, 4096, 256, 896}, "H200, 12 cells, median error 1.5 %, largest 13.3 %"},
    {"interleaved_p128x192_c1x2", {524.6, 0, 3.19, 3780, 0.00, 0.00, 0.00, 0, 4096, 16, 896}, "H200, 19 cells, median error 2.1 %, largest 22.4 %"},
    {"interleaved_p128x192_c2x1", {524.2, 0, 1.00, 2319, 0.00, 0.00, 0.00, 0, 8192, 256, 896}, "H200, 17 cells, median error 1.5 %, largest 30.3 %"},
    {"interleaved_p64x128_c1x1", {321.4, 0, 2.41, 4600, 0.48, 0.00, 0.00, 0, 4096, 1, 896}, "H200, 22 cells, median error 5.5 %, largest 32.6 %"},
    {"paired_c128x112_s4_c1x2", {613.8, 513, 3.35, 4161, 0.14, 0.00, 0.00, 0, 8192, 24, 576}, "H200, 46 cells, median error 1.5 %, largest 7.2 %"},
    {"paired_c128x112_s4_c2x1", {590.9, 1005, 2.60, 4600, 1.52, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 41 cells, median error 1.0 %, largest 3.2 %"},
    {"paired_c128x120_s4_c2x1", {629.1, 707, 3.33, 4600, 0.27, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 35 cells, median error 1.0 %, largest 4.6 %"},
    {"paired_c128x128_s4_c2x1", {672.0, 735, 2.91, 4600, 1.50, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 31 cells, median error 1.0 %, largest 5.2 %"},
    {"paired_c128x32_s8_c1x1", {251.0, 800, 1.00, 4600, 0.00, 0.00, 0.00, 0, 192, 24, 576}, "H200, 9 cells, median error 3.3 %, largest 11.9 %"},
    {"paired_c128x40_s8_c1x1", {283.1, 0, 2.81, 4484, 0.00, 0.00, 0.00, 0, 512, 24, 576}, "H200, 12 cells, median error 2.2 %, largest 15.6 %"},
    {"paired_c128x48_s7_c1x1", {282.3, 537, 2.34, 4424, 0.81, 0.00, 0.00, 0, 1500, 24, 576}, "H200, 17 cells, median error 1.4 %, largest 5.2 %"},
    {"paired_c128x56_s7_c1x1", {313.7, 450, 2.70, 4294, 0.43, 0.00, 0.00, 0, 1500, 24, 576}, "H200, 36 cells, median error 1.5 %, largest 16.1 %"},
    {"paired_c128x64_s6_c1x1", {347.5, 740, 1.97, 4600, 0.79, 0.00, 0.00, 0, 1024, 24, 576}, "H200, 20 cells, median error 1.2 %, largest 4.7 %"},
    {"paired_c128x72_s6_c1x1", {388.6, 447, 2.95, 4124, 0.00, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 24 cells, median error 0.8 %, largest 3.3 %"},
    {"paired_c128x72_s6_c2x1", {396.6, 288, 4.00, 4495, 1.21, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 32 cells, median error 1.0 %, largest 8.2 %"},
    {"paired_c128x80_s5_c1x1", {432.2, 648, 3.16, 4600, 0.74, 0.00, 0.00, 0, 8192, 24, 576}, "H200, 44 cells, median error 1.4 %, largest 6.0 %"},
    {"paired_c128x88_s5_c1x1", {468.4, 468, 3.29, 4144, 0.00, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 27 cells, median error 0.7 %, largest 4.1 %"},
    {"paired_c128x88_s5_c2x1", {473.6, 314, 3.80, 4352, 0.80, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 36 cells, median error 0.8 %, largest 4.9 %"},
    {"paired_c128x96_s5_c2x1", {511.6, 556, 3.45, 4472, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 37 cells, median error 1.0 %, largest 3.4 %"},
    {"paired_c192x40_s6_c1x1", {325.8, 884, 2.18, 4016, 0.00, 0.00, 0.00, 0, 384, 160, 896}, "H200, 12 cells, median error 1.8 %, largest 9.6 %"},
    {"paired_c192x56_s5_c1x1", {469.0, 536, 2.05, 4321, 0.00, 0.00, 0.00, 0, 1500, 144, 896}, "H200, 31 cells, median error 2.2 %, largest 25.2 %"},
    {"paired_c192x72_s4_c1x1", {567.0, 473, 3.58, 4177, 0.89, 0.00, 0.00, 0, 384, 144, 896}, "H200, 12 cells, median error 0.8 %, largest 5.5 %"},
    {"paired_c192x88_s4_c1x1", {690.9, 0, 4.08, 4330, 0.06, 0.00, 0.00, 0, 3000, 192, 896}, "H200, 11 cells, median error 0.6 %, largest 2.5 %"},
    {"paired_c256x56_s4_c1x2", {600.4, 592, 3.83, 3026, 0.88, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 19 cells, median error 2.9 %, largest 39.9 %"},
    {"paired_c256x64_s4_c1x2", {665.2, 940, 2.69, 2685, 0.47, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 7 cells, median error 2.0 %, largest 4.0 %"},
    {"paired_c256x72_s4_c1x2", {738.9, 1170, 3.61, 3952, 1.35, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 16 cells, median error 1.9 %, largest 9.2 %"},
    {"paired_c256x72_s4_c2x1", {758.4, 146, 5.29, 4600, 0.00, 0.00, 0.00, 0, 8192, 320, 576}, "H200, 34 cells, median error 1.3 %, largest 4.3 %"},
    {"paired_c256x88_s3_c2x1", {893.9, 910, 3.68, 2174, 0.67, 0.00, 0.00, 0, 8192, 320, 576}, "H200, 30 cells, median error 1.0 %, largest 3.3 %"},
    {"paired_c256x96_s3_c1x2", {985.2, 418, 4.16, 2751, 0.00, 0.00, 0.00, 0, 8192, 24, 576}, "H200, 34 cells, median error 0.9 %, largest 4.9 %"},
    {"paired_c256x96_s3_c2x1", {978.8, 808, 3.95, 2669, 1.21, 0.00, 0.00, 0, 8192, 320, 576}, "H200, 33 cells, median error 1.2 %, largest 5.4 %"},
    {"paired_p128x64_s6_c2x1", {359.2, 17, 3.33, 4246, 1.29, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 30 cells, median error 1.2 %, largest 5.3 %"},
    {"paired_p128x72_s5_c2x1", {395.6, 38, 4.41, 4098, 1.18, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 35 cells, median error 1.0 %, largest 5.9 %"},
    {"paired_p128x80_s5_c2x1", {429.2, 0, 4.39, 3943, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 40 cells, median error 1.2 %, largest 5.5 %"},
    {"paired_p128x88_s4_c2x1", {469.3, 0, 3.91, 3908, 1.58, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 42 cells, median error 0.7 %, largest 5.5 %"},
    {"paired_p128x96_s4_c2x1", {506.9, 0, 3.88, 3990, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 44 cells, median error 0.9 %, largest 6.5 %"},
    {"paired_p128x96_s5_c2x1", {507.1, 0, 3.85, 4330, 0.00, 0.00, 0.00, 0, 8192, 192, 576}, "H200, 45 cells, median error 1.1 %, largest 7.1 %"},
    {"paired_p64x104_s5_c1x1", {303.8, 612, 3.08, 4179, 0.33, 0.00, 0.00, 0, 4096, 24, 576}, "H200, 25 cells, median error 2.2 %, largest 8.5 %"},
    {"paired_p64x112_s5_c1x1", {317.6, 906, 2.78, 4240, 0.26, 0.00, 0.00, 0, 4096, 16, 576}, "H200, 51 cells, median error 1.9 %, largest 29.3 %"},
    {"paired_p64x32_s12_c1x1", {224.1, 179, 1.00, 4600, 0.00, 0.00, 0.00, 0, 96, 16, 576}, "H200, 10 cells, median error 2.0 %, largest 18.3 %"},
    {"paired_p64x40_s10_c1x1", {231.7, 137, 1.83, 4289, 0.00, 0.00, 0.00, 0, 192, 16, 576}, "H200, 13 cells, median error 3.8 %, largest 20.0 %"},
    {"paired_p64x48_s9_c1x1", {233.7, 152, 1.86, 4297, 0.36, 0.00, 0.00, 0, 192, 16, 576}, "H200, 26 cells, median error 2.8 %, largest 16.0 %"},
    {"paired_p64x56_s8_c1x1", {241.7, 164, 1.88, 4267, 0.55, 0.00, 0.00, 0, 192, 16, 576}, "H200, 18 cells, median error 3.1 %, largest 18.5 %"},
    {"paired_p64x64_s8_c1x1", {245.3, 202, 2.05, 4449, 0.54, 0.00, 0.00, 0, 320, 16, 576}, "H200, 33 cells, median error 2.7 %, largest 21.4 %"},
    {"paired_p64x72_s7_c1x1", {253.0, 185, 2.44, 4280, 0.39, 0.00, 0.00, 0, 320, 16, 576}, "H200, 33 cells, median error 2.4 %, largest 18.9 %"},
    {"paired_p64x80_s7_c1x1", {262.4, 145, 2.89, 4322, 0.32, 0.00, 0.00, 0, 512, 16, 576}, "H200, 38 cells, median error 3.2 %, largest 21.6 %"},
    {"paired_p64x88_s6_c1x1", {281.7, 118, 2.86, 4187, 0.31, 0.00, 0.00, 0, 320, 16, 576}, "H200, 41 cells, median error 3.3 %, largest 22.5 %"},
    {"paired_p64x96_s6_c1x1", {284.9, 232, 2.96, 4356, 0.51, 0.00, 0.00, 0, 3000, 24, 576}, "H200, 42 cells, median error 2.3 %, largest 17.1 %"},
    {"paired_t112x64_s7_c2x1", {352.3, 0, 1.00, 4600, 0.00, 0.00, 0.00, 0, 8192, 176, 3584}, "H200, 10 cells, median error 1.4 %, largest 6.6 %"},
    {"paired_t144x128_s4_c1x1", {713.4, 2865, 2.14, 4444, 0.00, 0.00, 0.00, 0, 3000, 96, 576}, "H200, 15 cells, median error 1.5 %, largest 3.3 %"},
    {"paired_t160x128_s4_c1x1", {798.5, 2298, 1.00, 4307, 0.00, 0.00, 0.00, 0, 2048, 144, 896}, "H200, 12 cells, median error 2.3 %, largest 9.1 %"},
    {"paired_t160x64_s6_c1x1", {409.8, 2028, 1.00, 3996, 0.00, 0.00, 0.00, 0, 320, 144, 896}, "H200, 9 cells, median error 0.3 %, largest 5.6 %"},
    {"paired_t80x64_s8_c2x1", {300.4, 661, 1.00, 4600, 0.00, 0.00, 0.00, 0, 160, 112, 4096}, "H200, 5 cells, median error 1.4 %, largest 6.0 %"},
    {"paired_t96x64_s7_c2x1", {283.9, 1385, 1.19, 3980, 0.32, 0.00, 0.00, 0, 352, 112, 896}, "H200, 16 cells, median error 1.0 %, largest 25.6 %"},
    {"paired_tp144x64_s6_c1x1", {399.6, 0, 2.00, 3764, 0.30, 0.00, 0.00, 0, 3000, 144, 3584}, "H200, 8 cells, median error 0.8 %, largest 5.7 %"},
    {"paired_tp176x64_s5_c1x1", {440.7, 3223, 1.00, 4600, 1.45, 0.00, 0.00, 0, 512, 176, 896}, "H200, 10 cells, median error 1.0 %, largest 6.9 %"},
}};

}  // namespace tileglu::plan_detail
