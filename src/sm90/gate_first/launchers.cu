// The rows of the gate_first kernel, ready to launch.
#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "layout/pairing.hpp"
#include "plan/config/gate_first_shape.hpp"
#include "sm90/device/output_tile.hpp"
#include "sm90/driver.hpp"
#include "sm90/gate_first/arguments.hpp"
#include "sm90/gate_first/instances.hpp"
#include "sm90/launch.hpp"

namespace tileglu::sm90 {
namespace {

using plan_detail::gate_first_rows;

template <std::size_t Row>
constexpr gate_first_config config_of = std::get<gate_first_config>(gate_first_rows[Row].config);

const void* kernel_of(std::size_t row, const problem& p) noexcept {
  const gate_first::kernel_table& table = p.x_type == dtype::bf16 ? gate_first::kernels_bf16() : gate_first::kernels_fp16();
  return table[row][cuda::is_plain_silu(p.act, p.bias, p.mode) ? 0 : 1];
}

/// Rows of X that one TMA instruction of a CTA brings. A box is no taller than X: rows that lie outside are slow, and nobody reads them.
int x_box_rows(const gate_first_config& c, std::int64_t m) {
  return static_cast<int>(std::min<std::int64_t>(c.tile_rows / c.cluster_n, ceil_div<std::int64_t>(m, 8) * 8));
}

status fill(const gate_first_config& c, const execution_plan& plan, const tensors& t, gate_first_arguments& args) noexcept {
  const problem& p = plan.problem;
  const layout::halves w = layout::resolve(p.layout, t.w.first(), t.w.second(), p.n, row_stride_w(p));
  args.m = static_cast<int>(p.m);
  args.n = static_cast<int>(p.n);
  args.k = static_cast<int>(p.k);
  args.x_box_rows = x_box_rows(c, p.m);
  args.raster_group = std::max(1, plan.raster_group);
  args.prefetch_weights = plan.options.prefetch_weights;
  args.epilogue = {p.act, p.mode == numerics::match_unfused, p.bias, t.bias_gate, t.bias_up};
  const output_panels panels = panels_of(c.tile_columns);
  const int weight_rows = c.tile_columns / c.cluster_m;
  if (status s = encode({t.x, p.m, p.k, row_stride_x(p), args.x_box_rows, k_block}, p.x_type, args.x); !s.ok()) return s;
  if (status s = encode({w.gate, p.n, p.k, w.row_stride, weight_rows, k_block}, p.x_type, args.gate); !s.ok()) return s;
  if (status s = encode({w.up, p.n, p.k, w.row_stride, weight_rows, k_block}, p.x_type, args.up); !s.ok()) return s;
  return encode({t.y, p.m, p.n, row_stride_y(p), 64, panels.columns, tma_swizzle(panels.swizzle_bytes)}, p.x_type, args.y);
}

template <std::size_t Row>
status prepare(const execution_plan& plan) {
  if (status s = find_encoder(); !s.ok()) return s;
  return allow_shared_bytes(kernel_of(Row, plan.problem), shared_bytes(config_of<Row>));
}

template <std::size_t Row>
status launch(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept {
  constexpr gate_first_config c = config_of<Row>;
  const problem& p = plan.problem;
  alignas(64) gate_first_arguments args;
  if (status s = fill(c, plan, t, args); !s.ok()) return s;
  kernel_launch what;
  what.kernel = kernel_of(Row, p);
  what.blocks = static_cast<unsigned>(launched_clusters(c, p.m, p.n, plan.device.sm_count) * cluster_size(c));
  what.shared_bytes = shared_bytes(c);
  what.cluster = cluster_size(c);
  what.overlap = true;
  void* arguments[] = {&args};
  return queue(what, arguments, stream);
}

template <std::size_t... Row>
constexpr std::array<launcher, sizeof...(Row)> list(std::index_sequence<Row...>) {
  return {launcher{gate_first_rows[Row].name, prepare<Row>, launch<Row>}...};
}

constexpr auto launchers = list(std::make_index_sequence<gate_first_rows.size()>{});

}  // namespace

std::span<const launcher> gate_first_launchers() noexcept { return launchers; }

}  // namespace tileglu::sm90
