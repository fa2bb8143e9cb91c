// Tensors and operator arguments as torch's stable ABI hands them over: owned, read once.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "torch_abi.h"

namespace tileglu::torch_extension {

/// Every refusal of the extension; torch raises it in Python as a RuntimeError with this text.
[[noreturn]] inline void refuse(std::string text) { throw std::runtime_error("tileglu: " + text); }

inline void check(torch_error code, const char* what) {
  if (code != 0) refuse(std::string(what) + " failed in torch");
}

/// One reference to a torch tensor; null where an optional argument is absent.
class tensor {
 public:
  tensor() = default;
  explicit tensor(torch_tensor owned) : handle_(owned) {}
  tensor(tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  tensor& operator=(tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  tensor(const tensor&) = delete;
  tensor& operator=(const tensor&) = delete;
  ~tensor() {
    if (handle_ != nullptr) aoti_torch_delete_tensor_object(handle_);
  }

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  torch_tensor get() const noexcept { return handle_; }
  torch_tensor release() noexcept { return std::exchange(handle_, nullptr); }
  torch_tensor share() const {
    torch_tensor copy = nullptr;
    check(aoti_torch_new_tensor_handle(handle_, &copy), "sharing a tensor");
    return copy;
  }

 private:
  torch_tensor handle_ = nullptr;
};

/// As Python prints them.
std::string dtype_name(std::int32_t dtype);
std::string device_name(std::int32_t type, std::int32_t index);

/// What a call needs to know of a tensor. Sizes and strides are borrowed from it.
struct tensor_facts {
  std::span<const std::int64_t> sizes, strides;
  std::int32_t dtype = 0, device_type = 0, device_index = 0;
  void* data = nullptr;

  std::int64_t last_size() const { return sizes.back(); }
  std::int64_t last_stride() const { return strides.back(); }
};

/// Throws where the tensor isn't strided memory.
tensor_facts facts_of(const tensor& t, const char* argument);

/// The memory of a tensor that is known to be strided.
inline void* data_of(const tensor& t) {
  void* data = nullptr;
  check(aoti_torch_get_data_ptr(t.get(), &data), "asking for a tensor's memory");
  return data;
}

tensor empty(std::span<const std::int64_t> sizes, std::int32_t dtype, std::int32_t device_type, std::int32_t device_index);

// Slots of an operator's stack. The take_ functions own what the slot held.
inline tensor take_tensor(torch_slot slot) { return tensor(reinterpret_cast<torch_tensor>(slot)); }
inline tensor take_optional_tensor(torch_slot slot) {
  if (slot == 0) return {};
  auto* inner = reinterpret_cast<torch_slot*>(slot);
  tensor value = take_tensor(*inner);
  delete inner;
  return value;
}
inline std::int64_t take_int(torch_slot slot) { return static_cast<std::int64_t>(slot); }
inline double take_double(torch_slot slot) { return std::bit_cast<double>(slot); }
inline bool take_bool(torch_slot slot) { return (slot & 0xff) != 0; }
std::string take_text(torch_slot slot);

inline torch_slot give(tensor value) { return reinterpret_cast<torch_slot>(value.release()); }
inline torch_slot give_optional(const tensor& value) {
  return value ? reinterpret_cast<torch_slot>(new torch_slot(reinterpret_cast<torch_slot>(value.share()))) : 0;
}
torch_slot give_text(const std::string& text);

}  // namespace tileglu::torch_extension
