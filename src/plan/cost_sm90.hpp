// The time of a Hopper row: a wave model over tiles, and a stream of weights.
#pragma once

#include <cstdint>

#include "plan/cost.hpp"

namespace tileglu::plan_detail {

/// How a persistent kernel divides [m, n] into tiles over the SMs.
struct tile_counts {
  std::int64_t rows = 0;      ///< of cluster tiles along m
  std::int64_t columns = 0;   ///< of cluster tiles along n
  std::int64_t per_sm = 0;    ///< tiles of the busiest CTA
  double idle = 0;            ///< share of the SMs without a tile, on average
};

/// `cluster` CTAs of tile_rows x tile_columns, cluster_m of them along m; `sm_count` SMs, of which whole clusters are used.
constexpr tile_counts count_tiles(std::int64_t m, std::int64_t n, std::int64_t tile_rows, std::int64_t tile_columns, int cluster_m, int cluster_n, int sm_count) {
  tile_counts c;
  c.rows = (m + tile_rows * cluster_m - 1) / (tile_rows * cluster_m);
  c.columns = (n + tile_columns * cluster_n - 1) / (tile_columns * cluster_n);
  const std::int64_t clusters = sm_count / (cluster_m * cluster_n) > 0 ? sm_count / (cluster_m * cluster_n) : 1;
  c.per_sm = (c.rows * c.columns + clusters - 1) / clusters;
  const double busy = static_cast<double>(c.rows * c.columns * cluster_m * cluster_n) / static_cast<double>(c.per_sm > 0 ? c.per_sm : 1);
  c.idle = busy < sm_count ? 1 - busy / sm_count : 0;
  return c;
}

cost_estimate sm90_cost(const kernel_row& row, const problem& p, const device_facts& device);

}  // namespace tileglu::plan_detail
