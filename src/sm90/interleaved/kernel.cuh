// The paper's Kernel-2: one CUTLASS product [M, 2N, K] over W_fused (rows g0, u0, g1, u1, ...), halved by PairMulStore.
//
// A tile of 2N product columns is half as many output columns; the mainloop, the persistent tile scheduler and the epilogue
// loop are CUTLASS's own, chosen by CollectiveBuilder. The collective has no C and no D: the node stores the only output.
#pragma once

#include <cute/tensor.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/device_kernel.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include "plan/config/interleaved_shape.hpp"
#include "sm90/interleaved/pair_mul_store.cuh"

#ifndef CUTLASS_ENABLE_GDC_FOR_SM90
#error "launch() lets the kernel start before the kernels ahead have ended: CUTLASS must be told to wait for them"
#endif

namespace tileglu::sm90::interleaved {

/// `Row::config` is the interleaved_config.
template <class Row, class Element, bool General>
struct kernel {
  static constexpr interleaved_config config = Row::config;
  static_assert(is_buildable(config) && (!General || covers_general(config)));
  static constexpr bool pingpong = config.schedule == schedule::pingpong;
  using ElementA = typename cutlass_element<Element>::type;

  using Tile = cute::Shape<cute::Int<config.tile_rows>, cute::Int<config.tile_columns>, cute::_64>;
  using Cluster = cute::Shape<cute::Int<config.cluster_m>, cute::Int<config.cluster_n>, cute::_1>;
  // A subtile is 64 rows of each warpgroup that shares the tile, by 64 product columns: 32 accumulators a thread.
  using Subtile = cute::Shape<cute::Int<pingpong ? 64 : 128>, cute::Int<pair_map::subtile_columns>>;
  static constexpr int subtiles = config.tile_rows / cute::size<0>(Subtile{}) * (config.tile_columns / pair_map::subtile_columns);
  static constexpr int store_stages = subtiles < 2 ? 1 : 2;  // one subtile on its way out, one being written

  using Node = fusion::Sm90EVT<PairMulStore<Element, Subtile, store_stages, General>, fusion::Sm90AccFetch>;
  static constexpr int row_alignment = 8;  // elements: 16 bytes, as TMA asks
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster, Subtile, float, float, void, cutlass::layout::RowMajor, row_alignment, void,
      cutlass::layout::RowMajor, row_alignment,
      cute::conditional_t<pingpong, cutlass::epilogue::TmaWarpSpecialized, cutlass::epilogue::TmaWarpSpecializedCooperative>, Node>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, ElementA, cutlass::layout::RowMajor, row_alignment, ElementA, cutlass::layout::ColumnMajor,
      row_alignment, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>,
      cute::conditional_t<pingpong, cutlass::gemm::KernelTmaWarpSpecializedPingpong,
                          cutlass::gemm::KernelTmaWarpSpecializedCooperative>>::CollectiveOp;
  using Gemm = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue, cutlass::gemm::PersistentScheduler>;
};

}  // namespace tileglu::sm90::interleaved
