// What is wrong with a bad checkpoint is named: files, tensors, formulas, and what two namings disagree on.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>

#include "weights/checkpoint_cases.hpp"

namespace tileglu {
namespace {

using made::write;

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
