// The parameter of the gate_first kernel; host and device share it.
#pragma once

#include <cuda.h>

#include "cuda/activation.cuh"

namespace tileglu::sm90 {

struct gate_first_arguments {
  CUtensorMap x;     ///< [m, k], boxes of x_box_rows x 64
  CUtensorMap gate;  ///< [n, k], boxes of tile_columns / cluster_m x 64
  CUtensorMap up;
  CUtensorMap y;  ///< [m, n], boxes of 64 rows x one output panel
  int m;
  int n;
  int k;
  int x_box_rows;                  ///< rows of X that one TMA instruction brings; fewer than its share of the tile where m has fewer
  int raster_group;                ///< cluster rows that are walked together
  int prefetch_weights;            ///< 1: weights may be read before the kernels ahead on the stream have ended
  cuda::epilogue_params epilogue;  ///< read by the general epilogue
};

}  // namespace tileglu::sm90
