// Device memory, streams, graphs and clocks for programs that have none of their own (the command line, the examples, tests).
// On a CPU device a buffer is host memory, a stream does nothing, a graph replays by calling, and the clock is steady_clock.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "tileglu/device.hpp"
#include "tileglu/export.h"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu {

/// Bytes on a device, 256-byte aligned, freed with the object.
class TILEGLU_API buffer {
 public:
  static result<buffer> allocate(const device_facts& device, std::size_t bytes);

  void* data() const noexcept;
  std::size_t bytes() const noexcept;
  /// Blocking copies; invalid_argument where offset + count passes the end.
  status upload(const void* host, std::size_t count, std::size_t offset = 0);
  status download(void* host, std::size_t count, std::size_t offset = 0) const;
  /// Set every byte.
  status fill(unsigned char byte);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// An ordered queue of work on a device.
class TILEGLU_API stream {
 public:
  static result<stream> create(const device_facts& device);
  stream_handle handle() const noexcept;
  status synchronize() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Work recorded once and replayed: a CUDA graph, or on the CPU the function itself.
class TILEGLU_API recorded_work {
 public:
  /// Records what `work` launches on `on`; `work` returns the status of its calls.
  static result<recorded_work> record(const device_facts& device, const stream& on, std::function<status()> work);
  status replay(const stream& on) const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Microseconds that `work` takes on `on`, by the device's own clock (CUDA events; steady_clock on the CPU).
TILEGLU_API result<double> time_us(const device_facts& device, const stream& on, const std::function<status()>& work);

}  // namespace tileglu
