// Workspace that the library owns, for the one-line call alone: one block per (device, stream), grown when a call needs more.
#pragma once

#include <cstddef>
#include <mutex>

#include "tileglu/device.hpp"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu::api {

/// A block, held for the time that work is queued: calls of two threads on one stream may not mix their kernels over one block.
struct scratch_lease {
  std::unique_lock<std::mutex> lock;
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// At least `bytes` for work on `on`. While the stream is captured nothing is allocated: invalid_argument, unless an earlier call
/// on this stream has made a block that is large enough. Blocks live as long as the process: a graph may hold their addresses.
result<scratch_lease> lease_scratch(const device_facts& device, stream_handle on, std::size_t bytes);

}  // namespace tileglu::api
