// Rows of the paper's two kernels. A name says: p or c (pingpong, cooperative; gate_first is pingpong), rows x columns, s stages, c cluster.
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

// Kernel-1. Float32 gate and up of a warpgroup's tile are 192 registers a thread at 128 x 96, which is all that fits beside the
// loop; X is read twice, once a pass. Bytes that an SM reads from L2 a clock (a pass's K block of 128 x 96 is 384 clk of wgmma): 59 in a
// cluster of 2x1, 53 in 1x2, where paired needs 36. Clusters of 2x2 would need 37, but were raced at 2 to 4 times the bare product.
inline constexpr std::array gate_first_rows = {
    kernel_row{"gate_first_128x96_s6_c2x1",
               kernel_family::gate_first,
               backend_id::sm90,
               gate_first_config{128, 96, 6, 2, 1},
               "1.16 of the bare product at 7B, M = 4096; H200, burst, 2026-11-29, bench/results/2026-11-29-h200-rows-paper.json",
               {595, 530, 2.8, 3490}},
    kernel_row{"gate_first_128x96_s6_c1x2",
               kernel_family::gate_first,
               backend_id::sm90,
               gate_first_config{128, 96, 6, 1, 2},
               "1.21 of the bare product at 7B, M = 4096; H200, burst, 2026-11-29, bench/results/2026-11-29-h200-rows-paper.json",
               {620, 144, 3.0, 2360}},
    kernel_row{"gate_first_64x64_s10_c1x1",
               kernel_family::gate_first,
               backend_id::sm90,
               gate_first_config{64, 64, 10, 1, 1},
               "1.13 of the bare product at 7B, M = 64; H200, burst, 2026-11-29, bench/results/2026-11-29-h200-rows-paper.json",
               {343, 0, 2.6, 3710}},
};

// Kernel-2. Tiles of the product [M, 2N].
inline constexpr std::array interleaved_rows = {
    kernel_row{"interleaved_c128x256_c2x1",
               kernel_family::interleaved,
               backend_id::sm90,
               interleaved_config{schedule::cooperative, 128, 256, 2, 1},
               "1.06 of the bare product at 7B, M = 4096; H200, burst, 2026-11-29, bench/results/2026-11-29-h200-rows-paper.json",
               {680, 1500, 3.0, 3800}},
    kernel_row{"interleaved_p128x192_c2x1",
               kernel_family::interleaved,
               backend_id::sm90,
               interleaved_config{schedule::pingpong, 128, 192, 2, 1},
               "1.02 of the bare product at 7B, M = 4096; H200, burst, 2026-11-29, bench/results/2026-11-29-h200-rows-paper.json",
               {500, 1300, 3.0, 3800}},
    kernel_row{"interleaved_p128x192_c1x2",
               kernel_family::interleaved,
               backend_id::sm90,
               interleaved_config{schedule::pingpong, 128, 192, 1, 2},
               "for one row of tiles, where a 2x1 cluster would leave half its CTAs without rows; not raced yet: its timing is that of 2x1",
               {510, 1300, 3.0, 3800}},
    kernel_row{"interleaved_p64x128_c1x1",
               kernel_family::interleaved,
               backend_id::sm90,
               interleaved_config{schedule::pingpong, 64, 128, 1, 1},
               "1.03 of the bare product at 7B, M = 64; H200, burst, 2026-11-29, bench/results/2026-11-29-h200-rows-paper.json",
               {330, 100, 3.0, 3840}},
};

}  // namespace tileglu::plan_detail
