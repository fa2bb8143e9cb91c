// Instantiates the interleaved kernel for every row: what a file of instances/ consists of.
#pragma once

#include <utility>
#include <variant>

#include "sm90/driver.hpp"
#include "sm90/interleaved/instances.hpp"
#include "sm90/interleaved/kernel.cuh"

namespace tileglu::sm90::interleaved {

template <std::size_t Index>
struct row {
  static constexpr interleaved_config config = std::get<interleaved_config>(plan_detail::interleaved_rows[Index].config);
};

/// CUTLASS's arguments are lowered to its parameters (three tensor maps among them) on the host, in this frame: no allocation, no
/// workspace, no call of the runtime but the launch. Strides and pointers are multiples of 16 bytes and m, 2n, k are int by the
/// planner's refusals and run's checks, so that no map can fail to be made.
template <class Kernel>
status launch(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept {
  using Gemm = typename Kernel::Gemm;
  using A = typename Kernel::ElementA;
  const problem& p = plan.problem;
  typename Gemm::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
  arguments.problem_shape = {static_cast<int>(p.m), static_cast<int>(2 * p.n), static_cast<int>(p.k), 1};
  arguments.mainloop.ptr_A = static_cast<const A*>(t.x);
  arguments.mainloop.dA = {row_stride_x(p), cute::_1{}, 0};
  arguments.mainloop.ptr_B = static_cast<const A*>(t.w.first());
  arguments.mainloop.dB = {row_stride_w(p), cute::_1{}, 0};
  auto& [no_child, node] = arguments.epilogue.thread;
  node = {static_cast<A*>(t.y), {row_stride_y(p), cute::_1{}, 0}, {p.act, p.mode == numerics::match_unfused, p.bias, t.bias_gate, t.bias_up}};
  arguments.hw_info.sm_count = plan.device.sm_count;
  arguments.scheduler.max_swizzle_size = raster_band(Kernel::config, p.m, p.n, plan.device.sm_count, plan.raster_group);
  const typename Gemm::Params params = Gemm::to_underlying_arguments(arguments, nullptr);
  const dim3 grid = Gemm::get_grid_shape(params);
  kernel_launch what;
  what.kernel = reinterpret_cast<const void*>(&cutlass::device_kernel<Gemm>);
  what.blocks = grid.x;
  what.blocks_y = grid.y;
  what.threads = Gemm::MaxThreadsPerBlock;
  what.shared_bytes = Gemm::SharedStorageSize;
  what.cluster = Kernel::config.cluster_m;
  what.cluster_y = Kernel::config.cluster_n;
  what.overlap = true;  // CUTLASS's loaders wait for the kernels ahead, weights included, before they read
  void* pointers[] = {const_cast<typename Gemm::Params*>(&params)};
  return queue(what, pointers, stream);
}

/// Empty where the row does not cover the general epilogue: the planner refuses it there.
template <class Row, class Element, bool General>
instance make() noexcept {
  if constexpr (General && !covers_general(Row::config)) {
    return {};
  } else {
    using Kernel = kernel<Row, Element, General>;
    using Gemm = typename Kernel::Gemm;
    return {reinterpret_cast<const void*>(&cutlass::device_kernel<Gemm>), Gemm::SharedStorageSize, launch<Kernel>};
  }
}

template <class Element, std::size_t... Index>
instance_table instantiate(std::index_sequence<Index...>) noexcept {
  return {{{make<row<Index>, Element, false>(), make<row<Index>, Element, true>()}...}};
}

template <class Element>
instance_table instantiate() noexcept {
  return instantiate<Element>(std::make_index_sequence<plan_detail::interleaved_rows.size()>{});
}

}  // namespace tileglu::sm90::interleaved
