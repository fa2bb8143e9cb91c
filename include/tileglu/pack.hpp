// Conversion between weight layouts. A copy, bit for bit; converting back gives the same bytes.
#pragma once

#include <cstdint>

#include "tileglu/device.hpp"
#include "tileglu/export.h"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu {

/// Where packed weights are written: the two matrices of `separate`, or one matrix and null.
struct packed_weights {
  weight_layout layout = weight_layout::separate;
  void* first = nullptr;
  void* second = nullptr;
};

/// Copy [n, k] gate and up weights of a 2-byte type from one layout to another, dense rows of k elements on both sides.
/// `device` says whose memory the pointers are; on a CUDA device the copy runs on `stream` and is not waited for.
/// Errors: invalid_argument (null pointer, n or k < 0 or too large, source and target overlap), device_error.
TILEGLU_API status pack(const gate_up_weights& from, const packed_weights& to, std::int64_t n, std::int64_t k, const device_facts& device,
            stream_handle stream = nullptr);

}  // namespace tileglu
