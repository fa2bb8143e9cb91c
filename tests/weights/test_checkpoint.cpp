// Checkpoints: every naming, shards, conversions, and what is wrong with a bad one.
#include <gtest/gtest.h>

#include <cmath>

#include "tileglu/checkpoint.hpp"
#include "weights/made_files.hpp"

namespace tileglu {
namespace {

using made::write;

status save(const made::folder& folder, made::tensors& model, const std::string& config = {}, const std::string& file = "model.safetensors") {
  if (!config.empty()) write(folder / "config.json", config);
  return write_safetensors(folder / file, model.list());
}

/// An element of a named tensor of the made model, as its type stores it.
std::uint16_t element(made::tensors& model, const std::string& name, std::size_t i) {
  for (const stored_tensor& t : model.list())
    if (t.name == name) return static_cast<const std::uint16_t*>(t.data)[i];
  ADD_FAILURE() << name;
  return 0;
}

std::uint16_t first_element(made::tensors& model, const std::string& name) { return element(model, name, 0); }

std::uint16_t first_of(const void* data) { return *static_cast<const std::uint16_t*>(data); }

void expect_error(const std::string& path, status_code code, const std::vector<std::string>& words) {
  const auto opened = checkpoint::open(path);
  ASSERT_FALSE(opened.ok()) << "was opened";
  EXPECT_EQ(opened.error().code(), code) << opened.error().text();
  for (const std::string& word : words)
    EXPECT_NE(opened.error().text().find(word), std::string::npos) << "no '" << word << "' in: " << opened.error().text();
}

TEST(Checkpoint, SeparateNames) {
  const made::folder folder("separate");
  made::tensors model = made::separate_model(3);
  ASSERT_TRUE(save(folder, model, made::config(3)).ok());
  for (const std::string& path : {folder.path(), folder / "model.safetensors", folder.path() + "/"}) {
    const auto opened = checkpoint::open(path);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    ASSERT_EQ(opened->layers().size(), 3u);
    const mlp_layer& layer = opened->layers()[2];
    EXPECT_EQ(layer.index, 2);
    EXPECT_EQ(layer.module, "model.layers.2.mlp");
    EXPECT_EQ(layer.n, 24);
    EXPECT_EQ(layer.k, 16);
    EXPECT_EQ(layer.out, 16);
    EXPECT_EQ(layer.layout, weight_layout::separate);
    EXPECT_EQ(layer.act.kind, activation_kind::silu);
    EXPECT_FALSE(layer.bias);
    EXPECT_FALSE(layer.converted);
    const auto w = opened->load(2);
    ASSERT_TRUE(w.ok()) << w.error().text();
    EXPECT_EQ(first_of(w->w.first()), first_element(model, "model.layers.2.mlp.gate_proj.weight"));
    EXPECT_EQ(first_of(w->w.second()), first_element(model, "model.layers.2.mlp.up_proj.weight"));
    EXPECT_EQ(first_of(w->down), first_element(model, "model.layers.2.mlp.down_proj.weight"));
    EXPECT_EQ(w->bias_gate, nullptr);
    EXPECT_EQ(opened->load(3).error().code(), status_code::invalid_argument);
    EXPECT_EQ(opened->name(), std::filesystem::path(folder.path()).filename().string());
  }
}

TEST(Checkpoint, LoadedWeightsOutliveTheCheckpoint) {
  const made::folder folder("outlive");
  made::tensors model = made::separate_model(1);
  ASSERT_TRUE(save(folder, model, made::config(1)).ok());
  auto w = [&] { return checkpoint::open(folder.path())->load(0); }();
  ASSERT_TRUE(w.ok());
  EXPECT_EQ(first_of(w->down), first_element(model, "model.layers.0.mlp.down_proj.weight"));
}

TEST(Checkpoint, StackedNames) {
  const made::folder folder("stacked");
  made::tensors model;
  model.add("transformer.h.0.mlp.gate_up_proj.weight", "F16", {48, 16});
  model.add("transformer.h.0.mlp.gate_up_proj.bias", "F16", {48});
  model.add("transformer.h.0.mlp.down_proj.weight", "F16", {16, 24});
  model.add("transformer.h.0.mlp.down_proj.bias", "F16", {16});
  ASSERT_TRUE(save(folder, model, made::config(1, "gelu_new")).ok());
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  const mlp_layer& layer = opened->layers()[0];
  EXPECT_EQ(layer.layout, weight_layout::stacked_gate_up);
  EXPECT_EQ(layer.type, dtype::fp16);
  EXPECT_EQ(layer.n, 24);
  EXPECT_EQ(layer.act.kind, activation_kind::gelu_tanh);
  EXPECT_TRUE(layer.bias);
  EXPECT_TRUE(layer.down_bias);
  const auto w = opened->load(0);
  ASSERT_TRUE(w.ok());
  EXPECT_EQ(w->w.layout(), weight_layout::stacked_gate_up);
  EXPECT_EQ(first_of(w->bias_gate), element(model, "transformer.h.0.mlp.gate_up_proj.bias", 0));
  EXPECT_EQ(first_of(w->bias_up), element(model, "transformer.h.0.mlp.gate_up_proj.bias", 24));
  const mlp_problem p = whole_mlp_problem(layer, 7);
  EXPECT_EQ(p.gate_up.m, 7);
  EXPECT_EQ(p.gate_up.y_type, dtype::fp16);
  EXPECT_TRUE(p.gate_up.bias);
  EXPECT_TRUE(p.down_bias);
  EXPECT_EQ(p.hidden_out, 16);
}

TEST(Checkpoint, LlamaNamesAreSiluByDefinitionAndW1IsTheGate) {
  const made::folder folder("llama");
  made::tensors model;
  for (const char* i : {"0", "1"}) {
    const std::string at = "layers." + std::string(i) + ".feed_forward.";
    model.add(at + "w1.weight", "BF16", {24, 16});
    model.add(at + "w2.weight", "BF16", {16, 24});
    model.add(at + "w3.weight", "BF16", {24, 16});
  }
  ASSERT_TRUE(save(folder, model, {}, "consolidated.safetensors").ok());
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  ASSERT_EQ(opened->layers().size(), 2u);
  EXPECT_EQ(opened->layers()[0].act.kind, activation_kind::silu);
  ASSERT_FALSE(opened->notes().empty());
  const auto w = opened->load(1);
  EXPECT_EQ(first_of(w->w.first()), first_element(model, "layers.1.feed_forward.w1.weight"));
  EXPECT_EQ(first_of(w->w.second()), first_element(model, "layers.1.feed_forward.w3.weight"));
  EXPECT_EQ(first_of(w->down), first_element(model, "layers.1.feed_forward.w2.weight"));
}

TEST(Checkpoint, TheLanguageModelIsChosenOverATower) {
  const made::folder folder("tower");
  made::tensors model;
  for (int i = 0; i < 4; ++i) {
    const std::string at = "vision_tower.blocks." + std::to_string(i) + ".mlp.";
    for (const char* linear : {"gate_proj", "up_proj"}) model.add(at + linear + ".weight", "BF16", {40, 8});
    model.add(at + "down_proj.weight", "BF16", {8, 40});
  }
  for (int i = 0; i < 2; ++i) {
    const std::string at = "language_model.model.layers." + std::to_string(i) + ".mlp.";
    for (const char* linear : {"gate_proj", "up_proj"}) model.add(at + linear + ".weight", "BF16", {24, 16});
    model.add(at + "down_proj.weight", "BF16", {16, 24});
  }
  const std::string config = R"({"model_type": "some_vl", "text_config": )" + made::config(2, "gelu_pytorch_tanh") + "}";
  ASSERT_TRUE(save(folder, model, config).ok());
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  EXPECT_EQ(opened->layers().size(), 2u);
  EXPECT_EQ(opened->layers()[1].module, "language_model.model.layers.1.mlp");
  ASSERT_EQ(opened->notes().size(), 1u);
  EXPECT_NE(opened->notes()[0].find("vision_tower.blocks.*.mlp (4)"), std::string::npos) << opened->notes()[0];
}

TEST(Checkpoint, Float32IsRoundedAndSaid) {
  const made::folder folder("f32");
  made::tensors model = made::separate_model(2, "F32");
  model.set("model.layers.1.mlp.gate_proj.weight", 0, 1.00390625f);  // halfway between two bf16 values: to the even one
  ASSERT_TRUE(save(folder, model, made::config(2)).ok());
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  EXPECT_TRUE(opened->layers()[1].converted);
  EXPECT_EQ(opened->layers()[1].type, dtype::bf16);
  ASSERT_EQ(opened->notes().size(), 1u);
  EXPECT_NE(opened->notes()[0].find("F32"), std::string::npos);
  const auto w = opened->load(1);
  ASSERT_TRUE(w.ok()) << w.error().text();
  EXPECT_EQ(first_of(w->w.first()), 0x3f80);
}

TEST(Checkpoint, Shards) {
  const made::folder folder("shards");
  made::tensors model = made::separate_model(2);
  std::vector<stored_tensor> one, two;
  for (const stored_tensor& t : model.list()) (t.name.find("layers.1.mlp.up") != std::string::npos ? two : one).push_back(t);
  ASSERT_TRUE(write_safetensors(folder / "model-00001-of-00002.safetensors", one).ok());
  ASSERT_TRUE(write_safetensors(folder / "model-00002-of-00002.safetensors", two).ok());
  const auto index = [&](const std::string& file_of_two) {
    std::string map;
    for (const stored_tensor& t : one) map += "\"" + t.name + "\": \"model-00001-of-00002.safetensors\", ";
    write(folder / "model.safetensors.index.json",
          R"({"metadata": {"total_size": 1}, "weight_map": {)" + map + "\"" + two[0].name + "\": \"" + file_of_two + "\"}}");
  };
  write(folder / "config.json", made::config(2));
  index("model-00002-of-00002.safetensors");
  for (const std::string& path : {folder.path(), folder / "model.safetensors.index.json"}) {
    const auto opened = checkpoint::open(path);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    const auto w = opened->load(1);
    ASSERT_TRUE(w.ok());
    EXPECT_EQ(first_of(w->w.second()), first_element(model, two[0].name));
  }
  expect_error(folder / "model-00001-of-00002.safetensors", status_code::bad_file, {"layers.1.mlp.up_proj.weight", "missing"});
  index("model-00001-of-00002.safetensors");
  expect_error(folder.path(), status_code::bad_file, {two[0].name, "model-00001-of-00002.safetensors", "lacks"});
  index("../model-00002-of-00002.safetensors");
  expect_error(folder.path(), status_code::bad_file, {"../model-00002", "plain name"});
  index("model-00003-of-00002.safetensors");
  expect_error(folder.path(), status_code::io_error, {"model-00003-of-00002.safetensors", "No such file"});
  write(folder / "model.safetensors.index.json", R"({"weight_map": [1]})");
  expect_error(folder.path(), status_code::bad_file, {"weight_map"});
}

TEST(Checkpoint, AnIndexThatLeavesTensorsOutIsNotBelieved) {
  const made::folder folder("short_index");
  made::tensors model = made::separate_model(2);
  ASSERT_TRUE(write_safetensors(folder / "all.safetensors", model.list()).ok());
  write(folder / "config.json", made::config(2));
  const auto index_without = [&](const std::string& left_out) {
    std::string map;
    for (const stored_tensor& t : model.list())
      if (t.name != left_out) map += (map.empty() ? "\"" : ", \"") + t.name + "\": \"all.safetensors\"";
    write(folder / "model.safetensors.index.json", R"({"weight_map": {)" + map + "}}");
  };
  index_without("model.layers.1.mlp.down_proj.weight");
  expect_error(folder.path(), status_code::bad_file, {"model.safetensors.index.json", "'model.layers.1.mlp.down_proj.weight'", "all.safetensors"});
  index_without("model.embed_tokens.weight");
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  ASSERT_EQ(opened->notes().size(), 1u);
  EXPECT_NE(opened->notes()[0].find("1 tensors of the shards are not named"), std::string::npos) << opened->notes()[0];
  EXPECT_NE(opened->notes()[0].find("'model.embed_tokens.weight'"), std::string::npos) << opened->notes()[0];
  index_without("");
  EXPECT_TRUE(checkpoint::open(folder.path())->notes().empty());
}

TEST(Checkpoint, ALayerThatIsThereTwiceMustBeTheSame) {
  const made::folder folder("twice");
  made::tensors model = made::separate_model(2);
  const std::string mlp = "model.layers.1.mlp.", gate = mlp + "gate_proj.weight", up = mlp + "up_proj.weight", both = mlp + "gate_up_proj.weight";
  model.add(both, "BF16", {48, 16});
  for (std::size_t i = 0; i < 24 * 16; ++i) {
    model.set(both, i, element(model, gate, i));
    model.set(both, 24 * 16 + i, element(model, up, i));
  }
  ASSERT_TRUE(save(folder, model, made::config(2)).ok());
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  EXPECT_EQ(opened->layers()[1].layout, weight_layout::separate);
  ASSERT_EQ(opened->notes().size(), 1u);
  EXPECT_NE(opened->notes()[0].find("1 layers are there twice, as gate_proj / up_proj and gate_up_proj"), std::string::npos) << opened->notes()[0];
  for (const stored_tensor& t : opened->other_tensors()) EXPECT_NE(t.name, both);

  const std::size_t last_of_up = 48 * 16 - 1;
  model.set(both, last_of_up, static_cast<std::uint16_t>(element(model, both, last_of_up) ^ 1));
  ASSERT_TRUE(save(folder, model).ok());
  expect_error(folder.path(), status_code::bad_file, {"layer 1 is there twice", "'" + up + "'", "'" + both + "'", "the same bits"});

  made::tensors other = made::separate_model(1);  // stacked in another shape: the two can't be the same
  other.add("model.layers.0.mlp.gate_up_proj.weight", "BF16", {32, 16});
  ASSERT_TRUE(save(folder, other, made::config(1)).ok());
  expect_error(folder.path(), status_code::bad_file, {"layer 0 is there twice", "'model.layers.0.mlp.gate_up_proj.weight'"});

  made::tensors named = made::separate_model(1);  // w1 alone is no second copy
  named.add("model.layers.0.mlp.w1.weight", "BF16", {24, 16});
  ASSERT_TRUE(save(folder, named, made::config(1)).ok());
  EXPECT_TRUE(checkpoint::open(folder.path()).ok());
}

TEST(Checkpoint, MissingTensorsAreNamed) {
  for (const char* linear : {"gate_proj", "up_proj", "down_proj"}) {
    const made::folder folder("missing");
    made::tensors model = made::separate_model(3);
    const std::string name = "model.layers.1.mlp." + std::string(linear) + ".weight";
    model.remove(name);
    ASSERT_TRUE(save(folder, model, made::config(3)).ok());
    expect_error(folder.path(), status_code::bad_file, {"'" + name + "'", "missing"});
  }
  const made::folder folder("layer");
  made::tensors model = made::separate_model(3);
  ASSERT_TRUE(save(folder, model, made::config(4)).ok());
  expect_error(folder.path(), status_code::bad_file, {"layer 3 of 4", "model.layers.3.mlp.gate_proj.weight"});
  ASSERT_TRUE(save(folder, model, made::config(2)).ok());
  expect_error(folder.path(), status_code::bad_file, {"holds 3 layers", "is 2"});
}

TEST(Checkpoint, MisshapenTensorsAreNamed) {
  struct wrong {
    const char* linear;
    std::vector<std::int64_t> shape;
    std::vector<std::string> words;
  };
  const wrong all[] = {{"up_proj.weight", {24, 15}, {"[24, 15]", "[24, 16]"}},   {"up_proj.weight", {23, 16}, {"[23, 16]"}},
                       {"down_proj.weight", {16, 23}, {"[16, 23]", "[16, 24]"}}, {"down_proj.weight", {384}, {"[384]"}},
                       {"gate_proj.weight", {24, 17}, {"hidden_size"}},          {"gate_proj.weight", {25, 16}, {"intermediate_size"}},
                       {"gate_proj.weight", {24, 16, 1}, {"[24, 16, 1]"}},       {"down_proj.weight", {17, 24}, {"[17, 24]"}}};
  for (const wrong& w : all) {
    const made::folder folder("shape");
    made::tensors model = made::separate_model(2);
    const std::string name = "model.layers.1.mlp." + std::string(w.linear);
    model.remove(name);
    model.add(name, "BF16", w.shape);
    ASSERT_TRUE(save(folder, model, made::config(2)).ok());
    auto words = w.words;
    words.push_back("'" + name + "'");
    words.push_back("model.safetensors");
    expect_error(folder.path(), status_code::bad_file, words);
  }
}

TEST(Checkpoint, BiasesComeWhole) {
  const auto with = [](const std::vector<std::string>& names, std::int64_t size = 24) {
    made::tensors model = made::separate_model(1);
    for (const std::string& name : names) model.add("model.layers.0.mlp." + name + ".bias", "BF16", {name == "down_proj" ? 16 : size});
    return model;
  };
  const made::folder folder("bias");
  auto model = with({"gate_proj", "up_proj", "down_proj"});
  ASSERT_TRUE(save(folder, model, made::config(1, "silu", R"(, "mlp_bias": true)")).ok());
  const auto opened = checkpoint::open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  EXPECT_TRUE(opened->layers()[0].bias && opened->layers()[0].down_bias);
  const auto w = opened->load(0);
  EXPECT_EQ(first_of(w->bias_up), first_element(model, "model.layers.0.mlp.up_proj.bias"));
  model = with({"gate_proj"});
  ASSERT_TRUE(save(folder, model, made::config(1)).ok());
  expect_error(folder.path(), status_code::bad_file, {"'model.layers.0.mlp.up_proj.bias' is missing"});
  model = with({});
  ASSERT_TRUE(save(folder, model, made::config(1, "silu", R"(, "mlp_bias": true)")).ok());
  expect_error(folder.path(), status_code::bad_file, {"'model.layers.0.mlp.gate_proj.bias' is missing", "mlp_bias"});
  model = with({"gate_proj", "up_proj"}, 23);
  ASSERT_TRUE(save(folder, model, made::config(1)).ok());
  expect_error(folder.path(), status_code::bad_file, {"gate_proj.bias", "[23]"});
}

TEST(Checkpoint, NotFiniteNumbersAreNamedWithTheirPlace) {
  const made::folder folder("nan");
  for (const auto& [type, bits, word] :
       {std::tuple{"BF16", 0x7fc0, "a NaN"}, {"BF16", 0xff80, "an infinity"}, {"F16", 0x7e01, "a NaN"}, {"F16", 0xfc00, "an infinity"}}) {
    made::tensors model = made::separate_model(2, type);
    model.set("model.layers.1.mlp.down_proj.weight", 24 * 3 + 5, static_cast<std::uint16_t>(bits));
    ASSERT_TRUE(save(folder, model, made::config(2)).ok());
    const auto opened = checkpoint::open(folder.path());
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    EXPECT_TRUE(opened->load(0).ok());
    const status s = opened->load(1).error();
    EXPECT_EQ(s.code(), status_code::bad_file);
    for (const std::string& part :
         {std::string("'model.layers.1.mlp.down_proj.weight'"), std::string(word), std::string("[3, 5]"), std::string("model.safetensors")})
      EXPECT_NE(s.text().find(part), std::string::npos) << s.text();
  }
  for (const float value : {std::nanf(""), INFINITY, 3.4e38f}) {  // the last is finite, and rounds to an infinity in bf16
    made::tensors model = made::separate_model(1, "F32");
    model.set("model.layers.0.mlp.up_proj.weight", 7, value);
    ASSERT_TRUE(save(folder, model, made::config(1)).ok());
    const status s = checkpoint::open(folder.path())->load(0).error();
    EXPECT_NE(s.text().find("[0, 7]"), std::string::npos) << s.text();
  }
}

TEST(Checkpoint, UnknownArchitecturesSayWhatWasLookedFor) {
  const made::folder folder("unknown");
  made::tensors model;
  model.add("transformer.h.0.mlp.c_fc.weight", "BF16", {64, 16});
  model.add("transformer.h.0.mlp.c_proj.weight", "BF16", {16, 64});
  ASSERT_TRUE(save(folder, model, made::config(1)).ok());
  expect_error(folder.path(), status_code::unsupported,
               {"gate_proj / up_proj / down_proj", "gate_up_proj / down_proj", "w1 / w3 / w2", "transformer.h.0.mlp.c_fc.weight"});
}

TEST(Checkpoint, ExpertsAreRefusedInWords) {
  const made::folder folder("experts");
  made::tensors model = made::separate_model(1);
  model.add("model.layers.1.mlp.experts.0.gate_proj.weight", "BF16", {24, 16});
  ASSERT_TRUE(save(folder, model, made::config(2)).ok());
  expect_error(folder.path(), status_code::unsupported, {"experts.0.gate_proj", "mixture of experts"});
  made::tensors oss;
  oss.add("model.layers.0.mlp.experts.gate_up_proj", "BF16", {2, 16, 48});
  ASSERT_TRUE(save(folder, oss, R"({"model_type": "gpt_oss", "num_local_experts": 32})").ok());
  expect_error(folder.path(), status_code::unsupported, {"gpt_oss", "mixture of experts"});
  ASSERT_TRUE(save(folder, oss, R"({"model_type": "mixtral", "num_local_experts": 8})").ok());
  expect_error(folder.path(), status_code::unsupported, {"num_local_experts is 8"});
  ASSERT_TRUE(save(folder, oss, "{}").ok());
  expect_error(folder.path(), status_code::unsupported, {"mixture of experts"});
}

TEST(Checkpoint, OtherFormulasAndQuantisedWeightsAreRefused) {
  const made::folder folder("formula");
  made::tensors model = made::separate_model(1);
  ASSERT_TRUE(save(folder, model, R"({"model_type": "gemma3n_text", "hidden_act": "gelu"})").ok());
  expect_error(folder.path(), status_code::unsupported, {"gemma3n_text", "sparsity"});
  ASSERT_TRUE(save(folder, model, made::config(1, "silu", R"(, "mlp_multipliers": [0.5, 1.0])")).ok());
  expect_error(folder.path(), status_code::unsupported, {"mlp_multipliers is [0.5,1.0]"});
  ASSERT_TRUE(save(folder, model, made::config(1, "silu", R"(, "mlp_multipliers": [1.0, 1.0])")).ok());
  EXPECT_TRUE(checkpoint::open(folder.path()).ok());
  ASSERT_TRUE(save(folder, model, made::config(1, "silu", R"(, "quantization_config": {"bits": 4})")).ok());
  expect_error(folder.path(), status_code::unsupported, {"quantised"});
  model.add("model.layers.0.mlp.gate_proj.qweight", "BF16", {2});
  ASSERT_TRUE(save(folder, model, made::config(1)).ok());
  expect_error(folder.path(), status_code::unsupported, {"qweight", "quantised"});
}

TEST(Checkpoint, ActivationsByTheirHuggingFaceNames) {
  const std::pair<const char*, activation_kind> known[] = {
      {"silu", activation_kind::silu},          {"swish", activation_kind::silu},
      {"gelu", activation_kind::gelu_erf},      {"gelu_pytorch_tanh", activation_kind::gelu_tanh},
      {"gelu_new", activation_kind::gelu_tanh}, {"gelu_fast", activation_kind::gelu_tanh},
      {"relu", activation_kind::relu},          {"sigmoid", activation_kind::sigmoid},
      {"linear", activation_kind::identity}};
  for (const auto& [name, kind] : known) {
    ASSERT_TRUE(hf_activation_by_name(name).ok()) << name;
    EXPECT_EQ(hf_activation_by_name(name)->kind, kind) << name;
  }
  const status s = hf_activation_by_name("quick_gelu").error();
  EXPECT_NE(s.text().find("quick_gelu"), std::string::npos);
  for (const auto& [name, kind] : known) EXPECT_NE(s.text().find(name), std::string::npos) << name;

  const made::folder folder("act");
  made::tensors model = made::separate_model(1);
  ASSERT_TRUE(save(folder, model, made::config(1, "laplace")).ok());
  expect_error(folder.path(), status_code::unsupported, {"laplace", "gelu_pytorch_tanh", "config.json"});
  EXPECT_TRUE(checkpoint::open(folder.path(), {.act = activation{activation_kind::relu}}).ok());
  ASSERT_TRUE(save(folder, model, R"({"hidden_size": 16})").ok());
  expect_error(folder.path(), status_code::bad_file, {"hidden_act", "missing"});
  ASSERT_TRUE(save(folder, model, R"({"model_type": "gemma2", "hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh"})").ok());
  EXPECT_EQ(checkpoint::open(folder.path())->layers()[0].act.kind, activation_kind::gelu_tanh);
  std::filesystem::remove(folder / "config.json");
  expect_error(folder.path(), status_code::bad_file, {"activation is not known", "config.json"});
}

TEST(Checkpoint, WrongFoldersAndConfigs) {
  const made::folder folder("wrong");
  expect_error(folder / "nothing", status_code::io_error, {"nothing"});
  expect_error(folder.path(), status_code::bad_file, {"model.safetensors.index.json"});
  made::tensors model = made::separate_model(1);
  ASSERT_TRUE(save(folder, model, "{\"hidden_size\": 16,").ok());
  expect_error(folder.path(), status_code::bad_file, {"config.json", "not JSON"});
  ASSERT_TRUE(save(folder, model, R"({"hidden_act": "silu", "hidden_size": -16})").ok());
  expect_error(folder.path(), status_code::bad_file, {"hidden_size is -16", "1 to 2^30"});
  ASSERT_TRUE(save(folder, model, R"({"hidden_act": ["silu"]})").ok());
  expect_error(folder.path(), status_code::bad_file, {"hidden_act is"});
  ASSERT_TRUE(save(folder, model, made::config(1)).ok());
  std::filesystem::resize_file(folder / "model.safetensors", std::filesystem::file_size(folder / "model.safetensors") - 100);
  expect_error(folder.path(), status_code::bad_file, {"model.safetensors", "cut short"});
}

TEST(Checkpoint, AFolderThatCannotBeReadIsSaidSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads any folder";
  const made::folder folder("unreadable");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
  expect_error(folder.path(), status_code::io_error, {folder.path(), "Permission denied"});
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(Checkpoint, AnIntegerTensorIsRefused) {
  const made::folder folder("int");
  made::tensors model = made::separate_model(1);
  model.remove("model.layers.0.mlp.up_proj.weight");
  std::vector<stored_tensor> list = model.list();
  const std::vector<std::int32_t> numbers(24 * 16, 1);
  list.push_back({"model.layers.0.mlp.up_proj.weight", "I32", {24, 16}, numbers.data(), numbers.size() * 4});
  write(folder / "config.json", made::config(1));
  ASSERT_TRUE(write_safetensors(folder / "model.safetensors", list).ok());
  expect_error(folder.path(), status_code::unsupported, {"up_proj.weight", "I32", "BF16, F16 and F32"});
}

}  // namespace
}  // namespace tileglu
