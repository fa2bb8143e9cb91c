// Rows of the decode kernel (m <= 16).
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

inline constexpr std::array decode_rows = {
    kernel_row{"decode_t1r1u2w8", kernel_family::decode, backend_id::sm90, decode_config{1, 1, 2, 8}, "probe: 0.970 of the bare product at m = 1, H200, 2026-11-29"},
    kernel_row{"decode_t2r1u2w8", kernel_family::decode, backend_id::sm90, decode_config{2, 1, 2, 8}, "probe: 1.048 of the bare product at m = 16, H200, 2026-11-29"},
};

}  // namespace tileglu::plan_detail
