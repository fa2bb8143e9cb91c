// Buffers, streams, graphs and clocks: host memory and steady_clock on a CPU device, the port's services on a CUDA device.
#include "tileglu/memory.hpp"

#include <chrono>
#include <cstring>
#include <new>
#include <string>

#include "backend/port.hpp"

namespace tileglu {
namespace {

constexpr std::size_t buffer_alignment = 256;

result<const cuda_services*> services() {
  const cuda_services* cuda = find_cuda_services();
  if (cuda == nullptr) return status(status_code::not_available, "this build of tileglu has no CUDA backend: " TILEGLU_CUDA_REASON);
  return cuda;
}

status check_range(std::size_t size, std::size_t count, std::size_t offset, const void* host) {
  if (offset > size || count > size - offset)
    return {status_code::invalid_argument, "offset is " + std::to_string(offset) + " and count " + std::to_string(count) +
                                               "; allowed are ranges within the buffer's " + std::to_string(size) + " bytes"};
  if (host == nullptr && count > 0)
    return {status_code::invalid_argument, "host is null; allowed is a pointer to " + std::to_string(count) + " bytes"};
  return {};
}

}  // namespace

struct buffer::state {
  const cuda_services* cuda = nullptr;  ///< null: host memory
  int ordinal = 0;
  std::size_t bytes = 0;
  char* data = nullptr;

  ~state() {
    if (data == nullptr) return;
    if (cuda != nullptr)
      cuda->release(ordinal, data);
    else
      ::operator delete(data, std::align_val_t{buffer_alignment});
  }
};

result<buffer> buffer::allocate(const device_facts& device, std::size_t bytes) {
  auto made = std::make_shared<state>();
  made->ordinal = device.ordinal;
  made->bytes = bytes;
  if (device.kind == device_kind::cuda) {
    const auto cuda = services();
    if (!cuda) return cuda.error();
    if (bytes > 0) {
      const auto data = (*cuda)->allocate(device.ordinal, bytes);
      if (!data) return data.error();
      made->data = static_cast<char*>(*data);
    }
    made->cuda = *cuda;
  } else if (bytes > 0) {
    made->data = static_cast<char*>(::operator new(bytes, std::align_val_t{buffer_alignment}, std::nothrow));
    if (made->data == nullptr) return status(status_code::out_of_memory, "bytes is " + std::to_string(bytes) + "; the host has no such block free");
  }
  buffer b;
  b.state_ = std::move(made);
  return b;
}

void* buffer::data() const noexcept { return state_ ? state_->data : nullptr; }
std::size_t buffer::bytes() const noexcept { return state_ ? state_->bytes : 0; }

status buffer::upload(const void* host, std::size_t count, std::size_t offset) {
  if (status s = check_range(bytes(), count, offset, host); !s.ok() || count == 0) return s;
  if (state_->cuda != nullptr) return state_->cuda->copy(state_->ordinal, state_->data + offset, host, count);
  std::memcpy(state_->data + offset, host, count);
  return {};
}

status buffer::download(void* host, std::size_t count, std::size_t offset) const {
  if (status s = check_range(bytes(), count, offset, host); !s.ok() || count == 0) return s;
  if (state_->cuda != nullptr) return state_->cuda->copy(state_->ordinal, host, state_->data + offset, count);
  std::memcpy(host, state_->data + offset, count);
  return {};
}

status buffer::fill(unsigned char byte) {
  if (bytes() == 0) return {};
  if (state_->cuda != nullptr) return state_->cuda->fill(state_->ordinal, state_->data, byte, state_->bytes);
  std::memset(state_->data, byte, state_->bytes);
  return {};
}

struct stream::state {
  const cuda_services* cuda = nullptr;
  int ordinal = 0;
  stream_handle handle = nullptr;

  ~state() {
    if (cuda != nullptr && handle != nullptr) cuda->drop_stream(ordinal, handle);
  }
};

result<stream> stream::create(const device_facts& device) {
  auto made = std::make_shared<state>();
  made->ordinal = device.ordinal;
  if (device.kind == device_kind::cuda) {
    const auto cuda = services();
    if (!cuda) return cuda.error();
    const auto handle = (*cuda)->make_stream(device.ordinal);
    if (!handle) return handle.error();
    made->cuda = *cuda;
    made->handle = *handle;
  }
  stream s;
  s.state_ = std::move(made);
  return s;
}

stream_handle stream::handle() const noexcept { return state_ ? state_->handle : nullptr; }

status stream::synchronize() const {
  if (!state_ || state_->cuda == nullptr) return {};
  return state_->cuda->synchronize(state_->ordinal, state_->handle);
}

struct recorded_work::state {
  const cuda_services* cuda = nullptr;
  void* graph = nullptr;
  std::function<status()> work;  ///< on the CPU: what replay calls

  ~state() {
    if (graph != nullptr) cuda->drop_graph(graph);
  }
};

result<recorded_work> recorded_work::record(const device_facts& device, const stream& on, std::function<status()> work) {
  if (!work) return status(status_code::invalid_argument, "work is empty; allowed is a function that launches on the stream");
  auto made = std::make_shared<state>();
  if (device.kind == device_kind::cuda) {
    const auto cuda = services();
    if (!cuda) return cuda.error();
    made->cuda = *cuda;
    if (status s = made->cuda->begin_capture(on.handle()); !s.ok()) return s;
    const status launched = work();
    const auto graph = made->cuda->end_capture(on.handle());  // also where `work` failed, or the stream would stay in capture
    if (graph) made->graph = *graph;
    if (!launched.ok()) return launched;
    if (!graph) return graph.error();
  } else {
    made->work = std::move(work);
  }
  recorded_work r;
  r.state_ = std::move(made);
  return r;
}

status recorded_work::replay(const stream& on) const {
  if (!state_) return {status_code::invalid_argument, "nothing was recorded; allowed is what record() returned"};
  return state_->cuda != nullptr ? state_->cuda->launch_graph(state_->graph, on.handle()) : state_->work();
}

result<double> time_us(const device_facts& device, const stream& on, const std::function<status()>& work) {
  if (!work) return status(status_code::invalid_argument, "work is empty; allowed is a function that launches on the stream");
  if (device.kind == device_kind::cuda) {
    const auto cuda = services();
    if (!cuda) return cuda.error();
    return (*cuda)->time_us(device.ordinal, on.handle(), work);
  }
  const auto begin = std::chrono::steady_clock::now();
  if (status s = work(); !s.ok()) return s;
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tileglu
