// Layers whose weights a checkpoint holds twice, under two namings.
#pragma once

#include <string>
#include <vector>

#include "weights/layer_tensors.hpp"

namespace tileglu::weights {

/// What a layer's module holds beside the tensors that were taken.
struct second_copy {
  std::vector<const stored_tensor*> tensors;  ///< empty: nothing, and so it should be
  std::string names;                          ///< of the two: "gate_proj / up_proj and gate_up_proj"
};

/// Compares another naming's whole set of tensors in the same module with those of `taken`. Errors: bad_file names two tensors that
/// differ, for nobody can say which one is meant.
result<second_copy> find_second_copy(const found_mlp& found, const tensor_index& tensors, const described_layer& taken);

}  // namespace tileglu::weights
