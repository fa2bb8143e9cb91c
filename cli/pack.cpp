// tileglu pack: a checkpoint with its gate and up weights in another layout, and back.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <memory>

#include "console.hpp"
#include "option_checks.hpp"
#include "tileglu/tileglu.hpp"

namespace tileglu::cli {
namespace {

struct pack_command {
  std::string model = "models/smollm2-135m", layout, out;
  bool json = false;
};

/// The linears' names of a layout; checkpoint.hpp's reader knows them.
struct linear_names {
  const char* first;
  const char* second;  ///< null where there is one matrix
};

linear_names names_of(weight_layout layout) {
  switch (layout) {
    case weight_layout::separate: return {"gate_proj", "up_proj"};
    case weight_layout::stacked_gate_up: return {"gate_up_proj", nullptr};
    case weight_layout::stacked_up_gate: return {"up_gate_proj", nullptr};
    case weight_layout::interleaved: return {"gate_up_interleaved", nullptr};
  }
  return {nullptr, nullptr};
}

/// The tensors of the new file, and the memory of those that were packed.
struct packed_file {
  std::vector<stored_tensor> tensors;
  std::list<std::vector<std::uint16_t>> memory;

  void* add(const std::string& name, dtype type, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    memory.emplace_back(count);
    tensors.push_back({name, type == dtype::bf16 ? "BF16" : "F16", std::move(shape), memory.back().data(), count * size_of(type)});
    return memory.back().data();
  }
};

/// One pair of matrices [n, k] in its new layout; a bias is such a pair with k = 1.
status add_pair(packed_file& file, const mlp_layer& layer, const char* suffix, const gate_up_weights& from, weight_layout to, std::int64_t k,
                bool matrix) {
  const linear_names names = names_of(to);
  const std::string prefix = layer.module.empty() ? "" : layer.module + ".";
  const auto shape = [&](std::int64_t rows) { return matrix ? std::vector<std::int64_t>{rows, k} : std::vector<std::int64_t>{rows}; };
  packed_weights target{to};
  target.first = file.add(prefix + names.first + suffix, layer.type, shape(names.second ? layer.n : 2 * layer.n));
  if (names.second) target.second = file.add(prefix + names.second + suffix, layer.type, shape(layer.n));
  return pack(from, target, layer.n, k, this_cpu());
}

/// The down projection's name under another naming (w2) becomes down_proj, so that a reader finds the three together.
std::string renamed(const std::string& tensor, const checkpoint& model) {
  for (const mlp_layer& layer : model.layers())
    for (const char* suffix : {".weight", ".bias"})
      if (const std::string prefix = layer.module.empty() ? "" : layer.module + "."; tensor == prefix + "w2" + suffix)
        return prefix + "down_proj" + suffix;
  return tensor;
}

/// Where the file goes: `out` itself, or model.safetensors in it, with config.json beside it.
result<std::filesystem::path> target_of(const pack_command& c) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path out(c.out);
  const fs::path file = out.extension() == ".safetensors" ? out : out / "model.safetensors";
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  if (error) return status(status_code::io_error, "cannot write into " + file.parent_path().string() + ": " + error.message());
  if (fs::exists(file, error)) {
    const fs::path model(c.model), folder = fs::is_directory(model, error) ? model : model.parent_path();
    std::ifstream index(folder / "model.safetensors.index.json");
    const std::string shards((std::istreambuf_iterator<char>(index)), std::istreambuf_iterator<char>());
    const bool named = shards.find('"' + file.filename().string() + '"') != std::string::npos;
    const bool shard = named && fs::equivalent(folder / file.filename(), file, error);
    if (shard || fs::equivalent(model, file, error) || fs::equivalent(model / "model.safetensors", file, error))
      return status(status_code::invalid_argument, "--out is " + c.out + ", the model itself; allowed is another file");
  }
  return file;
}

status copy_config(const checkpoint& model, const std::filesystem::path& beside) {
  if (model.config().path.empty()) return {};
  std::error_code error;
  const auto target = beside.parent_path() / "config.json";
  if (std::filesystem::exists(target)) return {};
  std::filesystem::copy_file(model.config().path, target, error);
  if (error) return {status_code::io_error, "cannot write " + target.string() + ": " + error.message()};
  return {};
}

int run(const pack_command& c) {
  const auto layout = layout_by_name(c.layout);
  if (!layout) return fail(layout.error());
  const auto model = checkpoint::open(c.model);
  if (!model) return fail(model.error());
  const auto file = target_of(c);
  if (!file) return fail(file.error());

  packed_file packed;
  progress bar("tileglu pack", model->layers().size() + 1);
  for (std::size_t i = 0; i < model->layers().size(); ++i) {
    const mlp_layer& layer = model->layers()[i];
    const auto weights = model->load(i);
    if (!weights) return fail(weights.error());
    if (status s = add_pair(packed, layer, ".weight", weights->w, *layout, layer.k, true); !s.ok()) return fail(s);
    if (layer.bias)
      if (status s = add_pair(packed, layer, ".bias", gate_up_weights::separate(weights->bias_gate, weights->bias_up), *layout, 1, false); !s.ok())
        return fail(s);
    bar.step(layer.module);
  }
  for (stored_tensor& tensor : model->other_tensors()) {
    packed.tensors.push_back(tensor);
    packed.tensors.back().name = renamed(tensor.name, *model);
  }
  const std::map<std::string, std::string> metadata = {
      {"format", "pt"}, {"tileglu.layout", std::string(name(*layout))}, {"tileglu.activation", std::string(name(model->layers().front().act.kind))}};
  if (status s = write_safetensors(file->string(), packed.tensors, metadata); !s.ok()) return fail(s);
  if (status s = copy_config(*model, *file); !s.ok()) return fail(s);

  const std::string from(name(model->layers().front().layout));
  if (c.json) {
    const nlohmann::ordered_json j = {{"model", c.model},
                                      {"from", from},
                                      {"to", name(*layout)},
                                      {"layers", model->layers().size()},
                                      {"tensors", packed.tensors.size()},
                                      {"file", file->string()},
                                      {"notes", model->notes()}};
    put(to_text(j));
    return success;
  }
  for (const std::string& note : model->notes()) say("note: {}\n", note);
  say("Packed {} layers of {} from {} to {}: {}\n", model->layers().size(), model->name(), from, name(*layout), file->string());
  return success;
}

}  // namespace

void add_pack(CLI::App& app, action& chosen) {
  auto c = std::make_shared<pack_command>();
  CLI::App* command = app.add_subcommand(
      "pack", "Write a checkpoint with its gate and up weights in another layout; packing back gives the same weights, bit for bit");
  command->add_option("--model", c->model, "folder, safetensors file or index")->capture_default_str()->transform(not_empty());
  command->add_option("--layout", c->layout, "separate, stacked_gate_up, stacked_up_gate or interleaved")->required();
  command->add_option("--out", c->out, "a .safetensors file, or a folder for model.safetensors and config.json")->required()->transform(not_empty());
  add_switch(*command, "--json", c->json, "print JSON");
  command->footer(
      "Examples:\n"
      "  tileglu pack --layout interleaved --out models/packed              one matrix, rows g0, u0, g1, u1, ...\n"
      "  tileglu pack --model models/packed --layout separate --out back.safetensors\n"
      "  tileglu run --model models/packed --kernel interleaved\n"
      "\n"
      "Weights are copied, never rounded: packed back they are the same bits, under the names that `tileglu` reads (gate_proj, up_proj, down_proj;\n"
      "gate_up_proj; up_gate_proj; gate_up_interleaved). The file differs: its metadata names the layout and the activation.\n"
      "Only the interleaved kernel needs packed weights: every other kernel reads separate and stacked ones as they are.\n");
  command->callback([c, &chosen] { chosen = [c] { return run(*c); }; });
}

}  // namespace tileglu::cli
