#include "model_data.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace tileglu::cli {
namespace {

result<const void*> place(const void* host, std::size_t bytes, const device_facts& device, device_layer& into) {
  if (host == nullptr || device.kind == device_kind::cpu) return host;
  auto memory = buffer::allocate(device, bytes);
  if (!memory) return memory.error();
  if (status s = memory->upload(host, bytes); !s.ok()) return s;
  into.memory.push_back(*memory);
  return static_cast<const void*>(memory->data());
}

gate_up_weights typed(weight_layout layout, const void* first, const void* second) {
  switch (layout) {
    case weight_layout::separate: return gate_up_weights::separate(first, second);
    case weight_layout::stacked_gate_up: return gate_up_weights::stacked_gate_up(first);
    case weight_layout::stacked_up_gate: return gate_up_weights::stacked_up_gate(first);
    case weight_layout::interleaved: return gate_up_weights::interleaved(first);
  }
  return gate_up_weights::separate(nullptr, nullptr);
}

/// Uniform in (0, 1] from a counter: splitmix64 (Steele, Lea, Flood 2014).
double uniform(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (static_cast<double>((z ^ (z >> 31)) >> 11) + 1) * 0x1p-53;
}

std::shared_ptr<const std::vector<std::uint16_t>> normal(dtype type, std::size_t count) {
  auto values = std::make_shared<std::vector<std::uint16_t>>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(-2 * std::log(uniform(2 * i + 1)));
    (*values)[i] = from_double(type, radius * std::cos(2 * std::numbers::pi * uniform(2 * i + 2)));
  }
  return values;
}

status wrong(const std::string& path, const stored_tensor& t, const std::string& text) {
  return {status_code::bad_file, path + ": tensor '" + t.name + "' " + text};
}

result<std::shared_ptr<const std::vector<std::uint16_t>>> convert(const stored_tensor& t, dtype type, const std::string& path) {
  const std::size_t size = t.type == "F32" ? 4 : 2, count = t.bytes / size;
  const dtype stored = t.type == "F16" ? dtype::fp16 : dtype::bf16;
  auto values = std::make_shared<std::vector<std::uint16_t>>(count);
  for (std::size_t i = 0; i < count; ++i) {
    double value = 0;
    if (size == 4) {
      float single = 0;
      std::memcpy(&single, static_cast<const char*>(t.data) + i * size, size);
      value = static_cast<double>(single);
    } else {
      std::uint16_t half = 0;
      std::memcpy(&half, static_cast<const char*>(t.data) + i * size, size);
      value = to_double(stored, half);
    }
    (*values)[i] = from_double(type, value);
    if (!std::isfinite(to_double(type, (*values)[i])))
      return wrong(path, t, "holds a number that is not finite as " + std::string(name(type)) + " at element " + std::to_string(i));
  }
  return std::shared_ptr<const std::vector<std::uint16_t>>(std::move(values));
}

bool names_layer(const std::string& tensor, int index) {
  const std::string number = std::to_string(index);
  for (std::size_t at = tensor.find(number); at != std::string::npos; at = tensor.find(number, at + 1)) {
    const auto digit = [&](std::size_t i) { return i < tensor.size() && tensor[i] >= '0' && tensor[i] <= '9'; };
    if ((at == 0 || !digit(at - 1)) && !digit(at + number.size())) return true;
  }
  return false;
}

}  // namespace

result<device_layer> load_to_device(const checkpoint& model, std::size_t position, const device_facts& device) {
  device_layer loaded;
  loaded.layer = model.layers()[position];
  auto host = model.load(position);
  if (!host) return host.error();
  loaded.host = std::move(*host);
  const mlp_layer& l = loaded.layer;
  const bool separate = l.layout == weight_layout::separate;
  const auto half = static_cast<std::size_t>(l.n * l.k) * size_of(l.type), n = static_cast<std::size_t>(l.n) * size_of(l.type);
  const auto down = static_cast<std::size_t>(l.out * l.n) * size_of(l.type);
  const auto first = place(loaded.host.w.first(), separate ? half : 2 * half, device, loaded);
  const auto second = place(loaded.host.w.second(), half, device, loaded);
  const auto d = place(loaded.host.down, down, device, loaded);
  const auto bias_gate = place(loaded.host.bias_gate, n, device, loaded);
  const auto bias_up = place(loaded.host.bias_up, n, device, loaded);
  const auto bias_down = place(loaded.host.bias_down, static_cast<std::size_t>(l.out) * size_of(l.type), device, loaded);
  for (const auto* placed : {&first, &second, &d, &bias_gate, &bias_up, &bias_down})
    if (!*placed) return placed->error();
  loaded.w = typed(l.layout, *first, *second);
  loaded.down = *d, loaded.bias_gate = *bias_gate, loaded.bias_up = *bias_up, loaded.bias_down = *bias_down;
  loaded.bytes = 2 * half + down;
  return loaded;
}

activations random_activations(const std::vector<device_layer>& layers, std::int64_t rows) {
  activations x{rows, {}, "normal, deviation 1"};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const mlp_layer& l = layers[i].layer;
    const bool like_first = l.k == layers[0].layer.k && l.type == layers[0].layer.type;
    x.of_layer.push_back(i > 0 && like_first ? x.of_layer[0] : normal(l.type, static_cast<std::size_t>(rows * l.k)));
  }
  return x;
}

result<activations> read_activations(const std::string& path, const std::vector<device_layer>& layers) {
  const auto file = tensor_file::open(path);
  if (!file) return file.error();
  std::vector<const stored_tensor*> usable;
  for (const stored_tensor& t : file->tensors())
    if (t.shape.size() == 2 && (t.type == "BF16" || t.type == "F16" || t.type == "F32")) usable.push_back(&t);
  if (usable.empty()) return status(status_code::bad_file, path + ": holds no 2-D tensor of BF16, F16 or F32; allowed is X [rows, hidden size]");

  activations x{-1, {}, path};
  for (const device_layer& layer : layers) {
    const stored_tensor* found = usable.size() == 1 ? usable[0] : nullptr;
    for (const stored_tensor* t : usable)
      if (found == nullptr && names_layer(t->name, layer.layer.index)) found = t;
    if (found == nullptr)
      return status(status_code::bad_file, path + ": holds " + std::to_string(usable.size()) + " tensors, and none has " +
                                               std::to_string(layer.layer.index) +
                                               " in its name; allowed is one tensor for all layers, or one for each");
    if (found->shape[1] != layer.layer.k || found->shape[0] == 0)
      return wrong(path, *found, "has shape " + describe_shape(found->shape) + "; allowed is [rows, " + std::to_string(layer.layer.k) + "]");
    auto values = convert(*found, layer.layer.type, path);
    if (!values) return values.error();
    x.of_layer.push_back(*values);
    x.rows = x.rows < 0 ? found->shape[0] : std::min(x.rows, found->shape[0]);
  }
  return x;
}

}  // namespace tileglu::cli
