// Rows of the decode kernel (m <= 16). A name says: t tiles of 8 tokens, r tiles of 8 columns a block, u K blocks in flight a warp,
// w warps, p persistent.
#pragma once

#include <array>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

inline constexpr std::array decode_rows = {
    kernel_row{"decode_t1r1u2w8p", kernel_family::decode, backend_id::sm90, decode_config{1, 1, 2, 8, true},
               "0.930 of the bare product over the seven Qwen-2.5 shapes, m = 1, burst: the best row in most"},
    kernel_row{"decode_t1r2u2w8p", kernel_family::decode, backend_id::sm90, decode_config{1, 2, 2, 8, true},
               "0.826 of the bare product, k = 4096, n = 3584, m = 1, burst"},
    kernel_row{"decode_t2r2u2w8p", kernel_family::decode, backend_id::sm90, decode_config{2, 2, 2, 8, true},
               "0.906 of the bare product, 0.5B, m = 16, burst"},
    kernel_row{"decode_t2r3u1w4", kernel_family::decode, backend_id::sm90, decode_config{2, 3, 1, 4, false},
               "0.989 of the bare product, 3B, m = 16, burst"},
    kernel_row{"decode_t2r2u2w4p", kernel_family::decode, backend_id::sm90, decode_config{2, 2, 2, 4, true},
               "1.015 of the bare product, k = 6144, n = 16384, m = 16, burst"},
};

}  // namespace tileglu::plan_detail
