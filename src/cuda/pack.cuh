// Weight layouts converted on the device: rows are moved, never changed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu::cuda {

/// Copy the 2n rows of k 2-byte elements of `from` into `layout`, dense on both sides; queued on `stream`, not waited for.
status pack_on_device(const gate_up_weights& from, weight_layout layout, void* first, void* second, std::int64_t n, std::int64_t k,
                      cudaStream_t stream);

}  // namespace tileglu::cuda
