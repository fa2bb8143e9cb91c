// Rows of the paired kernel. A name says: p or c (pingpong, cooperative), rows x pair width, s stages, c cluster.
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

inline constexpr std::array paired_rows = {
    kernel_row{"paired_p128x96_s4_c2x1", kernel_family::paired, backend_id::sm90, paired_config{schedule::pingpong, 2, 96, 4, 2, 1}, "probe, H200, 2026-11-29"},
};

}  // namespace tileglu::plan_detail
