// CUDA's error codes as values of status, and the questions that every launch asks first.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "backend/device_match.hpp"
#include "tileglu/device.hpp"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu::cuda {

/// ok, or what `call` reported. An error that stays in the runtime's "last error" is taken out of it, so that the next call isn't
/// blamed for it.
status check(cudaError_t error, std::string_view call);

/// The same for a kernel launch. An asynchronous failure that surfaces here came from earlier work, and is reported so.
status check_launch(cudaError_t error, std::string_view kernel);

/// What must hold before work is queued: the calling thread's current device is the plan's (else wrong_device), and no error is
/// left from before this call (else device_error, which says so; nothing is launched and the error is left where it was).
/// Neither allocates nor synchronises where all is well, and may be called while a stream is captured.
status ready_to_launch(const device_facts& planned, stream_handle on);

/// Is the device with the plan's ordinal one that the plan may run on? wrong_device names both.
status check_device_of(const device_facts& planned, device_bond bond);

inline cudaStream_t to_stream(stream_handle handle) noexcept { return static_cast<cudaStream_t>(handle); }

/// Makes a device current, and what was current before at the end of the scope.
class current_device {
 public:
  explicit current_device(int ordinal);
  ~current_device();
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  const status& outcome() const noexcept { return outcome_; }

 private:
  int before_ = 0;
  bool changed_ = false;
  status outcome_;
};

}  // namespace tileglu::cuda
