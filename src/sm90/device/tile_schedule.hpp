// Which tile a CTA computes when. Pure arithmetic that kernel, tests and planner share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/config/paired_shape.hpp"

namespace tileglu::sm90 {

struct tile_position {
  int row;     ///< of the grid of clusters
  int column;
};

/// Persistent clusters walk the tiles 0, 1, 2, ...: cluster c takes c, c + clusters, c + 2 clusters, ...
/// The order is by groups of `group` rows, and inside a group down the rows, then along the columns: the clusters that run at once
/// share the X rows of a group and a few columns of weights in L2. Odd groups walk their columns backwards, so that the weights
/// read last are the ones read next.
struct tile_schedule {
  tile_grid grid;
  int group;

  constexpr tile_position at(int tile) const {
    const int per_group = group * grid.columns;
    const int index = tile / per_group, first = index * group;
    const int rows = group < grid.rows - first ? group : grid.rows - first;
    const int rest = tile - index * per_group;
    const int column = rest / rows;
    return {first + rest - column * rows, index & 1 ? grid.columns - 1 - column : column};
  }
};

/// The part of X that loads ask L2 to give up last: its first `k_blocks` K blocks, where tiles before `tiles` read them.
struct held_x {
  int tiles;
  int k_blocks;
};

/// Every wave reads the X of its rows again, and between two readings the weights of a wave pass: at 14B, m = 1024, 49 MB, so that X, 10.5 MB,
/// came from memory in each of six waves. A sixth of L2 can be held of it (in a copy for each of its halves, a third): of 21 MB of X, read in a
/// cycle, nothing stays where all is held, and most where it is the first 10.5; 12.6 MB are worse by 1 % of the bytes, 6.3 by 2
/// (docs/lab-book.md). In the last wave nothing is held, which leaves X's lines as any others to the kernels that follow. `clusters` run at
/// once; `x_rows` are a group's.
constexpr held_x what_to_hold(int tiles, int clusters, std::int64_t x_rows, int k_blocks, std::int64_t l2_bytes) {
  const std::int64_t fit = l2_bytes / 6 / (x_rows * k_block * 2);
  return {std::max(0, tiles - clusters), static_cast<int>(std::min<std::int64_t>(k_blocks, fit))};
}

/// The K blocks of a CTA's tiles follow each other in one ring of stages. This is where a warp stands in it.
template <int Stages>
struct ring_position {
  int stage = 0;
  int parity = 0;  ///< of the phase in which this round's `full` ends

  constexpr void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// Pass the `blocks` K blocks of a tile that the other warpgroup computes.
  constexpr void skip(int blocks) {
    stage += blocks;
    parity ^= (stage / Stages) & 1;
    stage %= Stages;
  }
};

}  // namespace tileglu::sm90
