// Few tokens (m <= 16): the weights stream once from their plain layout into registers, and nothing else matters much.
//
//   global   x [m, k], gate and up rows [n, k] (any of the four layouts: two pointers and one row stride), y [m, n]
//   shared   one float32 partial tile per warp, for the reduction over K
//   register per thread: `unroll` slots of 16-byte weight pieces in flight, and the accumulators
//
// One mma.sync tile of 16 weight rows is 8 gate rows over 8 up rows, so the gate and the up of an output meet in one thread
// (accumulator registers i and i + 2). Each thread loads 16 contiguous bytes of a row, which are four 2-element columns of the
// mma's K: K is permuted alike for weights and tokens, and a sum does not mind. The warps of a block take the K blocks in turn and
// their partial sums are added in warp order: the same bits on every run, whatever m is.
#pragma once

#include "cuda/activation.cuh"
#include "plan/config/sm90_config.hpp"
#include "sm90/ptx/grid_dependency.cuh"
#include "sm90/ptx/mma_sync.cuh"
#include "sm90/ptx/streaming_load.cuh"

namespace tileglu::sm90::decode {

inline constexpr int k_block = 64;  ///< elements of K that a warp takes in one step: two 16-byte pieces a thread and row

struct params {
  const void* x;
  const void* gate;
  const void* up;
  void* y;
  long long ldx, ldw, ldy;  ///< elements; ldw is the step between rows of one half
  int m, n, k;
  bool wait_before_weights;  ///< the weights may be written by the kernel ahead on the stream
  cuda::epilogue_params epilogue;
};

/// Row is a type with `static constexpr decode_config config`.
///
/// Persistent: block b takes the column groups b, b + grid, ..., and the pieces of its next group are in flight while the sums of the
/// last one are reduced, so the stream of weights does not stop inside a launch. Otherwise a block takes one group: fewer registers,
/// more blocks on an SM, which is faster where all groups fit in one or two waves (H200, 2026-11-29: 0.5B 0.73 against 0.80 of the
/// bare product at m = 1, 72B 1.02 against 1.006).
template <class Row, class Element, bool General>
__global__ void __launch_bounds__(Row::config.warps * 32) decode_kernel(const __grid_constant__ params p) {
  constexpr decode_config config = Row::config;
  constexpr int tokens = config.token_tiles, rows = config.row_tiles, slots = config.unroll, warps = config.warps;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, quad = lane % 4;
  const int groups = (p.n + 8 * rows - 1) / (8 * rows);
  // Rounds of `slots` K blocks that a warp takes of each group; past the end of K it adds zeros.
  const int rounds = (p.k + k_block * warps * slots - 1) / (k_block * warps * slots);
  const auto* gate = static_cast<const Element*>(p.gate) + quad * 8;
  const auto* up = static_cast<const Element*>(p.up) + quad * 8;
  const auto* x = static_cast<const Element*>(p.x) + quad * 8;

  uint4 gate_piece[slots][rows][2], up_piece[slots][rows][2];
  int ahead_group = blockIdx.x, ahead_block = warp;  // what the next call brings
  const auto load_weights = [&](int slot) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int column = ahead_group * 8 * rows + r * 8 + group;
      const long long row = column * p.ldw + ahead_block * k_block;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const bool inside = ahead_block * k_block + c * 32 + quad * 8 < p.k && column < p.n;
        gate_piece[slot][r][c] = inside ? ptx::load_streaming(gate + row + c * 32) : uint4{0, 0, 0, 0};
        up_piece[slot][r][c] = inside ? ptx::load_streaming(up + row + c * 32) : uint4{0, 0, 0, 0};
      }
    }
    ahead_block += warps;
    if (config.persistent && ahead_block >= warp + rounds * slots * warps) {
      ahead_block = warp;
      ahead_group += gridDim.x;
    }
  };

  // Put the first weights in flight before the kernel ahead has ended: weights rarely depend on it, tokens always do.
  if (p.wait_before_weights) ptx::wait_for_dependencies();
#pragma unroll
  for (int slot = 0; slot < slots; ++slot) load_weights(slot);
  ptx::launch_dependents();
  if (!p.wait_before_weights) ptx::wait_for_dependencies();

  __shared__ float partial[warps][rows * tokens * 4][32];
  for (int at = blockIdx.x; at < groups; at += config.persistent ? static_cast<int>(gridDim.x) : groups) {
    float sum[rows][tokens][4] = {};
    int block = warp;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int slot = 0; slot < slots; ++slot, block += warps) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          const int column = block * k_block + c * 32;
#pragma unroll
          for (int t = 0; t < tokens; ++t) {
            const int token = t * 8 + group;
            uint4 piece = {0, 0, 0, 0};
            if (token < p.m && column + quad * 8 < p.k) piece = *reinterpret_cast<const uint4*>(x + token * p.ldx + column);
#pragma unroll
            for (int r = 0; r < rows; ++r) {
              const uint4 g = gate_piece[slot][r][c], u = up_piece[slot][r][c];
              ptx::mma_m16n8k16<Element>(sum[r][t], g.x, u.x, g.y, u.y, piece.x, piece.y);
              ptx::mma_m16n8k16<Element>(sum[r][t], g.z, u.z, g.w, u.w, piece.z, piece.w);
            }
          }
        }
        load_weights(slot);
      }
    }

    // Add the warps' partial sums in warp order. A thread holds tokens 2 quad, 2 quad + 1 of column `group`: gate in 0, 1, up in 2, 3.
    if (config.persistent && at != static_cast<int>(blockIdx.x)) __syncthreads();  // the sums of the last group have been read
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int t = 0; t < tokens; ++t)
#pragma unroll
        for (int i = 0; i < 4; ++i) partial[warp][(r * tokens + t) * 4 + i][lane] = sum[r][t][i];
    __syncthreads();
    for (int task = warp; task < rows * tokens * 2; task += warps) {
      const int parity = task % 2, tile = task / 2, t = tile % tokens, r = tile / tokens;
      float g = 0, u = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        g += partial[w][tile * 4 + parity][lane];
        u += partial[w][tile * 4 + 2 + parity][lane];
      }
      const int token = t * 8 + 2 * quad + parity, column = at * 8 * rows + r * 8 + group;
      if (token >= p.m || column >= p.n) continue;
      float value;
      if constexpr (General)
        value = cuda::finish_general<Element>(p.epilogue, g, u, cuda::load_bias<Element>(p.epilogue, p.epilogue.bias_gate, column, p.n),
                                              cuda::load_bias<Element>(p.epilogue, p.epilogue.bias_up, column, p.n));
      else
        value = cuda::finish_silu(g, u);
      static_cast<Element*>(p.y)[token * p.ldy + column] = cuda::from_float<Element>(value);
    }
  }
}

}  // namespace tileglu::sm90::decode
