#include "plan/cost_sm90.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tileglu::plan_detail {
namespace {

constexpr int k_block = 64;
constexpr double measured_bytes_per_second = 4.18e12;  // of the H200 that the rows' bytes_per_ns were measured on

double weight_bytes(const problem& p) { return 4.0 * static_cast<double>(p.n) * static_cast<double>(p.k); }

struct tile_shape {
  int rows, columns, cluster_m, cluster_n;
};

/// Output tile of a CTA. Kernel-2's columns are of the product [M, 2N]: half as many outputs.
tile_shape shape_of(const kernel_row& row) {
  if (const auto* c = std::get_if<paired_config>(&row.config)) return {c->tile_rows(), c->pair_width, c->cluster_m, c->cluster_n};
  if (const auto* c = std::get_if<gate_first_config>(&row.config)) return {c->tile_rows, c->tile_columns, c->cluster_m, c->cluster_n};
  if (const auto* c = std::get_if<interleaved_config>(&row.config)) return {c->tile_rows, c->tile_columns / 2, c->cluster_m, c->cluster_n};
  return {8, 8, 1, 1};
}

/// Two bounds that overlap: near the larger, a little above it where they are close. The exponent is fitted (bench/fit_rows.py).
double overlapped(double a, double b) {
  constexpr double p = 4.0;
  const double top = std::max(a, b);
  return top * std::pow(std::pow(a / top, p) + std::pow(b / top, p), 1 / p);
}

template <class... Numbers>
std::string words(const char* format, Numbers... numbers) {
  char text[160];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
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
  return {t.fixed_us + stream_us, 1, 1, 0, words("weights stream for %.1f us; %.2f waves of blocks", stream_us, waves)};
}

}  // namespace

cost_estimate sm90_cost(const kernel_row& row, const problem& p, const device_facts& device) {
  constexpr double not_measured_us = 1e9;
  if (row.timing.fixed_us == 0) return {not_measured_us, 1, 8, 0, "not measured: chosen only where it is asked for"};
  if (row.family == kernel_family::decode) return decode_cost(row, p, device);

  const tile_shape tile = shape_of(row);
  const tile_counts tiles = count_tiles(p.m, p.n, tile.rows, tile.columns, tile.cluster_m, tile.cluster_n, device.sm_count);
  const double k_blocks = std::ceil(static_cast<double>(p.k) / k_block);
  const double multiply_us = static_cast<double>(tiles.per_sm) * (k_blocks * row.timing.block_ns + row.timing.tile_ns) * 1e-3;
  const double bytes = weight_bytes(p) + 2.0 * static_cast<double>(p.m) * static_cast<double>(p.k + p.n);
  const double rate = row.timing.bytes_per_ns * device.memory_bytes_per_second / measured_bytes_per_second;
  const double stream_us = bytes / rate * 1e-3 * (1 + row.timing.idle * tiles.idle);
  const double us = row.timing.fixed_us + overlapped(multiply_us, stream_us);
  const double fill = static_cast<double>(p.m) * static_cast<double>(p.n) /
                      (static_cast<double>(tiles.per_sm) * device.sm_count * tile.rows * tile.columns);
  return {us, 1, 8, 0, words("tiles fill the SMs to %.2f; %.1f us to multiply, %.1f us to stream", fill, multiply_us, stream_us)};
}

}  // namespace tileglu::plan_detail
