#include "device.hpp"

#include <dlfcn.h>

#include "values.hpp"

namespace tileglu::torch_extension {
namespace {

using get_current_cuda_stream = torch_error(std::int32_t device_index, void** stream);

get_current_cuda_stream* find_get_current_cuda_stream() {
  // RTLD_NOLOAD: torch has loaded it where there are CUDA tensors at all.
  void* torch_cuda = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  if (torch_cuda == nullptr) refuse("x is a CUDA tensor, but libtorch_cuda.so is not loaded");
  void* found = dlsym(torch_cuda, "aoti_torch_get_current_cuda_stream");
  if (found == nullptr) refuse("this torch's libtorch_cuda.so has no aoti_torch_get_current_cuda_stream");
  return reinterpret_cast<get_current_cuda_stream*>(found);
}

}  // namespace

stream_handle current_cuda_stream(std::int32_t device_index) {
  static get_current_cuda_stream* const get = find_get_current_cuda_stream();
  void* stream = nullptr;
  check(get(device_index, &stream), "asking for the current CUDA stream");
  return stream;
}

current_device::current_device(std::int32_t device_index) {
  std::int32_t now = -1;
  check(aoti_torch_get_current_device_index(&now), "asking for the current device");
  if (now != device_index) check(aoti_torch_create_device_guard(device_index, &guard_), "setting the current device");
}

current_device::~current_device() {
  if (guard_ != nullptr) aoti_torch_delete_device_guard(guard_);
}

}  // namespace tileglu::torch_extension
