// The parameter of the paired kernel; host and device share it.
#pragma once

#include <cuda.h>

#include "cuda/activation.cuh"
#include "sm90/device/tile_schedule.hpp"

namespace tileglu::sm90 {

/// What an instance's epilogue covers.
enum class epilogue_kind {
  silu,  ///< silu, fp32_through, no bias, no clamp: its instructions and no branch
  general,  ///< every activation, bias, clamp and numerics, decided at run time
};

struct paired_arguments {
  CUtensorMap x;  ///< [m, k], boxes of x_box_rows x 64
  CUtensorMap gate;  ///< [n, k], boxes of pair_width x 64
  CUtensorMap up;
  CUtensorMap y;  ///< [m, n], boxes of the rows of an output buffer x one panel
  int m;
  int n;
  int k;
  int x_box_rows;  ///< rows of X that one TMA instruction brings; fewer than the tile has where m has fewer
  int raster_group;  ///< cluster rows that are walked together
  int prefetch_weights;  ///< 1: weights may be read before the kernels ahead on the stream have ended
  held_x held;  ///< X that L2 is asked to hold
  cuda::epilogue_params epilogue;  ///< read by epilogue_kind::general
};

}  // namespace tileglu::sm90
