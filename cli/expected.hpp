// What a layer must give for some rows: in float64, and in float32 rounded once.
#pragma once

#include <cstdint>
#include <vector>

#include "model_data.hpp"

namespace tileglu::cli {

struct expected_rows {
  std::vector<double> exact;    ///< [rows, columns]
  std::vector<double> rounded;  ///< what an honest float32 implementation stores
};

/// Of the gated product; `x` holds `rows` dense rows.
result<expected_rows> expect_gated(const device_layer& layer, const std::vector<std::uint16_t>& x, std::int64_t rows);

/// Of the whole MLP, from the gated product's.
expected_rows expect_mlp(const device_layer& layer, const expected_rows& gated, std::int64_t rows);

}  // namespace tileglu::cli
