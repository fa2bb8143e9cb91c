// Y = act(X Wg^T) * (X Wu^T) on plain weights.
//
// A stage of shared memory holds a K block of X [tile_rows, 64] and of the weights [2 pair_width, 64]: pair_width gate rows over the
// pair_width up rows of the same output columns, each half by a TMA load from its own matrix. One wgmma of N = 2 pair_width multiplies
// both, and gate and up of an output meet in one thread. No weight is ever packed, no intermediate leaves the registers.
//
//   global   X, gate and up weights, Y, by tensor maps: reads past the end give 0, writes past it are dropped
//   shared   paired_shared_map (plan/config/paired_shape.hpp)
//   registers  float d[row_blocks][pair_width] a thread: up to 192 of 232
//
// Warpgroup 0 loads (one thread), 1 and 2 (and 3) multiply. Pingpong: each owns a tile, and one multiplies while the other runs its
// epilogue; cooperative: they split the rows of one tile.
#pragma once

#include "sm90/device/tile_schedule.hpp"
#include "sm90/paired/epilogue.cuh"
#include "sm90/ptx/cluster.cuh"
#include "sm90/ptx/grid_dependency.cuh"
#include "sm90/ptx/mbarrier.cuh"
#include "sm90/ptx/tma.cuh"
#include "sm90/ptx/warpgroup.cuh"
#include "sm90/ptx/wgmma.cuh"

namespace tileglu::sm90 {

/// Registers a thread of the loader's and of the consumers' warpgroups. The pool is what the launch gives every thread, 168 with three
/// warpgroups and 128 with four. In pingpong with more than 160 accumulators the general epilogue spills at 232; the loaders of some
/// clusters spill at 24.
template <class Row>
struct paired_registers {
  static constexpr bool three = Row::config.warpgroups == 3;
  static constexpr bool many = Row::config.schedule == schedule::pingpong && Row::config.row_blocks * Row::config.pair_width > 160;
  static constexpr int loader = three ? 32 : many ? 24 : 40, consumer = three ? 160 : many ? 240 : 232;
  static_assert(loader + Row::config.warpgroups * consumer <= (three ? 4 * 128 : 3 * 168));
};

/// Named barriers: whose turn it is to multiply (2, 3), and each consumer warpgroup by itself (4, 5, 6).
inline constexpr int turn_barrier = 2, store_barrier = 4;

/// A CTA's place in its cluster, and the tiles it walks. (Device code can't bind a static member to a reference: members that need the
/// configuration as an object copy it.)
template <class Row>
struct paired_cta {
  static constexpr int cluster = cluster_size(Row::config);

  int row_rank = 0, column_rank = 0;  ///< in the cluster
  int first_tile, tile_step, tiles, k_blocks;
  tile_schedule schedule;

  __device__ __forceinline__ explicit paired_cta(const paired_arguments& args) {
    constexpr paired_config config = Row::config;
    schedule = {tiles_of(config, args.m, args.n), args.raster_group};
    if constexpr (cluster > 1) {
      const int rank = ptx::cluster_rank();
      row_rank = rank % config.cluster_m;
      column_rank = rank / config.cluster_m;
    }
    first_tile = static_cast<int>(blockIdx.x) / cluster;
    tile_step = static_cast<int>(gridDim.x) / cluster;
    tiles = schedule.grid.count();
    k_blocks = (args.k + k_block - 1) / k_block;
  }

  /// The tile's first row and column of Y.
  __device__ __forceinline__ tile_position origin(int tile) const {
    constexpr paired_config config = Row::config;
    const tile_position p = schedule.at(tile);
    return {(p.row * config.cluster_m + row_rank) * config.tile_rows(), (p.column * config.cluster_n + column_rank) * config.pair_width};
  }
};

/// The ring of stages in shared memory.
template <class Row>
struct paired_ring {
  static constexpr paired_config config = Row::config;
  static constexpr paired_shared_map map = shared_map(Row::config);
  static constexpr int x_bytes = Row::config.tile_rows() * k_block * 2, weight_bytes = 2 * Row::config.pair_width * k_block * 2;
  std::uint8_t* base;

  __device__ __forceinline__ std::uint8_t* x(int stage) const { return base + map.x + stage * x_bytes; }
  __device__ __forceinline__ std::uint8_t* weights(int stage) const { return base + map.weights + stage * weight_bytes; }
  __device__ __forceinline__ std::uint64_t* full(int stage) const { return reinterpret_cast<std::uint64_t*>(base + map.full) + stage; }
  __device__ __forceinline__ std::uint64_t* empty(int stage) const { return reinterpret_cast<std::uint64_t*>(base + map.empty) + stage; }
  __device__ __forceinline__ std::uint8_t* output(int warpgroup, int buffer) const {
    return base + map.output + (warpgroup * map.output_buffers + buffer) * (64 * config.pair_width * 2);
  }

  /// A stage is full when its loader has arrived and the bytes are in; it is empty when every consumer of every CTA that its loads
  /// reach, or that loads into it, has read it.
  __device__ __forceinline__ void init_barriers() const {
    constexpr int readers = (config.cluster_m + config.cluster_n - 1) * (config.schedule == schedule::pingpong ? 1 : config.warpgroups);
    for (int stage = 0; stage < config.stages; ++stage) {
      ptx::mbarrier_init(full(stage), 1);
      ptx::mbarrier_init(empty(stage), readers);
    }
    ptx::mbarrier_init_fence();
  }

  /// The calling warpgroup has read the stage: tell the loaders that wait for it.
  __device__ __forceinline__ void release(int stage, const paired_cta<Row>& cta) const {
    const int thread = static_cast<int>(threadIdx.x % 128);
    if constexpr (paired_cta<Row>::cluster == 1) {
      if (thread == 0) ptx::mbarrier_arrive(empty(stage));
    } else if (thread < paired_cta<Row>::cluster && (thread % config.cluster_m == cta.row_rank || thread / config.cluster_m == cta.column_rank)) {
      ptx::mbarrier_arrive_at(empty(stage), thread);
    }
  }
};

template <class Row>
__device__ __forceinline__ void load_x(const paired_arguments& args, const paired_ring<Row>& ring, const paired_cta<Row>& cta, int stage, int k,
                                       int row) {
  constexpr paired_config config = Row::config;
  if constexpr (config.cluster_n == 1) {
    ptx::tma_load(ring.x(stage), &args.x, ring.full(stage), k, row);
  } else {  // each CTA of a cluster row brings its share of the rows to all of them
    constexpr int share = config.tile_rows() / config.cluster_n;
    std::uint16_t ctas = 0;
#pragma unroll
    for (int j = 0; j < config.cluster_n; ++j) ctas |= static_cast<std::uint16_t>(1 << (j * config.cluster_m + cta.row_rank));
    ptx::tma_load_multicast(ring.x(stage) + cta.column_rank * share * k_block * 2, &args.x, ring.full(stage), k, row + cta.column_rank * share,
                            ctas);
  }
}

template <class Row>
__device__ __forceinline__ void load_weights(const paired_arguments& args, const paired_ring<Row>& ring, const paired_cta<Row>& cta, int stage,
                                             int k, int column) {
  constexpr paired_config config = Row::config;
  constexpr int half = config.pair_width * k_block * 2;
  if constexpr (config.cluster_m == 1) {
    ptx::tma_load(ring.weights(stage), &args.gate, ring.full(stage), k, column);
    ptx::tma_load(ring.weights(stage) + half, &args.up, ring.full(stage), k, column);
  } else {  // one CTA of the pair brings the gate rows to both, the other the up rows: every width splits evenly
    const auto ctas = static_cast<std::uint16_t>(((1 << config.cluster_m) - 1) << (cta.column_rank * config.cluster_m));
    ptx::tma_load_multicast(ring.weights(stage) + cta.row_rank * half, cta.row_rank ? &args.up : &args.gate, ring.full(stage), k, column, ctas);
  }
}

/// One thread feeds the ring with the K blocks of all tiles, in order.
template <class Row>
__device__ __forceinline__ void produce(const paired_arguments& args, const paired_ring<Row>& ring, const paired_cta<Row>& cta) {
  constexpr paired_config config = Row::config;
  const int stage_bytes = (args.x_box_rows * config.cluster_n + 2 * config.pair_width) * k_block * 2;
  ring_position<config.stages> at;

  // The weights of the first stages don't depend on the kernels ahead on the stream: start them before X may be read.
  int early = 0;
  if (args.prefetch_weights) {
    early = cta.k_blocks < config.stages ? cta.k_blocks : config.stages;
    const tile_position origin = cta.origin(cta.first_tile);
#pragma unroll 1
    for (int i = 0; i < early; ++i) {
      ptx::mbarrier_expect(ring.full(i), stage_bytes);
      load_weights(args, ring, cta, i, i * k_block, origin.column);
    }
  }
  ptx::wait_for_dependencies();
  ptx::launch_dependents();

  for (int tile = cta.first_tile; tile < cta.tiles; tile += cta.tile_step) {
    const tile_position origin = cta.origin(tile);
#pragma unroll 1  // 24 registers
    for (int block = 0; block < cta.k_blocks; ++block) {
      if (early > 0) {
        --early;
      } else {
        ptx::mbarrier_wait(ring.empty(at.stage), at.parity ^ 1);
        ptx::mbarrier_expect(ring.full(at.stage), stage_bytes);
        load_weights(args, ring, cta, at.stage, block * k_block, origin.column);
      }
      load_x(args, ring, cta, at.stage, block * k_block, origin.row);
      at.advance();
    }
  }
  // A CTA must outlive the loads that its peers send it, and the arrivals it is sent.
  if constexpr (paired_cta<Row>::cluster > 1) {
#pragma unroll 1
    for (int i = 0; i < config.stages; ++i) {
      ptx::mbarrier_wait(ring.empty(at.stage), at.parity ^ 1);
      at.advance();
    }
  }
}

/// Operands of one stage, for the rows of a warpgroup.
struct stage_operands {
  std::uint64_t x;  ///< [64 row_blocks, 64]
  std::uint64_t weights;  ///< [2 pair_width, 64]
};

template <class Row>
__device__ __forceinline__ stage_operands operands(const paired_ring<Row>& ring, int stage, int first_row) {
  return {ptx::wgmma_operand(ring.x(stage) + first_row * k_block * 2), ptx::wgmma_operand(ring.weights(stage))};
}

/// Queue d += X W^T of one 16-wide step of a K block, for 64-row block `i` of the warpgroup's rows.
template <class Row, class Element>
__device__ __forceinline__ void multiply_step(float (&d)[Row::config.pair_width], const stage_operands& from, int i, int step, int accumulate) {
  ptx::wgmma<Element>(d, from.x + i * (64 * k_block * 2 / 16) + step * 2, from.weights + step * 2, accumulate);
}

/// Multiply the K blocks of a tile into `d`. One group of wgmmas stays in flight; the stage before it is released while it runs.
/// `hand_over` is called when the last wgmma is issued, ahead of its end: the peer may start.
template <class Row, class Element, class HandOver>
__device__ __forceinline__ void multiply(float (&d)[Row::config.row_blocks][Row::config.pair_width], const paired_ring<Row>& ring,
                                         const paired_cta<Row>& cta, ring_position<Row::config.stages>& at, int first_row, HandOver hand_over) {
  int previous = -1;
  for (int block = 0; block < cta.k_blocks; ++block) {
    ptx::mbarrier_wait(ring.full(at.stage), at.parity);
    const stage_operands from = operands(ring, at.stage, first_row);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < k_block / 16; ++step)
#pragma unroll
      for (int i = 0; i < Row::config.row_blocks; ++i) multiply_step<Row, Element>(d[i], from, i, step, block | step);
    ptx::wgmma_commit();
    if (previous >= 0) {
      ptx::wgmma_wait<1>();
      ring.release(previous, cta);
    }
    previous = at.stage;
    at.advance();
  }
  hand_over();
  ptx::wgmma_wait<0>();
  ring.release(previous, cta);
#pragma unroll
  for (int i = 0; i < Row::config.row_blocks; ++i) ptx::wgmma_results(d[i]);
}

/// Activate 64 rows of a tile and store them; `i` is their number among the warpgroup's blocks.
template <class Row, class Element, epilogue_kind Kind>
__device__ __forceinline__ void finish(const float (&d)[Row::config.pair_width], const paired_arguments& args, const paired_ring<Row>& ring,
                                       int warpgroup, int i, int first_row, int first_column) {
  constexpr paired_config config = Row::config;
  constexpr int buffers = paired_ring<Row>::map.output_buffers;
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

template <class Row, class Element, epilogue_kind Kind>
__device__ __forceinline__ void consume(const paired_arguments& args, const paired_ring<Row>& ring, const paired_cta<Row>& cta, int warpgroup) {
  constexpr paired_config config = Row::config;
  constexpr bool pingpong = config.schedule == schedule::pingpong;
  const int step = cta.tile_step * (pingpong ? 2 : 1);
  const int own_rows = pingpong ? 0 : warpgroup * 64 * config.row_blocks;  // first of this warpgroup in the tile
  ring_position<config.stages> at;
  int tile = cta.first_tile;
  if (pingpong && warpgroup == 1) {
    at.skip(cta.k_blocks);
    tile += cta.tile_step;
    ptx::barrier_arrive(turn_barrier, 256);  // the other warpgroup has the first turn
  }
  float d[config.row_blocks][config.pair_width];
  for (; tile < cta.tiles; tile += step) {
    const tile_position origin = cta.origin(tile);
    if (pingpong) ptx::barrier_sync(turn_barrier + warpgroup, 256);
    multiply<Row, Element>(d, ring, cta, at, own_rows, [&] {
      if (pingpong && tile + cta.tile_step < cta.tiles) ptx::barrier_arrive(turn_barrier + (warpgroup ^ 1), 256);
    });
    if (pingpong) at.skip(cta.k_blocks);
#pragma unroll
    for (int i = 0; i < config.row_blocks; ++i) finish<Row, Element, Kind>(d[i], args, ring, warpgroup, i, origin.row + own_rows, origin.column);
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
    ptx::registers_shrink_to<paired_registers<Row>::loader>();
    if (threadIdx.x == 0) produce(args, ring, cta);
  } else {
    ptx::registers_grow_to<paired_registers<Row>::consumer>();
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
