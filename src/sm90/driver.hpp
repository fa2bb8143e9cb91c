// What the launch code of every family asks of CUDA: words for its errors, and tensor maps for TMA.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "tileglu/run.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu::sm90 {

/// A kernel launch by address, with the attributes that the families use.
struct kernel_launch {
  const void* kernel = nullptr;
  unsigned blocks = 1;      ///< along x
  unsigned blocks_y = 1;
  unsigned threads = 384;
  int shared_bytes = 0;
  int cluster = 1;          ///< CTAs in a cluster, along x
  int cluster_y = 1;
  bool overlap = false;     ///< may start while the kernel ahead of it on the stream still runs (it calls griddepcontrol.wait)
};

/// Queue it. An error's text says whether CUDA had it before this call (then it is of the caller's earlier work).
status queue(const kernel_launch& what, void** arguments, stream_handle stream) noexcept;

/// Allow `kernel` its dynamic shared memory; says what is wrong where the current device refuses.
status allow_shared_bytes(const void* kernel, int shared_bytes);

/// TMA's name for a swizzle of 128, 64 or 32 bytes, or 0 for none.
constexpr CUtensorMapSwizzle tma_swizzle(int bytes) {
  switch (bytes) {
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

/// A row-major matrix of 2-byte elements in device memory, and the box that one TMA instruction moves.
struct matrix_box {
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;  ///< elements; a multiple of 8
  int box_rows = 0;             ///< at most 256
  int box_columns = 0;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};

/// Find cuTensorMapEncodeTiled in the driver, once. Call it in prepare(); encode() relies on it.
status find_encoder();

/// The tensor map of `box`: reads past the matrix give 0, writes past it are dropped, whatever the padding of its rows holds.
status encode(const matrix_box& box, dtype type, CUtensorMap& map) noexcept;

}  // namespace tileglu::sm90
