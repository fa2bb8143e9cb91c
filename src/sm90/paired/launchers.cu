// The rows of the paired kernel, ready to launch.
#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "layout/pairing.hpp"
#include "plan/tables/paired_rows.hpp"
#include "sm90/device/output_tile.hpp"
#include "sm90/driver.hpp"
#include "sm90/launch.hpp"
#include "sm90/paired/instances.hpp"

namespace tileglu::sm90 {
namespace {

using plan_detail::paired_rows;

constexpr std::array instance_files = {paired_pingpong_128_bf16,    paired_pingpong_128_fp16,    paired_pingpong_64_bf16,
                                       paired_pingpong_64_fp16,     paired_cooperative_128_bf16, paired_cooperative_128_fp16,
                                       paired_cooperative_192_bf16, paired_cooperative_192_fp16, paired_cooperative_256_bf16,
                                       paired_cooperative_256_fp16, paired_swapped_64_bf16,      paired_swapped_64_fp16,
                                       paired_swapped_128_bf16,     paired_swapped_128_fp16};

static_assert([] {
  for (const kernel_row& row : paired_rows) {
    const auto& c = std::get<paired_config>(row.config);
    const int rows = c.tile_rows();
    if (c.is_swapped()) continue;  // is_buildable() knows their widths
    if (c.schedule == schedule::pingpong ? rows != 64 && rows != 128 : rows != 128 && rows != 192 && rows != 256) return false;
  }
  return true;
}(), "a row of the paired kernel is of a kind that no file of instances/ builds");

/// [row][dtype][epilogue_kind]
using kernel_table = std::array<std::array<std::array<const void*, 2>, 2>, paired_rows.size()>;

const kernel_table& kernels() noexcept {
  static const kernel_table table = [] {
    kernel_table all{};
    for (const auto file : instance_files)
      for (const paired_instance& i : file()) all[i.row][static_cast<std::size_t>(i.element)][static_cast<std::size_t>(i.kind)] = i.kernel;
    return all;
  }();
  return table;
}

template <std::size_t Row>
constexpr paired_config config_of = std::get<paired_config>(paired_rows[Row].config);

const void* kernel_of(std::size_t row, const problem& p) noexcept {
  const auto kind = cuda::is_plain_silu(p.act, p.bias, p.mode) ? epilogue_kind::silu : epilogue_kind::general;
  return kernels()[row][static_cast<std::size_t>(p.x_type)][static_cast<std::size_t>(kind)];
}

/// Rows of X that one TMA instruction of a CTA brings. A box is no taller than X: rows that lie outside are slow, and nobody reads them.
int x_box_rows(const paired_config& c, std::int64_t m) {
  const int share = c.tile_rows() / c.cluster_n;
  return static_cast<int>(std::min<std::int64_t>(share, ceil_div<std::int64_t>(m, 8) * 8));
}

status fill(const paired_config& c, const execution_plan& plan, const tensors& t, paired_arguments& args) noexcept {
  const problem& p = plan.problem;
  const layout::halves w = layout::resolve(p.layout, t.w.first(), t.w.second(), p.n, row_stride_w(p));
  args.m = static_cast<int>(p.m);
  args.n = static_cast<int>(p.n);
  args.k = static_cast<int>(p.k);
  args.x_box_rows = x_box_rows(c, p.m);
  args.raster_group = std::max(1, plan.raster_group);
  args.prefetch_weights = plan.options.prefetch_weights;
  const std::int64_t group_rows = std::int64_t{args.raster_group} * c.tile_rows() * c.cluster_m;
  args.held = what_to_hold(tiles_of(c, p.m, p.n).count(), launched_clusters(c, p.m, p.n, plan.device.sm_count), std::min(p.m, group_rows),
                           ceil_div(args.k, k_block), plan.device.l2_bytes);
  args.epilogue = {p.act, p.mode == numerics::match_unfused, p.bias, t.bias_gate, t.bias_up};
  const output_panels panels = panels_of(warpgroup_columns(c));
  if (status s = encode({t.x, p.m, p.k, row_stride_x(p), args.x_box_rows, k_block}, p.x_type, args.x); !s.ok()) return s;
  if (status s = encode({w.gate, p.n, p.k, w.row_stride, c.pair_width, k_block}, p.x_type, args.gate); !s.ok()) return s;
  if (status s = encode({w.up, p.n, p.k, w.row_stride, c.pair_width, k_block}, p.x_type, args.up); !s.ok()) return s;
  return encode({t.y, p.m, p.n, row_stride_y(p), shared_map(c).buffering.rows, panels.columns, tma_swizzle(panels.swizzle_bytes)}, p.x_type, args.y);
}

template <std::size_t Row>
status prepare(const execution_plan& plan) {
  if (status s = find_encoder(); !s.ok()) return s;
  return allow_shared_bytes(kernel_of(Row, plan.problem), shared_bytes(config_of<Row>));
}

template <std::size_t Row>
status launch(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept {
  constexpr paired_config c = config_of<Row>;
  const problem& p = plan.problem;
  alignas(64) paired_arguments args;
  if (status s = fill(c, plan, t, args); !s.ok()) return s;
  kernel_launch what;
  what.kernel = kernel_of(Row, p);
  what.blocks = static_cast<unsigned>(launched_clusters(c, p.m, p.n, plan.device.sm_count) * cluster_size(c));
  what.threads = static_cast<unsigned>(threads(c));
  what.shared_bytes = shared_bytes(c);
  what.cluster = cluster_size(c);
  what.overlap = true;
  void* arguments[] = {&args};
  return queue(what, arguments, stream);
}

template <std::size_t... Row>
constexpr std::array<launcher, sizeof...(Row)> list(std::index_sequence<Row...>) {
  return {launcher{paired_rows[Row].name, prepare<Row>, launch<Row>}...};
}

constexpr auto launchers = list(std::make_index_sequence<paired_rows.size()>{});

}  // namespace

std::span<const launcher> paired_launchers() noexcept { return launchers; }

}  // namespace tileglu::sm90
