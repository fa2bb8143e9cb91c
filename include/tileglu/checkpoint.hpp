// The gated MLPs of a Hugging Face checkpoint: one safetensors file, or shards with their index, and config.json beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tileglu/export.h"
#include "tileglu/mlp.hpp"
#include "tileglu/problem.hpp"
#include "tileglu/run.hpp"
#include "tileglu/safetensors.hpp"
#include "tileglu/status.hpp"

namespace tileglu {

/// The activation that a config.json means: silu, swish, gelu, gelu_pytorch_tanh, gelu_new, gelu_fast, relu, sigmoid, linear, or
/// one of tileglu's own names but gpt_oss. The error lists them. (transformers, src/transformers/activations.py, ACT2CLS.)
TILEGLU_API result<activation> hf_activation_by_name(std::string_view name);

/// What config.json says; 0 or empty where it says nothing.
struct model_config {
  std::string path;  ///< empty: there is no config.json
  std::string model_type;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::string act_name;           ///< as config.json spells it
  std::optional<activation> act;  ///< empty: neither config.json nor the options say
  bool mlp_bias = false;
};

struct checkpoint_options {
  std::optional<activation> act;  ///< in place of config.json's
};

/// One gated MLP of a checkpoint: its place, its shape and how its weights are stored.
struct mlp_layer {
  int index = 0;         ///< the number in its name
  std::string module;    ///< "model.layers.3.mlp"
  std::int64_t n = 0;    ///< intermediate size
  std::int64_t k = 0;    ///< hidden size
  std::int64_t out = 0;  ///< rows of the down projection
  dtype type = dtype::bf16;
  weight_layout layout = weight_layout::separate;
  activation act = {};
  bool bias = false;  ///< on gate and up
  bool down_bias = false;
  bool converted = false;  ///< some tensor is stored as F32 and is rounded to `type` when it is loaded
};

/// The gated product, and the whole MLP, of m rows of activations through `layer`.
TILEGLU_API problem gated_problem(const mlp_layer& layer, std::int64_t m);
TILEGLU_API mlp_problem whole_mlp_problem(const mlp_layer& layer, std::int64_t m);

/// The weights of one layer in host memory: views of the mapped file, or rounded copies. Keeps what it points to alive.
struct mlp_weights {
  gate_up_weights w = gate_up_weights::separate(nullptr, nullptr);
  const void* down = nullptr;       ///< [out, n]
  const void* bias_gate = nullptr;  ///< [n], or null
  const void* bias_up = nullptr;
  const void* bias_down = nullptr;  ///< [out], or null
  std::shared_ptr<const void> storage;
};

/// A checkpoint whose MLPs were found and whose shapes were checked. Copies share the mapped files.
class TILEGLU_API checkpoint {
 public:
  /// `path`: a folder (model.safetensors, model.safetensors.index.json, or its only *.safetensors), a safetensors file, or an
  /// index. Names that are known, under any prefix: gate_proj / up_proj / down_proj; gate_up_proj (gate first) / down_proj;
  /// w1 (gate) / w3 (up) / w2 (down); and what `tileglu pack` writes. Errors: io_error; bad_file (a missing or misshapen tensor, a
  /// layer that is there under two namings with different bits, an index that leaves a layer's tensor out, a wrong file; named);
  /// unsupported (an unknown architecture or activation, a mixture of experts, quantised weights; says what is allowed).
  static result<checkpoint> open(const std::string& path, const checkpoint_options& options = {});

  const std::string& path() const noexcept;
  std::string name() const;  ///< the folder's or the file's
  const model_config& config() const noexcept;
  const std::vector<mlp_layer>& layers() const noexcept;   ///< by index
  const std::vector<std::string>& notes() const noexcept;  ///< conversions, modules left alone

  /// Every tensor but the gate and up weights and biases of layers(), and copies of a layer under a second naming: what a repacked
  /// file keeps. Valid as long as *this.
  std::vector<stored_tensor> other_tensors() const;

  /// The weights of layers()[i]. Errors: bad_file where a tensor holds a NaN or an infinity (named, with its place).
  result<mlp_weights> load(std::size_t i) const;

 private:
  struct state;
  std::shared_ptr<const state> state_;
};

}  // namespace tileglu
