// Checkpoints: every naming, shards, conversions, activations.
#include <gtest/gtest.h>

#include "weights/checkpoint_cases.hpp"

namespace tileglu {
namespace {

using made::write;

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

}  // namespace
}  // namespace tileglu
