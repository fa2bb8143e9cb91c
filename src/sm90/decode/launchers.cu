// The decode rows' instances: every row of plan/tables/decode_rows.hpp, both element types, both epilogues.
#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "layout/pairing.hpp"
#include "plan/tables/decode_rows.hpp"
#include "sm90/decode/decode_kernel.cuh"
#include "sm90/driver.hpp"
#include "sm90/launch.hpp"

namespace tileglu::sm90 {
namespace {

using plan_detail::decode_rows;

template <std::size_t Index>
struct table_row {
  static constexpr decode_config config = std::get<decode_config>(decode_rows[Index].config);
};

template <std::size_t Index>
const void* kernel_for(dtype type, bool general) noexcept {
  using row = table_row<Index>;
  if (type == dtype::bf16)
    return general ? reinterpret_cast<const void*>(&decode::decode_kernel<row, __nv_bfloat16, true>)
                   : reinterpret_cast<const void*>(&decode::decode_kernel<row, __nv_bfloat16, false>);
  return general ? reinterpret_cast<const void*>(&decode::decode_kernel<row, __half, true>)
                 : reinterpret_cast<const void*>(&decode::decode_kernel<row, __half, false>);
}

/// Blocks of an instance that one SM holds: asked for once, in prepare(). The same on every sm_90a device.
template <std::size_t Index>
std::atomic<int>& blocks_per_sm(dtype type, bool general) noexcept {
  static std::atomic<int> known[2][2];
  return known[type == dtype::fp16][general];
}

bool is_general(const problem& p) noexcept { return !cuda::is_plain_silu(p.act, p.bias, p.mode); }

template <std::size_t Index>
status prepare(const execution_plan& plan) {
  const problem& p = plan.problem;
  const bool general = is_general(p);
  int blocks = 0;
  const cudaError_t error =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_for<Index>(p.x_type, general), table_row<Index>::config.warps * 32, 0);
  if (error != cudaSuccess || blocks < 1)
    return {status_code::device_error, std::string("row ") + plan.row + " has no room on an SM: " + cudaGetErrorString(error)};
  blocks_per_sm<Index>(p.x_type, general) = blocks;
  return {};
}

template <std::size_t Index>
status launch(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept {
  constexpr decode_config config = table_row<Index>::config;
  const problem& p = plan.problem;
  const layout::halves w = layout::resolve(p.layout, t.w.first(), t.w.second(), p.n, row_stride_w(p));
  decode::params arguments{};
  arguments.x = t.x;
  arguments.gate = w.gate;
  arguments.up = w.up;
  arguments.y = t.y;
  arguments.ldx = row_stride_x(p);
  arguments.ldw = w.row_stride;
  arguments.ldy = row_stride_y(p);
  arguments.m = static_cast<int>(p.m);
  arguments.n = static_cast<int>(p.n);
  arguments.k = static_cast<int>(p.k);
  arguments.wait_before_weights = !plan.options.prefetch_weights;
  arguments.epilogue = {p.act, p.mode == numerics::match_unfused, p.bias, t.bias_gate, t.bias_up};
  kernel_launch what{};
  what.kernel = kernel_for<Index>(p.x_type, is_general(p));
  const std::int64_t columns = 8 * config.row_tiles, groups = (p.n + columns - 1) / columns;
  const std::int64_t resident = static_cast<std::int64_t>(blocks_per_sm<Index>(p.x_type, is_general(p))) * plan.device.sm_count;
  what.blocks = static_cast<unsigned>(config.persistent ? std::min(groups, resident) : groups);
  what.threads = static_cast<unsigned>(config.warps * 32);
  what.cluster = 1;
  what.shared_bytes = 0;
  what.overlap = true;
  void* pointers[] = {&arguments};
  return queue(what, pointers, stream);
}

template <std::size_t... Index>
constexpr auto table(std::index_sequence<Index...>) {
  return std::array{launcher{decode_rows[Index].name, prepare<Index>, launch<Index>}...};
}

constexpr auto launchers = table(std::make_index_sequence<decode_rows.size()>{});

}  // namespace

std::span<const launcher> decode_launchers() noexcept { return launchers; }

}  // namespace tileglu::sm90
