#include "weights/config.hpp"

#include <algorithm>
#include <array>

#include "weights/json.hpp"

namespace tileglu {
namespace {

struct named_activation {
  std::string_view name;
  activation_kind kind;
};

constexpr std::array activations = {
    named_activation{"silu", activation_kind::silu},
    named_activation{"swish", activation_kind::silu},
    named_activation{"gelu", activation_kind::gelu_erf},
    named_activation{"gelu_python", activation_kind::gelu_erf},
    named_activation{"gelu_erf", activation_kind::gelu_erf},
    named_activation{"gelu_pytorch_tanh", activation_kind::gelu_tanh},
    named_activation{"gelu_python_tanh", activation_kind::gelu_tanh},
    named_activation{"gelu_new", activation_kind::gelu_tanh},
    named_activation{"gelu_fast", activation_kind::gelu_tanh},
    named_activation{"gelu_tanh", activation_kind::gelu_tanh},
    named_activation{"relu", activation_kind::relu},
    named_activation{"sigmoid", activation_kind::sigmoid},
    named_activation{"linear", activation_kind::identity},
    named_activation{"identity", activation_kind::identity},
};

/// Models whose MLP carries usual names and another formula (transformers 5.17, the model's modeling file).
struct other_formula {
  std::string_view model_type, why;
};

constexpr std::array other_formulas = {
    other_formula{"gpt_oss", "it is a mixture of experts with interleaved, clamped gates"},
    other_formula{"gemma3n_text", "its gates are cut to their largest few (activation_sparsity_pattern)"},
    other_formula{"gemma3n", "its gates are cut to their largest few (activation_sparsity_pattern)"},
    other_formula{"deepseek_v4", "it clamps gate and up before the activation"},
    other_formula{"glm5_next", "it clamps gate and up before the activation"},
    other_formula{"step3p7", "it clamps after the activation"},
    other_formula{"minimax_m3_vl", "it clamps and adds 1 to up"},
    other_formula{"inkling", "it scales the output"},
    other_formula{"bitnet", "it squares its activation and norms before the down projection"},
    other_formula{"zamba2", "it adds an adapter per call"},
};

using nlohmann::json;

constexpr std::size_t largest_config = 16u << 20;

status bad_value(const std::string& path, const char* key, const json& value, const char* allowed) {
  return {status_code::bad_file, path + ": " + key + " is " + value.dump().substr(0, 60) + "; allowed is " + allowed};
}

/// A size, where the key is there. A list (one size a layer) says nothing that holds for all.
status read_size(const std::string& path, const json& object, const char* key, std::int64_t& into) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null() || found->is_array()) return {};
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() == 0 || found->get<std::uint64_t>() > (1u << 30))
    return bad_value(path, key, *found, "a whole number from 1 to 2^30");
  into = found->get<std::int64_t>();
  return {};
}

status refuse_experts(const std::string& path, const json& object) {
  for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number() && found->get<double>() > 1)
      return {status_code::unsupported,
              path + ": " + key + " is " + found->dump() + ": a mixture of experts; allowed are models with one dense gated MLP per layer"};
  }
  return {};
}

status refuse_other_formula(const std::string& path, const model_config& config, const json& object) {
  for (const other_formula& known : other_formulas)
    if (config.model_type == known.model_type)
      return {status_code::unsupported, path + ": model_type is " + config.model_type + ": " + std::string(known.why) +
                                            "; allowed are models whose MLP is down(act(gate(x)) * up(x))"};
  const auto multipliers = object.find("mlp_multipliers");
  if (multipliers != object.end() && *multipliers != json::array({1, 1}) && *multipliers != json::array({1.0, 1.0}))
    return {status_code::unsupported, path + ": mlp_multipliers is " + multipliers->dump() + "; allowed is [1, 1]: the MLP is computed without them"};
  if (object.contains("quantization_config") && !object["quantization_config"].is_null())
    return {status_code::unsupported, path + ": quantization_config is there: quantised weights; allowed are BF16, F16 and F32"};
  return {};
}

/// The key that transformers reads: hidden_activation before hidden_act (Gemma keeps both, and means the first).
status read_activation(const std::string& path, const json& object, model_config& config) {
  for (const char* key : {"hidden_activation", "hidden_act", "activation_function"}) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) continue;
    if (!found->is_string()) return bad_value(path, key, *found, "a string");
    config.act_name = found->get<std::string>();
    // The first Gemma's hidden_act "gelu" is a slip that transformers corrects.
    if (config.model_type == "gemma" && std::string_view(key) == "hidden_act") config.act_name = "gelu_pytorch_tanh";
    return {};
  }
  return {};
}

}  // namespace

result<activation> hf_activation_by_name(std::string_view name) {
  for (const named_activation& known : activations)
    if (known.name == name) return activation{known.kind};
  std::string allowed;
  for (const named_activation& known : activations) allowed += (allowed.empty() ? "" : ", ") + std::string(known.name);
  return status(status_code::unsupported, "activation is '" + std::string(name) + "'; allowed are " + allowed);
}

namespace weights {

result<model_config> read_config(const std::string& path) try {
  const auto document = read_json(path, largest_config);
  if (!document) return document.error();
  if (!document->is_object()) return status(status_code::bad_file, path + ": not a JSON object");
  model_config config;
  config.path = path;
  // A model of several modes keeps its language model's values in text_config.
  const bool nested = document->contains("text_config") && (*document)["text_config"].is_object();
  const json& object = nested ? (*document)["text_config"] : *document;
  for (const json* holder : {static_cast<const json*>(&*document), &object})
    if (holder->contains("model_type") && (*holder)["model_type"].is_string()) config.model_type = (*holder)["model_type"].get<std::string>();

  for (const json* holder : {static_cast<const json*>(&*document), &object})
    if (status s = refuse_other_formula(path, config, *holder); !s.ok()) return s;
  if (status s = refuse_experts(path, object); !s.ok()) return s;
  if (status s = read_size(path, object, "hidden_size", config.hidden_size); !s.ok()) return s;
  if (status s = read_size(path, object, "num_hidden_layers", config.num_hidden_layers); !s.ok()) return s;
  // lfm2 derives another size from its intermediate_size (block_auto_adjust_ff_dim).
  if (const auto adjusted = object.find("block_auto_adjust_ff_dim"); adjusted == object.end() || *adjusted != true)
    if (status s = read_size(path, object, "intermediate_size", config.intermediate_size); !s.ok()) return s;
  if (const auto bias = object.find("mlp_bias"); bias != object.end() && bias->is_boolean()) config.mlp_bias = bias->get<bool>();
  if (status s = read_activation(path, object, config); !s.ok()) return s;
  return config;
} catch (const json::exception& e) {
  return status(status_code::bad_file, path + ": " + e.what());
}

}  // namespace weights
}  // namespace tileglu
