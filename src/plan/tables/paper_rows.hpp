// Rows of the paper's two kernels. A name says: p or c (pingpong, cooperative; gate_first is pingpong), rows x columns of the tile, s stages, c cluster.
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

// Kernel-1. Float32 gate and up of a warpgroup's tile are 192 registers a thread at 128 x 96, which is all that fits beside the
// loop; X is read twice, once a pass. Bytes that an SM reads from L2 a clock (one pass's K block of 128 x 96 is 384 clk of wgmma):
// cluster 1x1 75, 2x1 59, 1x2 53, 2x2 37, where about 36 is what the chip sustains; but clusters of four leave 12 of 132 SMs idle.
inline constexpr std::array gate_first_rows = {
    kernel_row{"gate_first_128x96_s6_c2x2", kernel_family::gate_first, backend_id::sm90, gate_first_config{128, 96, 6, 2, 2}, "the paper's Kernel-1"},
    kernel_row{"gate_first_128x96_s6_c1x2", kernel_family::gate_first, backend_id::sm90, gate_first_config{128, 96, 6, 1, 2}, "the paper's Kernel-1"},
    kernel_row{"gate_first_128x96_s6_c2x1", kernel_family::gate_first, backend_id::sm90, gate_first_config{128, 96, 6, 2, 1}, "the paper's Kernel-1"},
    kernel_row{"gate_first_64x128_s7_c1x1", kernel_family::gate_first, backend_id::sm90, gate_first_config{64, 128, 7, 1, 1}, "the paper's Kernel-1"},
    kernel_row{"gate_first_64x64_s10_c1x1", kernel_family::gate_first, backend_id::sm90, gate_first_config{64, 64, 10, 1, 1}, "the paper's Kernel-1"},
};

// Kernel-2. Tiles of the product [M, 2N].
inline constexpr std::array interleaved_rows = {
    kernel_row{"interleaved_c128x256_c2x1", kernel_family::interleaved, backend_id::sm90, interleaved_config{schedule::cooperative, 128, 256, 2, 1}, "the paper's Kernel-2"},
    kernel_row{"interleaved_p128x192_c2x1", kernel_family::interleaved, backend_id::sm90, interleaved_config{schedule::pingpong, 128, 192, 2, 1}, "the paper's Kernel-2"},
    kernel_row{"interleaved_p64x128_c1x1", kernel_family::interleaved, backend_id::sm90, interleaved_config{schedule::pingpong, 64, 128, 1, 1}, "the paper's Kernel-2"},
};

}  // namespace tileglu::plan_detail
