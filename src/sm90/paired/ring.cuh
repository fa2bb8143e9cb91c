// The ring of stages that feeds the paired kernel: a CTA's place and tiles, the stages and their barriers, and the thread that loads them.
#pragma once

#include "sm90/device/tile_schedule.hpp"
#include "sm90/paired/arguments.hpp"
#include "sm90/ptx/cluster.cuh"
#include "sm90/ptx/grid_dependency.cuh"
#include "sm90/ptx/mbarrier.cuh"
#include "sm90/ptx/tma.cuh"

namespace tileglu::sm90 {

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
    return base + map.output + (warpgroup * map.buffering.buffers + buffer) * output_bytes(config, map.buffering);
  }

  /// A stage is full when its loader has arrived and the bytes are in; it is empty when every consumer of every CTA that its loads
  /// reach, or that loads into it, has read it.
  __device__ __forceinline__ void init_barriers() const {
    constexpr int readers = (config.cluster_m + config.cluster_n - 1) * (takes_turns(Row::config) ? 1 : config.warpgroups);
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
                                       int row, bool hold) {
  constexpr paired_config config = Row::config;
  if constexpr (config.cluster_n == 1) {
    ptx::tma_load(ring.x(stage), &args.x, ring.full(stage), k, row, ptx::l2_priority(hold));
  } else {  // each CTA of a cluster row brings its share of the rows to all of them
    constexpr int share = config.tile_rows() / config.cluster_n;
    std::uint16_t ctas = 0;
#pragma unroll
    for (int j = 0; j < config.cluster_n; ++j) ctas |= static_cast<std::uint16_t>(1 << (j * config.cluster_m + cta.row_rank));
    ptx::tma_load_multicast(ring.x(stage) + cta.column_rank * share * k_block * 2, &args.x, ring.full(stage), k, row + cta.column_rank * share,
                            ctas, ptx::l2_priority(hold));
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
      load_x(args, ring, cta, at.stage, block * k_block, origin.row, tile < args.held.tiles && block < args.held.k_blocks);
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

}  // namespace tileglu::sm90
