// Y = act(X Wg^T) * (X Wu^T) on plain weights.
//
// A stage of shared memory holds a K block of X [tile_rows, 64] and of the weights [2 pair_width, 64]: pair_width gate rows over the
// pair_width up rows of the same output columns, each half by a TMA load from its own matrix. One wgmma of N = 2 pair_width multiplies
// both, and gate and up of an output meet in one thread. No weight is ever packed, no intermediate leaves the registers.
//
//   global   X, gate and up weights, Y, by tensor maps: reads past the end give 0, writes past it are dropped
//   shared   paired_shared_map (plan/config/paired_shape.hpp)
//   registers  float d[accumulator_blocks][accumulators] a thread: up to 192 of 232
//
// Warpgroup 0 loads (one thread, paired/ring.cuh), 1 and 2 (and 3) multiply. Pingpong: each owns a tile, and one multiplies while the
// other runs its epilogue; cooperative: they split the rows of one tile.
//
// Swapped: Y^T = act(Wg X^T) * (Wu X^T). 64 gate rows, and the 64 up rows of the same columns, are the A of a wgmma each, and X is their
// B: rows of Y come in steps of 8, not 64, so m = 320 is two tiles of 160 and no padding. Gate and up of an output meet in one thread
// here too; its neighbours in a register pair are rows, so the epilogue turns 8 x 8 blocks round on their way to shared memory.
#pragma once

#include "sm90/paired/epilogue.cuh"
#include "sm90/paired/ring.cuh"
#include "sm90/paired/swapped_epilogue.cuh"
#include "sm90/ptx/warpgroup.cuh"
#include "sm90/ptx/wgmma.cuh"

namespace tileglu::sm90 {

/// Registers a thread of the loader's and of the consumers' warpgroups. The pool is what the launch gives every thread, 168 with three
/// warpgroups and 128 with four. In pingpong with more than 160 accumulators the general epilogue spills at 232; the loaders of some
/// clusters spill at 24. One consumer warpgroup needs none of it: the launch gives each of 256 threads up to 255.
template <class Row>
struct paired_registers {
  static constexpr bool three = Row::config.warpgroups == 3;
  static constexpr bool many = takes_turns(Row::config) && accumulator_blocks(Row::config) * accumulators(Row::config) > 160;
  static constexpr int loader = three ? 32 : many ? 24 : 40, consumer = three ? 160 : many ? 240 : 232;
  static constexpr bool move = Row::config.warpgroups > 1;
  static_assert(!move || loader + Row::config.warpgroups * consumer <= (three ? 4 * 128 : 3 * 168));
};

/// Gates of a thread that silu takes at once where operands are swapped.
template <class Row>
inline constexpr int silu_batch = Row::config.tile_rows() <= 160 ? 16 : 8;

/// Named barriers: whose turn it is to multiply (2, 3), and each consumer warpgroup by itself (4, 5, 6).
inline constexpr int turn_barrier = 2, store_barrier = 4;

/// Operands of one stage, for a warpgroup.
struct stage_operands {
  std::uint64_t a;  ///< its rows of X [64 row_blocks, 64]; swapped: of the weights, 64 gate rows, and 64 up rows pair_width rows later
  std::uint64_t b;  ///< the weights [2 pair_width, 64]; swapped: X [tile_rows, 64]
};

/// `first_row`: the warpgroup's first of the stage's rows that are A.
template <class Row>
__device__ __forceinline__ stage_operands operands(const paired_ring<Row>& ring, int stage, int first_row) {
  std::uint8_t *x = ring.x(stage), *weights = ring.weights(stage);
  if constexpr (Row::config.is_swapped()) return {ptx::wgmma_operand(weights + first_row * k_block * 2), ptx::wgmma_operand(x)};
  else return {ptx::wgmma_operand(x + first_row * k_block * 2), ptx::wgmma_operand(weights)};
}

/// Queue d += A B^T of one 16-wide step of a K block, for block `i` of 64 rows of the warpgroup's A.
template <class Row, class Element>
__device__ __forceinline__ void multiply_step(float (&d)[accumulators(Row::config)], const stage_operands& from, int i, int step, int accumulate) {
  constexpr int block_rows = Row::config.is_swapped() ? Row::config.pair_width : 64;
  ptx::wgmma<Element>(d, from.a + i * (block_rows * k_block * 2 / 16) + step * 2, from.b + step * 2, accumulate);
}

/// Multiply the first `blocks` K blocks of a tile into `d`. One group of wgmmas stays in flight; the stage before it is released while it
/// runs. The stage of the last one comes back, unreleased; -1 where there is none.
template <class Row, class Element>
__device__ __forceinline__ int multiply_blocks(float (&d)[accumulator_blocks(Row::config)][accumulators(Row::config)], const paired_ring<Row>& ring,
                                               const paired_cta<Row>& cta, ring_position<Row::config.stages>& at, int first_row, int blocks) {
  int previous = -1;
  for (int block = 0; block < blocks; ++block) {
    ptx::mbarrier_wait(ring.full(at.stage), at.parity);
    const stage_operands from = operands(ring, at.stage, first_row);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < k_block / 16; ++step)
#pragma unroll
      for (int i = 0; i < accumulator_blocks(Row::config); ++i) multiply_step<Row, Element>(d[i], from, i, step, block | step);
    ptx::wgmma_commit();
    if (previous >= 0) {
      ptx::wgmma_wait<1>();
      ring.release(previous, cta);
    }
    previous = at.stage;
    at.advance();
  }
  return previous;
}

/// Multiply a tile into `d`. `hand_over` is called when the last wgmma is issued, ahead of its end: the peer may start.
template <class Row, class Element, class HandOver>
__device__ __forceinline__ void multiply(float (&d)[accumulator_blocks(Row::config)][accumulators(Row::config)], const paired_ring<Row>& ring,
                                         const paired_cta<Row>& cta, ring_position<Row::config.stages>& at, int first_row, HandOver hand_over) {
  const int last = multiply_blocks<Row, Element>(d, ring, cta, at, first_row, cta.k_blocks);
  hand_over();
  ptx::wgmma_wait<0>();
  ring.release(last, cta);
#pragma unroll
  for (int i = 0; i < accumulator_blocks(Row::config); ++i) ptx::wgmma_results(d[i]);
}

/// The same with operands swapped, and silu of the gates: it runs under the up rows' products of the last K block, which come last.
template <class Row, class Element, class HandOver>
__device__ __forceinline__ void multiply_and_silu(float (&d)[2][accumulators(Row::config)], const paired_ring<Row>& ring, const paired_cta<Row>& cta,
                                                  ring_position<Row::config.stages>& at, int first_row, HandOver hand_over) {
  const int previous = multiply_blocks<Row, Element>(d, ring, cta, at, first_row, cta.k_blocks - 1);
  ptx::mbarrier_wait(ring.full(at.stage), at.parity);
  const stage_operands from = operands(ring, at.stage, first_row);
  ptx::wgmma_fence();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int step = 0; step < k_block / 16; ++step) multiply_step<Row, Element>(d[i], from, i, step, (cta.k_blocks - 1) | step);
    ptx::wgmma_commit();
  }
  hand_over();
  ptx::wgmma_wait<1>();
  if (previous >= 0) ring.release(previous, cta);
  ptx::wgmma_results(d[0]);
  silu_across_lanes<silu_batch<Row>>(d[0]);
  ptx::wgmma_wait<0>();
  ring.release(at.stage, cta);
  at.advance();
  ptx::wgmma_results(d[1]);
}

/// Activate 64 rows of a tile and store them; `i` is their number among the warpgroup's blocks.
template <class Row, class Element, epilogue_kind Kind>
__device__ __forceinline__ void finish(const float (&d)[Row::config.pair_width], const paired_arguments& args, const paired_ring<Row>& ring,
                                       int warpgroup, int i, int first_row, int first_column) {
  constexpr paired_config config = Row::config;
  constexpr int buffers = paired_ring<Row>::map.buffering.buffers;
  constexpr output_panels panels = panels_of(config.pair_width);
  const bool stores = threadIdx.x % 128 == 0;
  std::uint8_t* buffer = ring.output(warpgroup, i % buffers);
  if (stores) ptx::tma_store_wait_read<buffers - 1>();  // the group that last read this buffer
  ptx::barrier_sync(store_barrier + warpgroup, 128);
  finish_block<Element, Kind>(d, args, first_column, ptx::shared_address(buffer));
  ptx::fence_shared_for_tma();
  ptx::barrier_sync(store_barrier + warpgroup, 128);
  if (stores) {
    const int row = first_row + i * 64;
    if (row < args.m)
#pragma unroll
      for (int column = 0; column < config.pair_width; column += panels.columns)
        if (first_column + column < args.n)
          ptx::tma_store(&args.y, buffer + output_offset(config.pair_width, 0, column / 8), first_column + column, row);
    ptx::tma_store_commit();
  }
}

/// Store the outputs of a warpgroup whose operands were swapped, a piece of rows after another. Kind silu: gates are activated already.
template <class Row, class Element, epilogue_kind Kind>
__device__ __forceinline__ void finish_swapped(const float (&d)[2][accumulators(Row::config)], const paired_arguments& args,
                                               const paired_ring<Row>& ring, int warpgroup, int first_row, int first_column) {
  constexpr output_buffering pieces = paired_ring<Row>::map.buffering;
  constexpr int count = Row::config.tile_rows() / pieces.rows;
  const bool stores = threadIdx.x % 128 == 0;
  const auto piece = [&](int i, auto write) {
    std::uint8_t* buffer = ring.output(warpgroup, i % pieces.buffers);
    if (i == 0 || pieces.buffers < count) {  // wait for the group that last read this buffer; of the tile before, any
      if (stores) {
        if (i == 0) ptx::tma_store_wait_read<0>();
        else ptx::tma_store_wait_read<pieces.buffers - 1>();
      }
      ptx::barrier_sync(store_barrier + warpgroup, 128);
    }
    write(ptx::shared_address(buffer));
    ptx::fence_shared_for_tma();
    ptx::barrier_sync(store_barrier + warpgroup, 128);
    const int row = first_row + i * pieces.rows;
    if (stores) {
      if (row < args.m && first_column < args.n) ptx::tma_store(&args.y, buffer, first_column, row);
      ptx::tma_store_commit();
    }
  };
  if constexpr (Kind == epilogue_kind::silu) {
#pragma unroll
    for (int i = 0; i < count; ++i)
      piece(i, [&](std::uint32_t buffer) { write_products<Element, pieces.rows>(d[0], d[1], i * pieces.rows, buffer); });
  } else {
#pragma unroll 1
    for (int i = 0; i < count; ++i)
      piece(i, [&](std::uint32_t buffer) {
        finish_general_piece<Element, pieces.rows>(d[0], d[1], args, i * pieces.rows, first_column, buffer);
      });
  }
}

template <class Row, class Element, epilogue_kind Kind>
__device__ __forceinline__ void consume(const paired_arguments& args, const paired_ring<Row>& ring, const paired_cta<Row>& cta, int warpgroup) {
  constexpr paired_config config = Row::config;
  constexpr bool pingpong = takes_turns(Row::config);
  const int step = cta.tile_step * (pingpong ? 2 : 1);
  // First of this warpgroup's rows and columns in the tile.
  const int own_rows = pingpong || config.is_swapped() ? 0 : warpgroup * 64 * config.row_blocks;
  const int own_columns = config.is_swapped() && !pingpong ? warpgroup * 64 : 0;
  ring_position<config.stages> at;
  int tile = cta.first_tile;
  if (pingpong && warpgroup == 1) {
    at.skip(cta.k_blocks);
    tile += cta.tile_step;
    ptx::barrier_arrive(turn_barrier, 256);  // the other warpgroup has the first turn
  }
  float d[accumulator_blocks(Row::config)][accumulators(Row::config)];
  for (; tile < cta.tiles; tile += step) {
    const tile_position origin = cta.origin(tile);
    if (pingpong) ptx::barrier_sync(turn_barrier + warpgroup, 256);
    const auto hand_over = [&] {
      if (pingpong && tile + cta.tile_step < cta.tiles) ptx::barrier_arrive(turn_barrier + (warpgroup ^ 1), 256);
    };
    if constexpr (config.is_swapped() && Kind == epilogue_kind::silu)
      multiply_and_silu<Row, Element>(d, ring, cta, at, own_columns, hand_over);
    else multiply<Row, Element>(d, ring, cta, at, config.is_swapped() ? own_columns : own_rows, hand_over);
    if (pingpong) at.skip(cta.k_blocks);
    if constexpr (config.is_swapped()) {
      finish_swapped<Row, Element, Kind>(d, args, ring, warpgroup, origin.row, origin.column + own_columns);
    } else {
#pragma unroll
      for (int i = 0; i < config.row_blocks; ++i) finish<Row, Element, Kind>(d[i], args, ring, warpgroup, i, origin.row + own_rows, origin.column);
    }
  }
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();  // shared memory must outlive the stores; the grid's end completes them
}

/// Cooperative warpgroups with two blocks of 64 rows have no peer to hide an epilogue under. They hide it under their own products: the
/// epilogue of block 0 runs while block 1 multiplies its last K block, that of block 1 while block 0 multiplies the first of the next tile.
template <class Row, class Element, epilogue_kind Kind>
__device__ __forceinline__ void consume_overlapped(const paired_arguments& args, const paired_ring<Row>& ring, const paired_cta<Row>& cta,
                                                   int warpgroup) {
  constexpr paired_config config = Row::config;
  const int own_rows = warpgroup * 128;
  ring_position<config.stages> at;
  float d[2][config.pair_width];
  const auto multiply_block = [&](int i, int accumulate) {  // the K block at `at`, of 64-row block i, as a group of its own
    const stage_operands from = operands(ring, at.stage, own_rows);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < k_block / 16; ++step) multiply_step<Row, Element>(d[i], from, i, step, accumulate | step);
    ptx::wgmma_commit();
  };
  ptx::mbarrier_wait(ring.full(at.stage), at.parity);
  multiply_block(0, 0);
  ptx::wgmma_wait<0>();
  ptx::wgmma_results(d[0]);
  for (int tile = cta.first_tile; tile < cta.tiles; tile += cta.tile_step) {
    const tile_position origin = cta.origin(tile);
    multiply_block(1, 0);
    int previous = at.stage;
    at.advance();
    for (int block = 1; block < cta.k_blocks; ++block) {
      ptx::mbarrier_wait(ring.full(at.stage), at.parity);
      multiply_block(0, 1);
      multiply_block(1, 1);
      ptx::wgmma_wait<2>();
      ring.release(previous, cta);
      previous = at.stage;
      at.advance();
    }
    ptx::wgmma_wait<1>();
    ptx::wgmma_results(d[0]);
    finish<Row, Element, Kind>(d[0], args, ring, warpgroup, 0, origin.row + own_rows, origin.column);
    if (tile + cta.tile_step < cta.tiles) ptx::mbarrier_wait(ring.full(at.stage), at.parity);
    multiply_block(0, 0);
    ptx::wgmma_wait<1>();
    ring.release(previous, cta);
    ptx::wgmma_results(d[1]);
    finish<Row, Element, Kind>(d[1], args, ring, warpgroup, 1, origin.row + own_rows, origin.column);
    ptx::wgmma_wait<0>();
    ptx::wgmma_results(d[0]);
  }
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();  // shared memory must outlive the stores; the grid's end completes them
}

template <class Row, class Element, epilogue_kind Kind>
__global__ void __launch_bounds__(threads(Row::config), 1) paired_kernel(const __grid_constant__ paired_arguments args) {
  extern __shared__ std::uint8_t dynamic_shared[];
  const paired_ring<Row> ring{reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(dynamic_shared) + 1023) & ~std::uintptr_t{1023})};
  const paired_cta<Row> cta(args);
  const int warpgroup = static_cast<int>(threadIdx.x) / 128;
  if (threadIdx.x == 0) {
    ring.init_barriers();
    for (const CUtensorMap* map : {&args.gate, &args.up, &args.x, &args.y}) ptx::tma_prefetch_map(map);
  }
  __syncthreads();
  if constexpr (paired_cta<Row>::cluster > 1) ptx::cluster_sync();

  if (warpgroup == 0) {
    if constexpr (paired_registers<Row>::move) ptx::registers_shrink_to<paired_registers<Row>::loader>();
    if (threadIdx.x == 0) produce(args, ring, cta);
  } else {
    if constexpr (paired_registers<Row>::move) ptx::registers_grow_to<paired_registers<Row>::consumer>();
    if constexpr (Row::config.schedule == schedule::cooperative && Row::config.row_blocks == 2)
      consume_overlapped<Row, Element, Kind>(args, ring, cta, warpgroup - 1);
    else consume<Row, Element, Kind>(args, ring, cta, warpgroup - 1);
  }
  if constexpr (paired_cta<Row>::cluster > 1) {
    __syncwarp();
    ptx::cluster_sync();
  }
}

}  // namespace tileglu::sm90
