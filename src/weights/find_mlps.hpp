// Which tensors of a checkpoint are gated MLPs, by their names alone.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileglu/safetensors.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu::weights {

/// Every tensor of every file, by name; with the file that holds it.
struct located_tensor {
  const stored_tensor* tensor = nullptr;
  const std::string* file = nullptr;
};
using tensor_index = std::map<std::string, located_tensor, std::less<>>;

/// The names of the linears of a gated MLP; `up` is empty where gate and up are one matrix, named by `gate`.
struct mlp_naming {
  std::string_view gate, up, down;
  weight_layout layout = weight_layout::separate;
  bool silu_by_definition = false;  ///< where config.json is silent, the family means silu
};

/// Every naming that is known; a reference to one of these is its identity.
std::span<const mlp_naming> known_namings();

/// One MLP that was found, complete or not.
struct found_mlp {
  int index = 0;       ///< the last number of its path
  std::string module;  ///< "model.layers.3.mlp"
  const mlp_naming* naming = nullptr;
};

struct found_mlps {
  std::vector<found_mlp> chosen;        ///< by index
  std::vector<std::string> left_alone;  ///< other families of MLPs in the file: "vision_tower.layers.*.mlp (24)"
};

/// Groups the MLPs by the path around their number and chooses one group: that whose gate has `hidden_size` columns (0: any),
/// not of a vision or audio tower, with the most members. Errors: unsupported (nothing was found, and which names were looked
/// for; a mixture of experts; quantised weights).
result<found_mlps> find_mlps(const tensor_index& tensors, std::int64_t hidden_size, const std::string& path);

}  // namespace tileglu::weights
