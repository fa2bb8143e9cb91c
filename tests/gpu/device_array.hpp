// Device memory of the checks, grown and kept: thousands of cases share a few blocks.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tileglu::gpu_check {

/// A check that can't go on: CUDA failed outside the library.
struct harness_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw harness_error(std::string(what) + ": " + cudaGetErrorString(error));
}

class device_block {
 public:
  device_block() = default;
  device_block(const device_block&) = delete;
  device_block& operator=(const device_block&) = delete;
  ~device_block() { (void)cudaFree(data_); }

  /// At least `bytes`; what was in it is lost where it grows.
  void* reserve(std::size_t bytes) {
    if (bytes <= bytes_) return data_;
    require(cudaFree(data_), "cudaFree");
    data_ = nullptr, bytes_ = 0;
    require(cudaMalloc(&data_, bytes), "cudaMalloc");
    bytes_ = bytes;
    return data_;
  }

  template <class Value>
  Value* as(std::size_t count) {
    return static_cast<Value*>(reserve(count * sizeof(Value)));
  }

  template <class Value>
  Value* data() const {
    return static_cast<Value*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tileglu::gpu_check
