#include "plan/cost_sm90.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/number_words.hpp"
#include "plan/config/gate_first_shape.hpp"
#include "plan/config/interleaved_shape.hpp"
#include "plan/config/paired_shape.hpp"

namespace tileglu::plan_detail {
namespace {

using base::fixed;

constexpr double measured_bytes_per_second = 4.18e12;  // of the H200 that the rows' bytes_per_ns were measured on

double weight_bytes(const problem& p) { return 4.0 * static_cast<double>(p.n) * static_cast<double>(p.k); }

/// How the tiles of [m, n] fall on the SMs, one CTA on each.
struct tile_spread {
  double per_sm = 0;  ///< tiles of the busiest CTA
  double idle = 0;    ///< share of the SMs without a tile, on average
  double fill = 0;    ///< outputs over those of full tiles on every SM
};

template <class Config>
tile_spread spread_of(const Config& c, const problem& p, int sm_count) {
  const tile_grid grid = tiles_of(c, p.m, p.n);
  const std::int64_t clusters = std::int64_t{grid.rows} * grid.columns;  // any problem may be priced, also one that is too large to launch
  const std::int64_t per_sm = ceil_div<std::int64_t>(clusters, std::max(1, resident_clusters(c, sm_count)));
  const double busy = static_cast<double>(clusters * cluster_size(c)) / static_cast<double>(std::max<std::int64_t>(per_sm, 1));
  const double outputs = static_cast<double>(p.m) * static_cast<double>(p.n);
  return {static_cast<double>(per_sm), std::max(0.0, 1 - busy / sm_count), outputs / (static_cast<double>(per_sm) * sm_count * tile_outputs(c))};
}

tile_spread spread_of(const kernel_row& row, const problem& p, int sm_count) {
  if (const auto* c = std::get_if<paired_config>(&row.config)) return spread_of(*c, p, sm_count);
  if (const auto* c = std::get_if<gate_first_config>(&row.config)) return spread_of(*c, p, sm_count);
  return spread_of(std::get<interleaved_config>(row.config), p, sm_count);
}

/// Two bounds that overlap: near the larger, a little above it where they are close. The exponent is fitted (bench/fit_rows.py).
double overlapped(double a, double b) {
  constexpr double p = 4.0;
  const double top = std::max(a, b);
  return top * std::pow(std::pow(a / top, p) + std::pow(b / top, p), 1 / p);
}

cost_estimate decode_cost(const kernel_row& row, const problem& p, const device_facts& device) {
  const auto& config = std::get<decode_config>(row.config);
  const row_timing& t = row.timing;
  const double rate = t.bytes_per_ns * device.memory_bytes_per_second / measured_bytes_per_second;
  // K blocks of the slowest warp of a block against the mean: 14 blocks over 8 warps take 2 steps, not 1.75.
  const double k_blocks = std::ceil(static_cast<double>(p.k) / k_block);
  const double steps = std::ceil(k_blocks / config.warps) * config.warps / k_blocks;
  const double waves = std::ceil(static_cast<double>(p.n) / (8 * config.row_tiles)) / (device.sm_count * t.blocks_per_sm);
  const double tail = (std::ceil(waves) - waves) / waves;
  const double stream_us = weight_bytes(p) / rate * 1e-3 * (1 + t.imbalance * (steps - 1) + t.tail * tail);
  return {t.fixed_us + stream_us, 1, 1, 0, "weights stream for " + fixed(stream_us, 1) + " us; " + fixed(waves, 2) + " waves of blocks"};
}

/// 5 % more where m or k is below what the row was raced at, and 5 % for every halving further: a row that was raced there should win. (More for
/// rows whose fit is worse, by their median error, was tried: the choices got no better.)
double doubt(const row_timing& t, const problem& p) {
  const double below = std::max(t.smallest_m / (1.9 * static_cast<double>(std::max<std::int64_t>(p.m, 1))),
                                t.smallest_k / (1.5 * static_cast<double>(std::max<std::int64_t>(p.k, 1))));
  return below > 1 ? 1.05 + 0.05 * std::log2(below) : 1;
}

/// The constants of a row that was raced in one wave of tiles say little about many: at m = 4096 `paired_t112x64_s7_c2x1`, raced up to 352, took
/// 1.27 times the bare product where 0.95 was expected (docs/lab-book.md). From 4096 on time grows with m alone. Rows with swapped operands have
/// been raced at m >= 1500 since, and took 1.02 to 1.29 in every one of nine cells.
bool is_extrapolated(const kernel_row& row, std::int64_t m) {
  const auto* c = std::get_if<paired_config>(&row.config);
  if (c && c->is_swapped()) return m > 512;
  return row.timing.largest_m > 0 && row.timing.largest_m < 4096 && static_cast<double>(m) > 1.5 * row.timing.largest_m;
}

/// A cluster's CTAs split its rows of X: with m in the first one's tile, the others only slow it down (1.5 to 2.5 times, and no constant says so).
bool has_idle_ctas(const kernel_row& row, std::int64_t m) {
  const auto* c = std::get_if<paired_config>(&row.config);
  return c && c->cluster_m > 1 && m <= c->tile_rows() * (c->cluster_m - 1);
}

/// Cluster rows that are walked together: 2048 rows of X, eight clusters at most. At 14B, m = 4096, clusters of 512 rows in groups of four
/// read 972 MB and take 0.994 of the time of groups of eight, which read 1064 (groups of two: 1307); clusters of 256 rows read 1304 MB in
/// eights, 1544 in fours, 1844 in sixteens (docs/lab-book.md).
int raster_group(const kernel_row& row) {
  const auto* c = std::get_if<paired_config>(&row.config);
  return c ? std::clamp(2048 / (c->tile_rows() * c->cluster_m), 1, 8) : 8;
}

}  // namespace

cost_estimate sm90_cost(const kernel_row& row, const problem& p, const device_facts& device) {
  const auto none = [&](std::string why) -> cost_estimate {
    return {std::numeric_limits<double>::infinity(), 1, raster_group(row), 0, why + ": chosen only where it is asked for"};
  };
  if (row.timing.fixed_us == 0) return none("not measured");
  if (row.family == kernel_family::decode) return decode_cost(row, p, device);
  if (is_extrapolated(row, p.m)) return none("never raced, or slow, at so many rows");
  if (has_idle_ctas(row, p.m)) return none("half of each cluster would have no rows");

  const tile_spread tiles = spread_of(row, p, device.sm_count);
  const double k_blocks = std::ceil(static_cast<double>(p.k) / k_block);
  const double multiply_us = tiles.per_sm * (k_blocks * row.timing.block_ns + row.timing.tile_ns) * 1e-3;
  const double bytes = weight_bytes(p) + 2.0 * static_cast<double>(p.m) * static_cast<double>(p.k + p.n);
  const double rate = row.timing.bytes_per_ns * device.memory_bytes_per_second / measured_bytes_per_second;
  const double stream_us = bytes / rate * 1e-3 * (1 + row.timing.idle * tiles.idle);
  const double us = (row.timing.fixed_us + overlapped(multiply_us, stream_us)) * doubt(row.timing, p);
  return {us, 1, raster_group(row), 0,
          "tiles fill the SMs to " + fixed(tiles.fill, 2) + "; " + fixed(multiply_us, 1) + " us to multiply, " + fixed(stream_us, 1) +
              " us to stream"};
}

}  // namespace tileglu::plan_detail
