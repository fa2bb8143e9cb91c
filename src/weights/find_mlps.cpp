#include "weights/find_mlps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>

namespace tileglu::weights {
namespace {

constexpr std::array namings = {
    mlp_naming{"gate_proj", "up_proj", "down_proj"},
    mlp_naming{"gate_up_proj", "", "down_proj", weight_layout::stacked_gate_up},
    mlp_naming{"w1", "w3", "w2", weight_layout::separate, true},                     // Llama's own names
    mlp_naming{"up_gate_proj", "", "down_proj", weight_layout::stacked_up_gate},     // as `tileglu pack` names it
    mlp_naming{"gate_up_interleaved", "", "down_proj", weight_layout::interleaved},  // as `tileglu pack` names it
};

std::string looked_for() {
  std::string text;
  for (const mlp_naming& n : namings) {
    text += text.empty() ? "" : ", or ";
    text += std::string(n.gate) + " / " + (n.up.empty() ? "" : std::string(n.up) + " / ") + std::string(n.down);
  }
  return text + " (each with .weight, under any prefix with a layer's number)";
}

std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dot = path.find('.');
    parts.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 6 && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// A module's path without its last number, and the number; 0 where there is none.
std::pair<std::string, int> family_of(const std::string& module) {
  auto parts = components(module);
  int index = 0;
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (!is_number(parts[i])) continue;
    index = std::stoi(std::string(parts[i]));
    parts[i] = "*";
    break;
  }
  std::string family;
  for (const std::string_view part : parts) family += (family.empty() ? "" : ".") + std::string(part);
  return {family, index};
}

struct family {
  std::vector<found_mlp> members;
  std::int64_t hidden = -1;  ///< columns of a gate
};

bool has_linear(const tensor_index& tensors, const std::string& module, std::string_view linear) {
  const std::string prefix = module.empty() ? "" : module + ".";
  return tensors.contains(prefix + std::string(linear) + ".weight");
}

/// Linears of `naming` that `module` has. Two of three are an MLP with one missing; one alone is something else's name.
int linears_present(const tensor_index& tensors, const std::string& module, const mlp_naming& naming) {
  return has_linear(tensors, module, naming.gate) + (!naming.up.empty() && has_linear(tensors, module, naming.up)) +
         has_linear(tensors, module, naming.down);
}

bool is_known_linear(std::string_view leaf) {
  return std::ranges::any_of(namings, [&](const mlp_naming& n) { return leaf == n.gate || leaf == n.up || leaf == n.down; });
}

status refuse_experts_and_quantised(const tensor_index& tensors, const std::string& path) {
  for (const auto& [name, where] : tensors) {
    const auto parts = components(name);
    const bool known = std::ranges::any_of(parts, is_known_linear);
    if (known && std::ranges::find(parts, "experts") != parts.end())
      return {status_code::unsupported,
              path + ": tensor '" + name + "' belongs to a mixture of experts; allowed are models with one dense gated MLP per layer"};
    for (const char* quantised : {"qweight", "weight_packed", "weight_scale", "weight_scale_inv", "qzeros"})
      if (known && parts.back() == quantised)
        return {status_code::unsupported,
                path + ": tensor '" + name + "' belongs to quantised weights; allowed are plain .weight tensors of BF16, F16 or F32"};
  }
  return {};
}

bool is_a_tower(std::string_view name) {
  return std::ranges::any_of(std::array{"vision", "visual", "audio", "image", "speech"},
                             [&](const char* word) { return name.find(word) != std::string_view::npos; });
}

std::map<std::string, family> families_of(const tensor_index& tensors) {
  std::set<std::string> modules;
  for (const auto& [name, where] : tensors) {
    constexpr std::string_view suffix = ".weight";
    if (!name.ends_with(suffix)) continue;
    const std::string linear = name.substr(0, name.size() - suffix.size());
    const std::size_t dot = linear.rfind('.');
    if (is_known_linear(dot == std::string::npos ? linear : linear.substr(dot + 1)))
      modules.insert(dot == std::string::npos ? "" : linear.substr(0, dot));
  }
  std::map<std::string, family> families;
  for (const std::string& module : modules) {
    const mlp_naming* best = nullptr;
    for (const mlp_naming& naming : namings)
      if (best == nullptr || linears_present(tensors, module, naming) > linears_present(tensors, module, *best)) best = &naming;
    // gate_up_proj / down_proj have two linears: either alone may be an MLP with the other missing.
    const int least = best->up.empty() ? 1 : 2;
    if (linears_present(tensors, module, *best) < least) continue;
    const auto [around, index] = family_of(module);
    family& group = families[around];
    group.members.push_back({index, module, best});
    const auto gate = tensors.find((module.empty() ? "" : module + ".") + std::string(best->gate) + ".weight");
    if (gate != tensors.end() && gate->second.tensor->shape.size() == 2) group.hidden = gate->second.tensor->shape[1];
  }
  return families;
}

}  // namespace

std::span<const mlp_naming> known_namings() { return namings; }

result<found_mlps> find_mlps(const tensor_index& tensors, std::int64_t hidden_size, const std::string& path) {
  if (status s = refuse_experts_and_quantised(tensors, path); !s.ok()) return s;
  const auto families = families_of(tensors);
  if (families.empty()) {
    std::string text = path + ": no gated MLP was found among " + std::to_string(tensors.size()) + " tensors; looked for " + looked_for();
    int shown = 0;
    for (const auto& [name, where] : tensors)
      if (shown++ < 4) text += (shown == 1 ? "; there are " : ", ") + name;
    if (shown > 4) text += ", ...";
    return status(status_code::unsupported, text);
  }
  const auto rank = [&](const auto& entry) {
    return std::tuple(hidden_size == 0 || entry.second.hidden == hidden_size, !is_a_tower(entry.first), entry.second.members.size());
  };
  const auto best = std::ranges::max_element(families, {}, rank);
  found_mlps found;
  found.chosen = best->second.members;
  std::ranges::sort(found.chosen, {}, &found_mlp::index);
  for (auto other = families.begin(); other != families.end(); ++other)
    if (other != best) found.left_alone.push_back(other->first + " (" + std::to_string(other->second.members.size()) + ")");
  return found;
}

}  // namespace tileglu::weights
