// Rows of the paper's two kernels.
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

inline constexpr std::array gate_first_rows = {
    kernel_row{"gate_first_128x128", kernel_family::gate_first, backend_id::sm90, gate_first_config{128, 128, 5, 2, 1}, "the paper's Kernel-1"},
};

inline constexpr std::array interleaved_rows = {
    kernel_row{"interleaved_128x256", kernel_family::interleaved, backend_id::sm90, interleaved_config{schedule::cooperative, 128, 256, 2, 1}, "the paper's Kernel-2"},
};

}  // namespace tileglu::plan_detail
