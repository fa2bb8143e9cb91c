#include "api/scratch.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "backend/port.hpp"
#include "tileglu/memory.hpp"

namespace tileglu::api {
namespace {

struct block {
  device_kind kind;
  int ordinal;
  stream_handle on;
  std::mutex in_use;
  std::vector<buffer> buffers;  ///< the last is the largest; at least doubling keeps the sum below twice that
};

/// The block of a stream. Never destroyed: CUDA may be gone by the time that static objects are.
block& find_block(const device_facts& device, stream_handle on) {
  static auto& mutex = *new std::mutex;
  static auto& blocks = *new std::deque<block>;  // a deque doesn't move its elements
  const std::lock_guard lock(mutex);
  for (block& b : blocks)
    if (b.kind == device.kind && b.ordinal == device.ordinal && b.on == on) return b;
  block& made = blocks.emplace_back();
  made.kind = device.kind;
  made.ordinal = device.ordinal;
  made.on = on;
  return made;
}

}  // namespace

result<scratch_lease> lease_scratch(const device_facts& device, stream_handle on, std::size_t bytes) {
  block& mine = find_block(device, on);
  scratch_lease lease{std::unique_lock(mine.in_use), nullptr, 0};
  const std::size_t held = mine.buffers.empty() ? 0 : mine.buffers.back().bytes();
  if (held < bytes) {
    if (const cuda_services* cuda = find_cuda_services(); cuda != nullptr && device.kind == device_kind::cuda) {
      const auto capturing = cuda->capturing(on);
      if (!capturing) return capturing.error();
      if (*capturing)
        return status(status_code::invalid_argument,
                      "the stream is being captured and the library's own workspace for it holds " + std::to_string(held) + " of " +
                          std::to_string(bytes) +
                          " bytes; call once on this stream before capturing, or use plan() and run() with a workspace of yours");
    }
    auto made = buffer::allocate(device, std::max(bytes, 2 * held));
    if (!made) return made.error();
    mine.buffers.push_back(std::move(*made));
  }
  lease.data = mine.buffers.back().data();
  lease.bytes = mine.buffers.back().bytes();
  return lease;
}

}  // namespace tileglu::api
