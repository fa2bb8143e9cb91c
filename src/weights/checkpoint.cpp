// A checkpoint: its files, its config, and the MLPs that its names spell, with their shapes checked.
#include "tileglu/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "tileglu/safetensors.hpp"
#include "weights/config.hpp"
#include "weights/find_mlps.hpp"
#include "weights/json.hpp"
#include "weights/layer_tensors.hpp"
#include "weights/load_tensor.hpp"
#include "weights/twice.hpp"

namespace tileglu {

namespace fs = std::filesystem;

struct checkpoint::state {
  std::string path;
  model_config config;
  std::vector<tensor_file> files;
  weights::tensor_index tensors;
  std::vector<mlp_layer> layers;
  std::vector<weights::layer_tensors> sources;  // of layers
  std::set<const stored_tensor*> copies;        // of what `sources` name, under another naming
  std::vector<std::string> notes;
};

namespace {

constexpr std::size_t largest_index = 256u << 20;

/// What to open: the files with their tensors, and the folder that may hold config.json.
struct file_set {
  fs::path folder;
  fs::path single;  ///< one safetensors file, or
  fs::path index;   ///< the index of several
};

result<file_set> choose_files(const std::string& path) {
  std::error_code ignored;
  const fs::path given(path);
  if (!fs::exists(given, ignored)) return status(status_code::io_error, "cannot open " + path + ": there is no such file or folder");
  if (!fs::is_directory(given, ignored)) {
    const fs::path folder = given.has_parent_path() ? given.parent_path() : fs::path(".");
    if (given.extension() == ".json") return file_set{folder, {}, given};
    return file_set{folder, given, {}};
  }
  if (fs::exists(given / "model.safetensors", ignored)) return file_set{given, given / "model.safetensors", {}};
  if (fs::exists(given / "model.safetensors.index.json", ignored)) return file_set{given, {}, given / "model.safetensors.index.json"};
  std::vector<fs::path> all;
  std::error_code unreadable;
  for (fs::directory_iterator entry(given, unreadable), end; !unreadable && entry != end; entry.increment(unreadable))
    if (entry->path().extension() == ".safetensors") all.push_back(entry->path());
  if (unreadable) return status(status_code::io_error, "cannot open " + path + ": " + unreadable.message());
  if (all.size() == 1) return file_set{given, all.front(), {}};
  return status(status_code::bad_file, path + ": holds " + std::to_string(all.size()) +
                                           " safetensors files; looked for model.safetensors, model.safetensors.index.json, or one *.safetensors");
}

status add_file(const std::string& path, std::vector<tensor_file>& files) {
  auto file = tensor_file::open(path);
  if (!file) return file.error();
  files.push_back(std::move(*file));
  return {};
}

/// Opens the shards that an index names, and checks that each holds what the index says; `named` are the index's tensors.
status open_shards(const fs::path& index, std::vector<tensor_file>& files, std::set<std::string, std::less<>>& named) try {
  const auto document = weights::read_json(index.string(), largest_index);
  if (!document) return document.error();
  const auto refuse = [&](const std::string& text) { return status(status_code::bad_file, index.string() + ": " + text); };
  if (!document->is_object() || !document->contains("weight_map") || !(*document)["weight_map"].is_object())
    return refuse("weight_map is missing; allowed is an object of tensor name to file name");
  std::map<std::string, std::vector<std::string>> shards;
  for (const auto& [tensor, file] : (*document)["weight_map"].items()) {
    if (!file.is_string()) return refuse("tensor '" + tensor + "' maps to " + file.dump().substr(0, 60) + "; allowed is a file name");
    const auto name = file.get<std::string>();
    if (name.empty() || name.find('/') != std::string::npos || name.find('\0') != std::string::npos || name == "..")
      return refuse("tensor '" + tensor + "' maps to '" + name + "'; allowed is the plain name of a file beside the index");
    shards[name].push_back(tensor);
    named.insert(tensor);
  }
  if (shards.empty()) return refuse("weight_map is empty");
  for (const auto& [name, tensors] : shards) {
    const std::string path = (index.parent_path() / name).string();
    if (status s = add_file(path, files); !s.ok()) return {s.code(), s.text() + " (named by " + index.string() + ")"};
    for (const std::string& tensor : tensors)
      if (files.back().find(tensor) == nullptr) return refuse("tensor '" + tensor + "' is said to be in " + name + ", which lacks it");
  }
  return {};
} catch (const nlohmann::json::exception& e) {
  return {status_code::bad_file, index.string() + ": " + e.what()};
}

status index_tensors(const std::vector<tensor_file>& files, weights::tensor_index& tensors) {
  for (const tensor_file& file : files)
    for (const stored_tensor& tensor : file.tensors())
      if (const auto [there, fresh] = tensors.try_emplace(tensor.name, weights::located_tensor{&tensor, &file.path()}); !fresh)
        return {status_code::bad_file,
                "tensor '" + tensor.name + "' is in " + *there->second.file + " and in " + file.path() + "; allowed is one file"};
  return {};
}

/// An index that leaves out tensors of its shards: one of an MLP is an error, for it may be a shard of another model; others are noted.
status check_index(const fs::path& index, const std::set<std::string, std::less<>>& named, const weights::tensor_index& tensors,
                   const std::vector<weights::layer_tensors>& layers, std::vector<std::string>& notes) {
  for (const weights::layer_tensors& t : layers)
    for (const weights::located_tensor* used : {&t.gate, &t.up, &t.down, &t.bias_gate, &t.bias_up, &t.bias_down})
      if (used->tensor != nullptr && !named.contains(used->tensor->name))
        return {status_code::bad_file, index.string() + ": weight_map does not name tensor '" + used->tensor->name + "', which " + *used->file +
                                           " holds; allowed is an index that names every tensor of its shards"};
  std::size_t unnamed = 0;
  std::string first;
  for (const auto& [name, where] : tensors)
    if (!named.contains(name) && unnamed++ == 0) first = name;
  if (unnamed > 0)
    notes.push_back(std::to_string(unnamed) + " tensors of the shards are not named by " + index.string() + ", '" + first + "' among them");
  return {};
}

/// The activation: the caller's, config.json's, or what the names mean by definition.
status settle_activation(const checkpoint_options& options, const weights::mlp_naming& naming, const std::vector<tensor_file>& files,
                         const std::string& path, model_config& config, std::vector<std::string>& notes) {
  if (options.act) {
    config.act = options.act;
    return {};
  }
  if (!config.act_name.empty()) {
    const auto act = hf_activation_by_name(config.act_name);
    if (!act) return {act.error().code(), config.path + ": " + act.error().text()};
    config.act = *act;
    return {};
  }
  // tileglu pack writes the activation into the file.
  for (const tensor_file& file : files) {
    const auto said = file.metadata().find("tileglu.activation");
    if (said == file.metadata().end()) continue;
    const auto act = hf_activation_by_name(said->second);
    if (!act) return {act.error().code(), file.path() + ": __metadata__ tileglu.activation: " + act.error().text()};
    config.act = *act;
    return {};
  }
  if (naming.silu_by_definition) {
    config.act = activation{activation_kind::silu};
    notes.push_back("no config.json says the activation; silu, as models with these names (w1, w3, w2) have it");
    return {};
  }
  return {status_code::bad_file,
          config.path.empty()
              ? path + ": the activation is not known: there is no config.json beside it; add one with hidden_act, or name the activation"
              : config.path + ": hidden_act (or hidden_activation) is missing; add it, or name the activation"};
}

/// Every layer that config.json counts must have been found.
status check_count(const std::vector<weights::found_mlp>& found, const model_config& config, const std::string& path) {
  const auto expected = static_cast<std::size_t>(config.num_hidden_layers ? config.num_hidden_layers : found.back().index + 1);
  std::set<int> present;
  for (const weights::found_mlp& mlp : found) present.insert(mlp.index);
  for (std::size_t i = 0; i < expected; ++i) {
    if (present.contains(static_cast<int>(i))) continue;
    std::string module = found.front().module;
    const std::string number = std::to_string(found.front().index);
    if (const auto place = module.rfind("." + number + "."); place != std::string::npos) module.replace(place + 1, number.size(), std::to_string(i));
    return {status_code::bad_file, path + ": layer " + std::to_string(i) + " of " + std::to_string(expected) + " has no gated MLP: tensor '" +
                                       module + "." + std::string(found.front().naming->gate) + ".weight' and its companions are missing"};
  }
  if (present.size() != found.size()) return {status_code::bad_file, path + ": two MLPs have the same layer number under " + found.front().module};
  if (found.size() > expected)
    return {status_code::bad_file, path + ": holds " + std::to_string(found.size()) + " layers, but num_hidden_layers in " + config.path + " is " +
                                       std::to_string(expected)};
  return {};
}

}  // namespace

result<checkpoint> checkpoint::open(const std::string& path, const checkpoint_options& options) {
  const auto set = choose_files(path);
  if (!set) return set.error();
  auto made = std::make_shared<state>();
  made->path = path;
  std::error_code ignored;
  if (const fs::path config = set->folder / "config.json"; fs::exists(config, ignored)) {
    auto read = weights::read_config(config.string());
    if (!read) return read.error();
    made->config = std::move(*read);
  }
  std::set<std::string, std::less<>> named;
  if (status s = set->index.empty() ? add_file(set->single.string(), made->files) : open_shards(set->index, made->files, named); !s.ok()) return s;
  if (status s = index_tensors(made->files, made->tensors); !s.ok()) return s;
  const auto found = weights::find_mlps(made->tensors, made->config.hidden_size, path);
  if (!found) return found.error();
  for (const std::string& other : found->left_alone) made->notes.push_back("other MLPs are left alone: " + other);
  if (status s = check_count(found->chosen, made->config, path); !s.ok()) return s;
  if (status s = settle_activation(options, *found->chosen.front().naming, made->files, path, made->config, made->notes); !s.ok()) return s;

  int converted = 0, twice = 0;
  std::string twice_as;
  for (const weights::found_mlp& mlp : found->chosen) {
    auto described = weights::describe_layer(mlp, made->tensors, made->config, path);
    if (!described) return described.error();
    const auto copy = weights::find_second_copy(mlp, made->tensors, *described);
    if (!copy) return copy.error();
    made->copies.insert(copy->tensors.begin(), copy->tensors.end());
    if (!copy->tensors.empty() && twice++ == 0) twice_as = copy->names;
    converted += described->layer.converted;
    made->layers.push_back(std::move(described->layer));
    made->sources.push_back(described->tensors);
  }
  if (!set->index.empty())
    if (status s = check_index(set->index, named, made->tensors, made->sources, made->notes); !s.ok()) return s;
  if (twice > 0)
    made->notes.push_back(std::to_string(twice) + " layers are there twice, as " + twice_as + ", with the same bits; the first is read");
  if (converted > 0)
    made->notes.push_back(std::to_string(converted) + " layers hold F32 tensors, which are rounded to " +
                          std::string(tileglu::name(made->layers.front().type)) + " when loaded");
  checkpoint opened;
  opened.state_ = std::move(made);
  return opened;
}

const std::string& checkpoint::path() const noexcept { return state_->path; }
const model_config& checkpoint::config() const noexcept { return state_->config; }
const std::vector<mlp_layer>& checkpoint::layers() const noexcept { return state_->layers; }
const std::vector<std::string>& checkpoint::notes() const noexcept { return state_->notes; }

std::string checkpoint::name() const {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(state_->path, ignored).lexically_normal();
  const fs::path last = absolute.has_filename() ? absolute : absolute.parent_path();
  return (last.filename() == "model.safetensors" || last.extension() == ".json" ? last.parent_path() : last).filename().string();
}

std::vector<stored_tensor> checkpoint::other_tensors() const {
  std::set<const stored_tensor*> gates_and_ups;
  for (const weights::layer_tensors& t : state_->sources) gates_and_ups.insert({t.gate.tensor, t.up.tensor, t.bias_gate.tensor, t.bias_up.tensor});
  std::vector<stored_tensor> others;
  for (const auto& [name, where] : state_->tensors)
    if (!gates_and_ups.contains(where.tensor) && !state_->copies.contains(where.tensor)) others.push_back(*where.tensor);
  return others;
}

result<mlp_weights> checkpoint::load(std::size_t i) const {
  if (i >= state_->layers.size())
    return status(status_code::invalid_argument, "layer is " + std::to_string(i) + "; allowed are 0 to " + std::to_string(state_->layers.size() - 1));
  struct kept {
    std::shared_ptr<const state> files;
    weights::owned_copies copies;
  };
  auto storage = std::make_shared<kept>();
  storage->files = state_;
  auto loaded = weights::load_layer(state_->layers[i], state_->sources[i], storage->copies);
  if (loaded) loaded->storage = std::move(storage);
  return loaded;
}

problem gated_problem(const mlp_layer& layer, std::int64_t m) {
  problem p{.m = m, .n = layer.n, .k = layer.k};
  p.x_type = p.w_type = p.y_type = layer.type;
  p.layout = layer.layout;
  p.act = layer.act;
  p.bias = layer.bias;
  return p;
}

mlp_problem whole_mlp_problem(const mlp_layer& layer, std::int64_t m) {
  mlp_problem p;
  p.gate_up = gated_problem(layer, m);
  p.hidden_out = layer.out;
  p.down_bias = layer.down_bias;
  return p;
}

}  // namespace tileglu
