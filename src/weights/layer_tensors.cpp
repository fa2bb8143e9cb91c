#include "weights/layer_tensors.hpp"

#include "layout/pairing.hpp"

namespace tileglu::weights {
namespace {

status bad(std::string text) { return {status_code::bad_file, std::move(text)}; }

std::string named(const located_tensor& t) { return *t.file + ": tensor '" + t.tensor->name + "'"; }

/// Looks `name` up; a null tensor where it is not there.
located_tensor lookup(const tensor_index& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? located_tensor{} : found->second;
}

status check_shape(const located_tensor& t, const std::vector<std::int64_t>& wanted, const std::string& why) {
  if (t.tensor->shape == wanted) return {};
  return bad(named(t) + " has shape " + describe_shape(t.tensor->shape) + "; allowed is " + describe_shape(wanted) + ", " + why);
}

status check_type(const located_tensor& t) {
  if (t.tensor->type == "BF16" || t.tensor->type == "F16" || t.tensor->type == "F32") return {};
  return {status_code::unsupported, named(t) + " has dtype " + t.tensor->type + "; allowed are BF16, F16 and F32"};
}

status find_tensors(const found_mlp& found, const tensor_index& tensors, const model_config& config, const std::string& path, layer_tensors& into) {
  const std::string prefix = found.module.empty() ? "" : found.module + ".";
  const mlp_naming& naming = *found.naming;
  const auto need = [&](std::string_view linear, located_tensor& where) -> status {
    const std::string name = prefix + std::string(linear) + ".weight";
    where = lookup(tensors, name);
    if (where.tensor == nullptr)
      return bad(path + ": tensor '" + name + "' is missing; layer " + std::to_string(found.index) + " has its companions");
    return check_type(where);
  };
  if (status s = need(naming.gate, into.gate); !s.ok()) return s;
  if (!naming.up.empty())
    if (status s = need(naming.up, into.up); !s.ok()) return s;
  if (status s = need(naming.down, into.down); !s.ok()) return s;

  into.bias_gate = lookup(tensors, prefix + std::string(naming.gate) + ".bias");
  if (!naming.up.empty()) into.bias_up = lookup(tensors, prefix + std::string(naming.up) + ".bias");
  into.bias_down = lookup(tensors, prefix + std::string(naming.down) + ".bias");
  for (const located_tensor* bias : {&into.bias_gate, &into.bias_up, &into.bias_down})
    if (bias->tensor != nullptr)
      if (status s = check_type(*bias); !s.ok()) return s;
  const auto missing_bias = [&](std::string_view linear, const std::string& why) {
    return bad(path + ": tensor '" + prefix + std::string(linear) + ".bias' is missing; " + why);
  };
  if (config.mlp_bias && into.bias_gate.tensor == nullptr) return missing_bias(naming.gate, "config.json says mlp_bias");
  if (config.mlp_bias && into.bias_down.tensor == nullptr) return missing_bias(naming.down, "config.json says mlp_bias");
  if (!naming.up.empty() && (into.bias_gate.tensor == nullptr) != (into.bias_up.tensor == nullptr))
    return missing_bias(into.bias_gate.tensor == nullptr ? naming.gate : naming.up, "its other half has one, and both or neither is allowed");
  return {};
}

status check_shapes(const layer_tensors& t, const model_config& config, mlp_layer& layer) {
  const auto& gate = t.gate.tensor->shape;
  const bool stacked = t.up.tensor == nullptr;
  if (gate.size() != 2 || gate[0] == 0 || gate[1] == 0)
    return bad(named(t.gate) + " has shape " + describe_shape(gate) + "; allowed is [outputs, inputs], both above 0");
  if (stacked && gate[0] % 2)
    return bad(named(t.gate) + " has shape " + describe_shape(gate) + "; allowed is an even number of rows: those of gate and of up");
  layer.n = stacked ? gate[0] / 2 : gate[0];
  layer.k = gate[1];
  if (config.hidden_size && layer.k != config.hidden_size)
    return bad(named(t.gate) + " has shape " + describe_shape(gate) + "; allowed are " + std::to_string(config.hidden_size) +
               " columns, the hidden_size of " + config.path);
  if (config.intermediate_size && layer.n != config.intermediate_size)
    return bad(named(t.gate) + " has shape " + describe_shape(gate) + "; allowed are " +
               std::to_string(config.intermediate_size * (stacked ? 2 : 1)) + " rows, from the intermediate_size " +
               std::to_string(config.intermediate_size) + " of " + config.path);
  if (!stacked)
    if (status s = check_shape(t.up, gate, "that of the gate"); !s.ok()) return s;
  const auto& down = t.down.tensor->shape;
  layer.out = down.empty() ? 0 : down[0];
  if (status s = check_shape(t.down, {config.hidden_size ? config.hidden_size : layer.out, layer.n}, "[hidden size, intermediate size]"); !s.ok())
    return s;
  if (t.bias_gate.tensor)
    if (status s = check_shape(t.bias_gate, {gate[0]}, "one number per output"); !s.ok()) return s;
  if (t.bias_up.tensor)
    if (status s = check_shape(t.bias_up, {layer.n}, "one number per output"); !s.ok()) return s;
  if (t.bias_down.tensor)
    if (status s = check_shape(t.bias_down, {layer.out}, "one number per output"); !s.ok()) return s;
  return {};
}

}  // namespace

result<described_layer> describe_layer(const found_mlp& found, const tensor_index& tensors, const model_config& config, const std::string& path) {
  described_layer described;
  mlp_layer& layer = described.layer;
  layer_tensors& t = described.tensors;
  if (status s = find_tensors(found, tensors, config, path, t); !s.ok()) return s;
  if (status s = check_shapes(t, config, layer); !s.ok()) return s;
  layer.index = found.index;
  layer.module = found.module;
  layer.layout = found.naming->layout;
  layer.act = *config.act;
  layer.bias = t.bias_gate.tensor != nullptr;
  layer.down_bias = t.bias_down.tensor != nullptr;
  // F32 becomes bf16, which keeps its range, unless a companion is fp16 already.
  for (const located_tensor* w : {&t.gate, &t.up, &t.down, &t.bias_gate, &t.bias_up, &t.bias_down}) {
    if (w->tensor == nullptr) continue;
    if (w->tensor->type == "F16") layer.type = dtype::fp16;
    if (w->tensor->type == "F32") layer.converted = true;
  }
  for (const located_tensor* w : {&t.gate, &t.up, &t.down, &t.bias_gate, &t.bias_up, &t.bias_down})
    if (w->tensor != nullptr && layer.type == dtype::fp16 && w->tensor->type == "BF16")
      return status(status_code::unsupported,
                    named(*w) + " has dtype BF16, and others of layer " + std::to_string(layer.index) + " have F16; allowed is one type per layer");
  return described;
}

result<mlp_weights> load_layer(const mlp_layer& layer, const layer_tensors& tensors, owned_copies& copies) {
  const auto load = [&](const located_tensor& t, const std::uint16_t*& into) -> status {
    into = nullptr;
    if (t.tensor == nullptr) return {};
    auto elements = load_tensor(*t.tensor, layer.type, *t.file, copies);
    if (!elements) return elements.error();
    into = *elements;
    return {};
  };
  const std::uint16_t *gate, *up, *down, *bias_gate, *bias_up, *bias_down;
  if (status s = load(tensors.gate, gate); !s.ok()) return s;
  if (status s = load(tensors.up, up); !s.ok()) return s;
  if (status s = load(tensors.down, down); !s.ok()) return s;
  if (status s = load(tensors.bias_gate, bias_gate); !s.ok()) return s;
  if (status s = load(tensors.bias_up, bias_up); !s.ok()) return s;
  if (status s = load(tensors.bias_down, bias_down); !s.ok()) return s;

  mlp_weights loaded;
  switch (layer.layout) {
    case weight_layout::separate: loaded.w = gate_up_weights::separate(gate, up); break;
    case weight_layout::stacked_gate_up: loaded.w = gate_up_weights::stacked_gate_up(gate); break;
    case weight_layout::stacked_up_gate: loaded.w = gate_up_weights::stacked_up_gate(gate); break;
    case weight_layout::interleaved: loaded.w = gate_up_weights::interleaved(gate); break;
  }
  loaded.down = down;
  loaded.bias_gate = bias_gate;
  loaded.bias_up = bias_up;
  if (bias_gate && !bias_up) {  // one bias for both halves, ordered as the rows of the one matrix
    const layout::halves both = layout::resolve(layer.layout, bias_gate, nullptr, layer.n, 1);
    const auto copy_of = [&](const std::uint16_t* half) {
      std::vector<std::uint16_t> dense(static_cast<std::size_t>(layer.n));
      for (std::int64_t j = 0; j < layer.n; ++j) dense[static_cast<std::size_t>(j)] = half[j * both.row_stride];
      copies.push_back(std::move(dense));
      return copies.back().data();
    };
    loaded.bias_gate = copy_of(both.gate);
    loaded.bias_up = copy_of(both.up);
  }
  loaded.bias_down = bias_down;
  return loaded;
}

}  // namespace tileglu::weights
