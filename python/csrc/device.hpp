// The device a call runs on: torch's current stream there, and torch's current device set to it for the length of the call.
#pragma once

#include <cstdint>

#include "tileglu/run.hpp"

namespace tileglu::torch_extension {

/// torch's current stream of a CUDA device. The one function of the ABI that libtorch_cuda.so holds: it is looked up at the first
/// call, so the same binary loads beside a torch without CUDA.
stream_handle current_cuda_stream(std::int32_t device_index);

/// Makes `device_index` the current CUDA device until the end of the scope; free of cost where it is already.
class current_device {
 public:
  explicit current_device(std::int32_t device_index);
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device();

 private:
  void* guard_ = nullptr;
};

}  // namespace tileglu::torch_extension
