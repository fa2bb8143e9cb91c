// Rows of the decode kernel (m <= 16). A name says: t tiles of 8 tokens, r tiles of 8 columns a block, u K blocks in flight a warp,
// w warps, p persistent.
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

inline constexpr std::array decode_rows = {
    kernel_row{"decode_t1r1u2w8p", kernel_family::decode, backend_id::sm90, decode_config{1, 1, 2, 8, true}, ""},
    kernel_row{"decode_t1r1u1w7", kernel_family::decode, backend_id::sm90, decode_config{1, 1, 1, 7, false}, ""},
    kernel_row{"decode_t1r1u1w8", kernel_family::decode, backend_id::sm90, decode_config{1, 1, 1, 8, false}, ""},
    kernel_row{"decode_t2r2u1w8", kernel_family::decode, backend_id::sm90, decode_config{2, 2, 1, 8, false}, ""},
    kernel_row{"decode_t2r3u1w4", kernel_family::decode, backend_id::sm90, decode_config{2, 3, 1, 4, false}, ""},
    kernel_row{"decode_t2r2u2w4p", kernel_family::decode, backend_id::sm90, decode_config{2, 2, 2, 4, true}, ""},
    kernel_row{"decode_t2r4u1w4", kernel_family::decode, backend_id::sm90, decode_config{2, 4, 1, 4, false}, ""},
};

}  // namespace tileglu::plan_detail
