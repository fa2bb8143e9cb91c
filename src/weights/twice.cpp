#include "weights/twice.hpp"

#include <array>
#include <cstring>

#include "layout/pairing.hpp"
#include "weights/element_types.hpp"

namespace tileglu::weights {
namespace {

/// Gate and up matrices, or their biases, of one naming.
struct pair_of {
  weight_layout layout;
  located_tensor first, second;  ///< second is null where the two are one tensor

  const located_tensor& of(bool up) const { return up && second.tensor ? second : first; }
  const char* row(std::int64_t n, std::int64_t j, bool up, std::size_t row_bytes) const {
    return static_cast<const char*>(of(up).tensor->data) + static_cast<std::size_t>(layout::weight_row(layout, n, j, up)) * row_bytes;
  }
};

located_tensor lookup(const tensor_index& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? located_tensor{} : found->second;
}

std::string words_of(const mlp_naming& n) { return std::string(n.gate) + (n.up.empty() ? "" : " / " + std::string(n.up)); }

/// The first tensors of `a` and `b` that differ, or two nulls.
std::pair<const stored_tensor*, const stored_tensor*> difference(const pair_of& a, const pair_of& b, std::int64_t n) {
  const std::size_t row_bytes = a.first.tensor->bytes / static_cast<std::size_t>(a.second.tensor ? n : 2 * n);
  for (const bool up : {false, true}) {
    const stored_tensor *one = a.of(up).tensor, *two = b.of(up).tensor;
    const std::size_t whole = static_cast<std::size_t>(b.second.tensor ? n : 2 * n) * row_bytes;
    bool same = one->type == two->type && two->bytes == whole;
    for (std::int64_t j = 0; j < n && same; ++j) same = std::memcmp(a.row(n, j, up, row_bytes), b.row(n, j, up, row_bytes), row_bytes) == 0;
    if (!same) return {one, two};
  }
  return {};
}

}  // namespace

result<second_copy> find_second_copy(const found_mlp& found, const tensor_index& tensors, const described_layer& taken) {
  const std::string prefix = found.module.empty() ? "" : found.module + ".";
  const layer_tensors& t = taken.tensors;
  second_copy copy;
  for (const mlp_naming& other : known_namings()) {
    if (&other == found.naming) continue;
    const auto in_other = [&](std::string_view linear, const char* suffix) { return lookup(tensors, prefix + std::string(linear) + suffix); };
    const pair_of weights{other.layout, in_other(other.gate, ".weight"), other.up.empty() ? located_tensor{} : in_other(other.up, ".weight")};
    if (weights.first.tensor == nullptr || (!other.up.empty() && weights.second.tensor == nullptr)) continue;
    auto differ = difference({taken.layer.layout, t.gate, t.up}, weights, taken.layer.n);
    const pair_of biases{other.layout, in_other(other.gate, ".bias"), other.up.empty() ? located_tensor{} : in_other(other.up, ".bias")};
    const bool both_biased = t.bias_gate.tensor && biases.first.tensor && (other.up.empty() || biases.second.tensor);
    if (differ.first == nullptr && both_biased) differ = difference({taken.layer.layout, t.bias_gate, t.bias_up}, biases, taken.layer.n);
    const located_tensor down = in_other(other.down, ".weight");
    if (differ.first == nullptr && down.tensor && down.tensor != t.down.tensor &&
        (down.tensor->type != t.down.tensor->type || down.tensor->bytes != t.down.tensor->bytes ||
         std::memcmp(down.tensor->data, t.down.tensor->data, down.tensor->bytes) != 0))
      differ = {t.down.tensor, down.tensor};
    if (differ.first != nullptr)
      return status(status_code::bad_file, *t.gate.file + ": layer " + std::to_string(found.index) + " is there twice, as " +
                                               words_of(*found.naming) + " and as " + words_of(other) + ", and tensor '" + differ.first->name +
                                               "' differs from '" + differ.second->name +
                                               "'; allowed is one of the two, or two with the same bits");
    for (const located_tensor& one : {weights.first, weights.second, biases.first, biases.second, down})
      if (one.tensor && one.tensor != t.down.tensor) copy.tensors.push_back(one.tensor);
    copy.names = words_of(*found.naming) + " and " + words_of(other);
  }
  return copy;
}

}  // namespace tileglu::weights
