// The tensors of one MLP: found, measured against each other, and loaded.
#pragma once

#include "tileglu/checkpoint.hpp"
#include "weights/find_mlps.hpp"
#include "weights/load_tensor.hpp"

namespace tileglu::weights {

/// Null tensors are those that the layer has not.
struct layer_tensors {
  located_tensor gate, up, down;  ///< gate alone where the two are stacked
  located_tensor bias_gate, bias_up, bias_down;
};

struct described_layer {
  mlp_layer layer;
  layer_tensors tensors;
};

/// Errors: bad_file (a missing or misshapen tensor), unsupported (a dtype). `path` is for errors that no file can be blamed for.
result<described_layer> describe_layer(const found_mlp& found, const tensor_index& tensors, const model_config& config, const std::string& path);

/// All but `storage`.
result<mlp_weights> load_layer(const mlp_layer& layer, const layer_tensors& tensors, owned_copies& copies);

}  // namespace tileglu::weights
