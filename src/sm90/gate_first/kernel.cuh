// The paper's Kernel-1: Y = act(X Wg^T) * (X Wu^T), the gate accumulated first, grid [M, N].
//
// Warpgroup 0 loads; warpgroups 1 and 2 play pingpong: each owns a tile, and while one multiplies the other stores. A tile is two passes
// over K through the same ring of stages. In the first the gate weights go by, in the second the up weights; the loader runs on from one
// to the other without a pause, so the loads of Up are in flight when the gate is complete. The activation runs on the gate's
// accumulators where they are, a slice of 16 columns after the issue of each of Up's first K blocks: 16 outputs a thread
// are 32 special-function instructions, 256 clk, under the 384 clk of wgmma of a 128 x 96 x 64 block. The product is one multiplication
// in the epilogue. Nothing intermediate leaves the registers. (The general epilogue activates at the end instead: seven activations to
// choose from, beside 192 live accumulators, spill.)
//
//   global     X, gate and up weights, Y, by tensor maps: reads past the end give 0, writes past it are dropped
//   shared     gate_first_shared_map (plan/config/gate_first_shape.hpp)
//   registers  float gate[tile_rows / 64][tile_columns / 2] and up of the same size: 192 of 232 at 128 x 96
//
// Why 128 x 96: float32 gate and up must both stay in registers (a gate packed to 16 bits would be rounded, which fp32_through
// forbids), and 2 x 96 is what fits without spills. A gate parked in shared memory as float32 would allow 128 x 128, but takes 64 KB a
// warpgroup: 3 stages of 32 KB are left, and stages below 4 cost 11-14 % (kernels of this shape, H200, M = 4096).
#pragma once

#include <utility>

#include "plan/config/gate_first_shape.hpp"
#include "sm90/device/general_epilogue.cuh"
#include "sm90/device/output_tile.hpp"
#include "sm90/device/tile_schedule.hpp"
#include "sm90/gate_first/arguments.hpp"
#include "sm90/ptx/cluster.cuh"
#include "sm90/ptx/grid_dependency.cuh"
#include "sm90/ptx/mbarrier.cuh"
#include "sm90/ptx/stmatrix.cuh"
#include "sm90/ptx/tma.cuh"
#include "sm90/ptx/warpgroup.cuh"
#include "sm90/ptx/wgmma.cuh"

namespace tileglu::sm90::gate_first {

inline constexpr int threads = 384;

/// Named barriers: whose turn it is to multiply (2, 3), and each consumer warpgroup by itself (4, 5).
inline constexpr int turn_barrier = 2, store_barrier = 4;

/// A CTA: its place in its cluster, its ring of stages in shared memory, and the tiles it walks.
template <class Row>
struct cta {
  static constexpr int cluster = cluster_size(Row::config);
  static constexpr int cluster_m = Row::config.cluster_m, cluster_n = Row::config.cluster_n;
  static constexpr gate_first_shared_map map = shared_map(Row::config);

  std::uint8_t* shared;
  int row_rank = 0, column_rank = 0;  ///< in the cluster
  int first_tile, tile_step, tiles;
  int k_blocks;  ///< of one pass
  tile_schedule schedule;

  __device__ __forceinline__ cta(const gate_first_arguments& args, std::uint8_t* dynamic_shared)
      : shared(reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(dynamic_shared) + 1023) & ~std::uintptr_t{1023})) {
    constexpr gate_first_config config = Row::config;
    schedule = {tiles_of(config, args.m, args.n), args.raster_group};
    if constexpr (cluster > 1) {
      const int rank = ptx::cluster_rank();
      row_rank = rank % cluster_m;
      column_rank = rank / cluster_m;
    }
    first_tile = static_cast<int>(blockIdx.x) / cluster;
    tile_step = static_cast<int>(gridDim.x) / cluster;
    tiles = schedule.grid.count();
    k_blocks = (args.k + k_block - 1) / k_block;
  }

  /// The tile's first row and column of Y.
  __device__ __forceinline__ tile_position origin(int tile) const {
    constexpr gate_first_config config = Row::config;
    const tile_position p = schedule.at(tile);
    return {(p.row * cluster_m + row_rank) * config.tile_rows, (p.column * cluster_n + column_rank) * config.tile_columns};
  }

  __device__ __forceinline__ std::uint8_t* x(int stage) const { return shared + map.x + stage * x_stage_bytes(Row::config); }
  __device__ __forceinline__ std::uint8_t* weights(int stage) const { return shared + map.weights + stage * weight_stage_bytes(Row::config); }
  __device__ __forceinline__ std::uint64_t* full(int stage) const { return reinterpret_cast<std::uint64_t*>(shared + map.full) + stage; }
  __device__ __forceinline__ std::uint64_t* empty(int stage) const { return reinterpret_cast<std::uint64_t*>(shared + map.empty) + stage; }
  __device__ __forceinline__ std::uint8_t* output(int warpgroup, int buffer) const {
    return shared + map.output + (warpgroup * map.output_buffers + buffer) * output_buffer_bytes(Row::config);
  }

  /// A stage is full when its loader has arrived and the bytes are in; it is empty when the warpgroup whose turn it is, in every CTA
  /// of the cluster that shares this one's row or column, has read it.
  __device__ __forceinline__ void init_barriers() const {
    for (int stage = 0; stage < Row::config.stages; ++stage) {
      ptx::mbarrier_init(full(stage), 1);
      ptx::mbarrier_init(empty(stage), cluster_m + cluster_n - 1);
    }
    ptx::mbarrier_init_fence();
  }

  /// The calling warpgroup has read the stage: tell the loaders that wait for it.
  __device__ __forceinline__ void release(int stage) const {
    const int thread = static_cast<int>(threadIdx.x % 128);
    if constexpr (cluster == 1) {
      if (thread == 0) ptx::mbarrier_arrive(empty(stage));
    } else if (thread < cluster && (thread % cluster_m == row_rank || thread / cluster_m == column_rank)) {
      ptx::mbarrier_arrive_at(empty(stage), thread);
    }
  }
};

/// A K block of X; each CTA of a cluster row brings its share of the rows to all of them.
template <class Row>
__device__ __forceinline__ void load_x(const gate_first_arguments& args, const cta<Row>& self, int stage, int k, int row) {
  if constexpr (Row::config.cluster_n == 1) {
    ptx::tma_load(self.x(stage), &args.x, self.full(stage), k, row);
  } else {
    constexpr int share = Row::config.tile_rows / Row::config.cluster_n;
    const auto ctas = static_cast<std::uint16_t>((1 | 1 << Row::config.cluster_m) << self.row_rank);
    ptx::tma_load_multicast(self.x(stage) + self.column_rank * share * k_block * 2, &args.x, self.full(stage), k, row + self.column_rank * share,
                            ctas);
  }
}

/// A K block of one half's weights; each CTA of a cluster column brings its share of the columns to all of them.
template <class Row>
__device__ __forceinline__ void load_weights(const CUtensorMap& map, const cta<Row>& self, int stage, int k, int column) {
  if constexpr (Row::config.cluster_m == 1) {
    ptx::tma_load(self.weights(stage), &map, self.full(stage), k, column);
  } else {
    constexpr int share = Row::config.tile_columns / Row::config.cluster_m;
    const auto ctas = static_cast<std::uint16_t>(3 << self.column_rank * Row::config.cluster_m);
    ptx::tma_load_multicast(self.weights(stage) + self.row_rank * share * k_block * 2, &map, self.full(stage), k, column + self.row_rank * share,
                            ctas);
  }
}

/// One thread feeds the ring: of every tile the K blocks of the gate pass, then at once those of the up pass.
template <class Row>
__device__ __forceinline__ void produce(const gate_first_arguments& args, const cta<Row>& self) {
  constexpr gate_first_config config = Row::config;
  const int stage_bytes = args.x_box_rows * config.cluster_n * k_block * 2 + weight_stage_bytes(config);
  const auto half = [&](int block) -> const CUtensorMap& { return block < self.k_blocks ? args.gate : args.up; };
  const auto first_k = [&](int block) { return (block < self.k_blocks ? block : block - self.k_blocks) * k_block; };
  ring_position<config.stages> at;

  // The weights of the first stages don't depend on the kernels ahead on the stream: start them before X may be read.
  int early = 0;
  if (args.prefetch_weights) {
    early = 2 * self.k_blocks < config.stages ? 2 * self.k_blocks : config.stages;
    const tile_position origin = self.origin(self.first_tile);
    for (int block = 0; block < early; ++block) {
      ptx::mbarrier_expect(self.full(block), stage_bytes);
      load_weights(half(block), self, block, first_k(block), origin.column);
    }
  }
  ptx::wait_for_dependencies();
  ptx::launch_dependents();

  for (int tile = self.first_tile; tile < self.tiles; tile += self.tile_step) {
    const tile_position origin = self.origin(tile);
    for (int block = 0; block < 2 * self.k_blocks; ++block) {
      if (early > 0) {
        --early;
      } else {
        ptx::mbarrier_wait(self.empty(at.stage), at.parity ^ 1);
        ptx::mbarrier_expect(self.full(at.stage), stage_bytes);
        load_weights(half(block), self, at.stage, first_k(block), origin.column);
      }
      load_x(args, self, at.stage, first_k(block), origin.row);
      at.advance();
    }
  }
  // A CTA must outlive the loads that its peers send it, and the arrivals it is sent.
  if constexpr (cta<Row>::cluster > 1) {
    for (int i = 0; i < config.stages; ++i) {
      ptx::mbarrier_wait(self.empty(at.stage), at.parity ^ 1);
      at.advance();
    }
  }
}

/// Accumulators of one half of a warpgroup's tile.
template <class Row>
using accumulators = float[Row::config.tile_rows / 64][Row::config.tile_columns / 2];

/// Issue one K block: d += X W^T, as one group.
template <class Row, class Element>
__device__ __forceinline__ void issue_block(accumulators<Row>& d, const cta<Row>& self, const ring_position<Row::config.stages>& at,
                                            bool accumulate) {
  ptx::mbarrier_wait(self.full(at.stage), at.parity);
  const std::uint64_t x = ptx::wgmma_operand(self.x(at.stage)), w = ptx::wgmma_operand(self.weights(at.stage));
  constexpr int next_rows = 64 * k_block * 2 / 16, next_k = 16 * 2 / 16;  // in units of 16 bytes
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < k_block / 16; ++k)
#pragma unroll
    for (int i = 0; i < Row::config.tile_rows / 64; ++i)
      ptx::wgmma<Element>(d[i], x + i * next_rows + k * next_k, w + k * next_k, accumulate || k > 0);
  ptx::wgmma_commit();
}

/// Columns of the gate that are activated together, after the issue of one of Up's K blocks.
inline constexpr int slice_columns = 16;

template <class Row, int Slice>
__device__ __forceinline__ void activate_slice(accumulators<Row>& gate) {
#pragma unroll
  for (int i = 0; i < Row::config.tile_rows / 64; ++i)
#pragma unroll
    for (int r = 0; r < slice_columns / 2; ++r) {
      float& g = gate[i][Slice * (slice_columns / 2) + r];
      g = cuda::silu(g);
    }
}

/// Apply silu to slice `slice` of the gate, in place; nothing where there is no such slice. Branches that all threads take, on
/// constants: registers can't be indexed.
template <class Row, int... Slice>
__device__ __forceinline__ void activate_slice(accumulators<Row>& gate, int slice, std::integer_sequence<int, Slice...>) {
  (void)((slice == Slice && (activate_slice<Row, Slice>(gate), true)) || ...);
}

/// Multiply 64 rows x Width columns into the panels of `buffer`, 16 columns at a time.
template <class Element, int Registers>
__device__ __forceinline__ void multiply_block(const float (&gate)[Registers], const float (&up)[Registers], std::uint32_t buffer) {
  constexpr int width = 2 * Registers;
  const int thread = static_cast<int>(threadIdx.x % 128), lane = thread % 32;
#pragma unroll
  for (int group = 0; group < width / 8; group += 2) {
    std::uint32_t v[4];  // of two groups of 8 columns: two neighbouring columns of row r, of row r + 8
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int r = 4 * group + 2 * j;
      v[j] = cuda::pack_two<Element>(gate[r] * up[r], gate[r + 1] * up[r + 1]);
    }
    ptx::stmatrix_x4(buffer + output_offset(width, stmatrix_row(thread / 32, lane), group + stmatrix_group(lane)), v);
  }
}

/// The same, activation included, for whatever the problem asks for.
template <class Element, int Registers>
__device__ __forceinline__ void finish_block(const float (&gate)[Registers], const float (&up)[Registers], const gate_first_arguments& args,
                                             int first_column, std::uint32_t buffer) {
  constexpr int width = 2 * Registers;
  const int thread = static_cast<int>(threadIdx.x % 128), row = stmatrix_row(thread / 32, thread % 32);
  std::uint32_t v[2];  // of a group of 8 columns: two neighbouring columns of row r, of row r + 8
#pragma unroll 1
  for (int half = 0; half < width / 4; ++half) {
    float g[2], u[2];
    take_two<0, width / 4>(gate, half, g);
    take_two<0, width / 4>(up, half, u);
    const int group = half / 2, column = first_column + 8 * group + thread % 4 * 2;
    v[1] = finish_two<Element>(g, u, args.epilogue, {column, column + 1}, args.n);
    if (half % 2 == 0)
      v[0] = v[1];
    else
      ptx::stmatrix_x2(buffer + output_offset(width, row, group), v);
  }
}

/// Multiply and store 64 rows of the tile at a time.
template <class Row, class Element, bool General>
__device__ __forceinline__ void finish(const accumulators<Row>& gate, const accumulators<Row>& up, const gate_first_arguments& args,
                                       const cta<Row>& self, int warpgroup, const tile_position& origin) {
  constexpr gate_first_config config = Row::config;
  constexpr int buffers = cta<Row>::map.output_buffers, width = config.tile_columns;
  constexpr output_panels panels = panels_of(width);
  const bool stores = threadIdx.x % 128 == 0;
#pragma unroll
  for (int i = 0; i < config.tile_rows / 64; ++i) {
    std::uint8_t* buffer = self.output(warpgroup, i % buffers);
    if (stores) ptx::tma_store_wait_read<buffers - 1>();  // the group that last read this buffer
    ptx::barrier_sync(store_barrier + warpgroup, 128);
    if constexpr (General)
      finish_block<Element>(gate[i], up[i], args, origin.column, ptx::shared_address(buffer));
    else
      multiply_block<Element>(gate[i], up[i], ptx::shared_address(buffer));
    ptx::fence_shared_for_tma();
    ptx::barrier_sync(store_barrier + warpgroup, 128);
    if (stores) {
      const int row = origin.row + i * 64;
      if (row < args.m)
#pragma unroll
        for (int column = 0; column < width; column += panels.columns)
          if (origin.column + column < args.n) ptx::tma_store(&args.y, buffer + output_offset(width, 0, column / 8), origin.column + column, row);
      ptx::tma_store_commit();
    }
  }
}

template <class Row, class Element, bool General>
__device__ __forceinline__ void consume(const gate_first_arguments& args, const cta<Row>& self, int warpgroup) {
  constexpr gate_first_config config = Row::config;
  constexpr std::make_integer_sequence<int, config.tile_columns / slice_columns> slices;
  ring_position<config.stages> at;
  int tile = self.first_tile;
  if (warpgroup == 1) {
    at.skip(2 * self.k_blocks);
    tile += self.tile_step;
    ptx::barrier_arrive(turn_barrier, 256);  // the other warpgroup has the first turn
  }
  accumulators<Row> gate, up;
  for (; tile < self.tiles; tile += 2 * self.tile_step) {
    const tile_position origin = self.origin(tile);
    ptx::barrier_sync(turn_barrier + warpgroup, 256);

    // Accumulate the gate. One group stays in flight: a stage is released when the group after its own has been issued.
    int previous = at.stage;
    issue_block<Row, Element>(gate, self, at, false);
    at.advance();
    for (int block = 1; block < self.k_blocks; ++block) {
      issue_block<Row, Element>(gate, self, at, true);
      ptx::wgmma_wait<1>();
      self.release(previous);
      previous = at.stage;
      at.advance();
    }

    // Accumulate up. Its first block is issued behind the gate's last; once that has ended, the gate is activated slice by slice under
    // up's wgmmas. (The first block is peeled: where a loop's first iteration ends the gate's group and later ones end up's, ptxas
    // can't tell them apart and serialises.)
    issue_block<Row, Element>(up, self, at, false);
    ptx::wgmma_wait<1>();
    self.release(previous);
    previous = at.stage;
    at.advance();
#pragma unroll
    for (int i = 0; i < config.tile_rows / 64; ++i) ptx::wgmma_results(gate[i]);
    if constexpr (!General) activate_slice<Row, 0>(gate);
    for (int block = 1; block < self.k_blocks; ++block) {
      issue_block<Row, Element>(up, self, at, true);
      ptx::wgmma_wait<1>();
      self.release(previous);
      previous = at.stage;
      at.advance();
      if constexpr (!General) activate_slice<Row>(gate, block, slices);
    }
    if (tile + self.tile_step < self.tiles) ptx::barrier_arrive(turn_barrier + (warpgroup ^ 1), 256);
    if constexpr (!General)
      for (int slice = self.k_blocks; slice < static_cast<int>(slices.size()); ++slice)
        activate_slice<Row>(gate, slice, slices);  // K is below 64 * slices
    ptx::wgmma_wait<0>();
    self.release(previous);
#pragma unroll
    for (int i = 0; i < config.tile_rows / 64; ++i) ptx::wgmma_results(up[i]);

    at.skip(2 * self.k_blocks);
    finish<Row, Element, General>(gate, up, args, self, warpgroup, origin);
  }
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();
}

template <class Row, class Element, bool General>
__global__ void __launch_bounds__(threads, 1) kernel(const __grid_constant__ gate_first_arguments args) {
  extern __shared__ std::uint8_t dynamic_shared[];
  const cta<Row> self(args, dynamic_shared);
  const int warpgroup = static_cast<int>(threadIdx.x) / 128;
  if (threadIdx.x == 0) {
    self.init_barriers();
    for (const CUtensorMap* map : {&args.x, &args.gate, &args.up, &args.y}) ptx::tma_prefetch_map(map);
  }
  __syncthreads();
  if constexpr (cta<Row>::cluster > 1) ptx::cluster_sync();

  if (warpgroup == 0) {
    ptx::registers_shrink_to<40>();
    if (threadIdx.x == 0) produce(args, self);
  } else {
    ptx::registers_grow_to<232>();
    consume<Row, Element, General>(args, self, warpgroup - 1);
  }
  if constexpr (cta<Row>::cluster > 1) {
    __syncwarp();
    ptx::cluster_sync();
  }
}

}  // namespace tileglu::sm90::gate_first
