// What the Hopper rows were measured to cost. Written by bench/fit_rows.py; edit the races, not this file.
#pragma once

#include <array>
#include <string_view>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

struct measured_row {
  std::string_view row;
  row_timing timing;  ///< block_ns, tile_ns, fixed_us, bytes_per_ns, imbalance, tail, blocks_per_sm
  std::string_view evidence;
};

inline constexpr std::array<measured_row, 52> row_timings = {{
    {"decode_t1r1u1w7", {0.0, 0, 0.97, 4255, 0.69, 0.00, 6}, "H200, 7 cells, median error 1.9 %, largest 6.3 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r1u1w8", {0.0, 0, 0.47, 4045, 0.62, 0.17, 5}, "H200, 7 cells, median error 0.4 %, largest 3.4 %: bench/results/*-h200-rows-*.json"},
    {"decode_t1r1u2w8p", {0.0, 0, 0.93, 4306, 0.00, 0.48, 2}, "H200, 7 cells, median error 1.5 %, largest 3.6 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u1w8", {0.0, 0, 0.88, 4324, 0.00, 0.47, 4}, "H200, 7 cells, median error 1.6 %, largest 8.0 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r2u2w4p", {0.0, 0, 1.63, 4424, 0.00, 0.41, 4}, "H200, 7 cells, median error 1.0 %, largest 2.5 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r3u1w4", {0.0, 0, 1.75, 3813, 1.35, 0.02, 5}, "H200, 7 cells, median error 2.7 %, largest 10.4 %: bench/results/*-h200-rows-*.json"},
    {"decode_t2r4u1w4", {0.0, 0, 1.34, 4096, 0.00, 0.31, 4}, "H200, 7 cells, median error 1.2 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x104_s4_c2x1", {547.9, 584, 2.99, 3655, 0.00, 0.00, 0}, "H200, 25 cells, median error 0.7 %, largest 3.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c1x2", {616.0, 264, 3.90, 4071, 0.00, 0.00, 0}, "H200, 38 cells, median error 1.2 %, largest 6.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x112_s4_c2x1", {590.0, 967, 2.42, 3940, 0.00, 0.00, 0}, "H200, 33 cells, median error 0.8 %, largest 3.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x120_s4_c2x1", {628.0, 759, 2.31, 4055, 0.00, 0.00, 0}, "H200, 33 cells, median error 0.7 %, largest 4.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c1x2", {699.8, 50, 3.66, 4101, 0.00, 0.00, 0}, "H200, 34 cells, median error 1.3 %, largest 10.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x128_s4_c2x1", {670.7, 884, 0.75, 4563, 0.00, 0.00, 0}, "H200, 29 cells, median error 0.9 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c1x2", {322.1, 3747, 0.50, 4505, 0.00, 0.00, 0}, "H200, 4 cells, median error 0.5 %, largest 1.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x48_s7_c2x1", {269.1, 7, 5.36, 3763, 0.00, 0.00, 0}, "H200, 1 cells, median error 0.0 %, largest 0.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x56_s6_c2x1", {326.0, 368, 2.83, 3607, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.0 %, largest 2.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x64_s6_c2x1", {354.1, 512, 2.12, 3761, 0.00, 0.00, 0}, "H200, 23 cells, median error 0.8 %, largest 2.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x72_s6_c2x1", {394.6, 316, 3.10, 3779, 0.00, 0.00, 0}, "H200, 31 cells, median error 0.6 %, largest 3.5 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x1", {437.9, 298, 3.56, 4211, 0.00, 0.00, 0}, "H200, 37 cells, median error 1.2 %, largest 4.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c1x2", {452.8, 17, 4.41, 4275, 0.00, 0.00, 0}, "H200, 21 cells, median error 0.7 %, largest 2.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x80_s5_c2x1", {434.0, 361, 3.79, 4073, 0.00, 0.00, 0}, "H200, 26 cells, median error 0.6 %, largest 4.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x88_s5_c2x1", {471.7, 303, 3.59, 3796, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.9 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c128x96_s5_c2x1", {512.5, 394, 3.34, 4002, 0.00, 0.00, 0}, "H200, 34 cells, median error 0.8 %, largest 2.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x64_s4_c2x1", {688.2, 569, 0.50, 5500, 0.00, 0.00, 0}, "H200, 19 cells, median error 1.1 %, largest 3.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x80_s3_c1x2", {855.1, 578, 4.16, 1898, 0.00, 0.00, 0}, "H200, 11 cells, median error 0.5 %, largest 2.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x80_s3_c2x1", {842.6, 1183, 0.50, 1146, 0.00, 0.00, 0}, "H200, 10 cells, median error 0.9 %, largest 1.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c1x2", {982.2, 1283, 2.06, 2349, 0.00, 0.00, 0}, "H200, 18 cells, median error 0.8 %, largest 2.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_c256x96_s3_c2x1", {977.8, 1483, 1.22, 2354, 0.00, 0.00, 0}, "H200, 20 cells, median error 0.9 %, largest 2.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x48_s7_c1x2", {321.2, 3879, 0.70, 4471, 0.00, 0.00, 0}, "H200, 4 cells, median error 0.4 %, largest 0.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x48_s7_c2x1", {268.9, 38, 5.37, 3763, 0.00, 0.00, 0}, "H200, 1 cells, median error 0.0 %, largest 0.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c1x2", {403.4, 0, 2.27, 4116, 0.00, 0.00, 0}, "H200, 6 cells, median error 1.7 %, largest 2.2 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x64_s6_c2x1", {352.7, 236, 2.11, 3676, 0.00, 0.00, 0}, "H200, 29 cells, median error 0.9 %, largest 3.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x72_s5_c2x1", {392.9, 101, 3.39, 3526, 0.00, 0.00, 0}, "H200, 29 cells, median error 0.8 %, largest 4.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c1x2", {443.7, 0, 4.52, 4210, 0.00, 0.00, 0}, "H200, 28 cells, median error 1.3 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x80_s5_c2x1", {427.9, 0, 4.22, 3731, 0.00, 0.00, 0}, "H200, 33 cells, median error 0.8 %, largest 4.3 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x88_s4_c2x1", {464.9, 0, 3.89, 3397, 0.00, 0.00, 0}, "H200, 34 cells, median error 1.0 %, largest 4.8 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c1x2", {519.7, 0, 3.13, 3722, 0.00, 0.00, 0}, "H200, 35 cells, median error 1.9 %, largest 6.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s4_c2x1", {506.7, 0, 2.93, 3601, 0.00, 0.00, 0}, "H200, 39 cells, median error 1.0 %, largest 3.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p128x96_s5_c2x1", {507.1, 0, 2.75, 3789, 0.00, 0.00, 0}, "H200, 39 cells, median error 1.1 %, largest 4.1 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x104_s5_c1x1", {297.3, 523, 3.34, 3885, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.3 %, largest 4.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c1x1", {304.2, 1503, 3.66, 4145, 0.00, 0.00, 0}, "H200, 23 cells, median error 1.8 %, largest 6.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x112_s5_c2x1", {295.2, 3035, 5.92, 4191, 0.00, 0.00, 0}, "H200, 14 cells, median error 0.9 %, largest 2.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x32_s12_c1x1", {192.7, 1093, 1.25, 4191, 0.00, 0.00, 0}, "H200, 5 cells, median error 0.6 %, largest 1.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x40_s10_c1x1", {198.5, 569, 2.05, 4029, 0.00, 0.00, 0}, "H200, 9 cells, median error 0.7 %, largest 2.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x48_s9_c1x1", {213.9, 244, 2.43, 4040, 0.00, 0.00, 0}, "H200, 11 cells, median error 2.8 %, largest 5.9 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x56_s8_c1x1", {194.9, 1102, 2.71, 4066, 0.00, 0.00, 0}, "H200, 13 cells, median error 2.3 %, largest 13.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x64_s8_c1x1", {186.0, 1324, 2.75, 3985, 0.00, 0.00, 0}, "H200, 12 cells, median error 2.0 %, largest 15.4 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x72_s7_c1x1", {208.8, 2554, 2.25, 4093, 0.00, 0.00, 0}, "H200, 14 cells, median error 1.6 %, largest 17.0 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c1x1", {260.8, 0, 3.29, 4059, 0.00, 0.00, 0}, "H200, 18 cells, median error 3.2 %, largest 10.7 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x80_s7_c2x1", {243.4, 1398, 3.15, 4084, 0.00, 0.00, 0}, "H200, 9 cells, median error 1.0 %, largest 2.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x88_s6_c1x1", {270.4, 76, 3.44, 4052, 0.00, 0.00, 0}, "H200, 16 cells, median error 1.4 %, largest 9.6 %: bench/results/*-h200-rows-*.json"},
    {"paired_p64x96_s6_c1x1", {282.8, 166, 3.25, 3960, 0.00, 0.00, 0}, "H200, 24 cells, median error 1.8 %, largest 6.6 %: bench/results/*-h200-rows-*.json"},
}};

}  // namespace tileglu::plan_detail
