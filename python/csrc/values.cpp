#include "values.hpp"

#include <array>

namespace tileglu::torch_extension {

std::string dtype_name(std::int32_t dtype) {
  if (dtype == aoti_torch_dtype_bfloat16()) return "torch.bfloat16";
  if (dtype == aoti_torch_dtype_float16()) return "torch.float16";
  if (dtype == aoti_torch_dtype_float32()) return "torch.float32";
  if (dtype == aoti_torch_dtype_float64()) return "torch.float64";
  return "one that no kernel takes";
}

std::string device_name(std::int32_t type, std::int32_t index) {
  if (type == aoti_torch_device_type_cpu()) return "cpu";
  return type == aoti_torch_device_type_cuda() ? "cuda:" + std::to_string(index) : "another";
}

tensor_facts facts_of(const tensor& t, const char* argument) {
  static const std::int32_t strided = aoti_torch_layout_strided();
  std::int32_t layout = 0;
  check(aoti_torch_get_layout(t.get(), &layout), argument);
  if (layout != strided) refuse(std::string(argument) + " is a sparse or opaque tensor; allowed are dense (strided) tensors");
  tensor_facts facts;
  std::int64_t dim = 0;
  std::int64_t* sizes = nullptr;
  std::int64_t* strides = nullptr;
  check(aoti_torch_get_dim(t.get(), &dim), argument);
  check(aoti_torch_get_sizes(t.get(), &sizes), argument);
  check(aoti_torch_get_strides(t.get(), &strides), argument);
  check(aoti_torch_get_dtype(t.get(), &facts.dtype), argument);
  check(aoti_torch_get_device_type(t.get(), &facts.device_type), argument);
  check(aoti_torch_get_device_index(t.get(), &facts.device_index), argument);
  check(aoti_torch_get_data_ptr(t.get(), &facts.data), argument);
  facts.sizes = {sizes, static_cast<std::size_t>(dim)};
  facts.strides = {strides, static_cast<std::size_t>(dim)};
  return facts;
}

tensor empty(std::span<const std::int64_t> sizes, std::int32_t dtype, std::int32_t device_type, std::int32_t device_index) {
  constexpr std::size_t most_dimensions = 64;  // torch's own limit for vmap, and twice what TensorIterator takes
  if (sizes.size() > most_dimensions) refuse("x has " + std::to_string(sizes.size()) + " dimensions; allowed are at most 64");
  std::array<std::int64_t, most_dimensions> strides;
  std::int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i] > 0 ? sizes[i] : 1;
  }
  torch_tensor made = nullptr;
  check(aoti_torch_empty_strided(static_cast<std::int64_t>(sizes.size()), sizes.data(), strides.data(), dtype, device_type, device_index, &made),
        "allocating a tensor");
  return tensor(made);
}

std::string take_text(torch_slot slot) {
  const auto text = reinterpret_cast<torch_text>(slot);
  std::size_t length = 0;
  const char* data = nullptr;
  check(torch_string_length(text, &length), "reading a string");
  check(torch_string_c_str(text, &data), "reading a string");
  std::string copy(data, length);
  torch_delete_string(text);
  return copy;
}

torch_slot give_text(const std::string& text) {
  torch_text made = nullptr;
  check(torch_new_string_handle(text.data(), text.size(), &made), "making a string");
  return reinterpret_cast<torch_slot>(made);
}

}  // namespace tileglu::torch_extension
