// Which tile a CTA computes when. Pure arithmetic that kernel, tests and planner share.
#pragma once

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
