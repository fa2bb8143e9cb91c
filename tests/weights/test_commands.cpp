// `tileglu run` and `tileglu pack` as a user calls them: exit codes, JSON, files, and what is said of bad input.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "weights/made_files.hpp"

namespace tileglu {
namespace {

struct outcome {
  int code = -1;
  std::string out, err;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// TILEGLU_BINARY is set by CMake: the program under test.
outcome tileglu(const made::folder& folder, const std::string& arguments) {
  const std::string command = std::string(TILEGLU_BINARY) + " " + arguments + " > " + (folder / "stdout") + " 2> " + (folder / "stderr");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "stdout"), read(folder / "stderr")};
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in: " << text;
}

class Commands : public testing::Test {
 protected:
  void SetUp() override {
    made::tensors model = made::separate_model(3);
    made::write(folder_ / "config.json", made::config(3));
    ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", model.list()).ok());
  }

  std::string model() const { return " --model " + folder_.path(); }
  std::string out() const { return " --out " + (folder_ / "out"); }
  outcome run(const std::string& arguments) const { return tileglu(folder_, "run --backend cpu --seconds 0 " + arguments); }

  made::folder folder_{"commands"};
};

TEST_F(Commands, RunVerifiesRacesAndReports) {
  const outcome o = run(model() + out() + " --m 1,3,40");
  ASSERT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_TRUE(o.err.empty()) << o.err;
  expect_words(o.out, {"3 of 3", "16 of 40", "Ran the gated product and the whole MLP of 3 layers", "M = 1, 3 and 40", "all 18 results are within"});
  const auto json = nlohmann::json::parse(read(folder_ / "out/run.json"));
  ASSERT_EQ(json["races"].size(), 6u);
  for (const auto& race : json["races"]) {
    EXPECT_GT(race["us_per_layer"].get<double>(), 0);
    EXPECT_EQ(race["baseline"], "cpu_unfused");
    EXPECT_GT(race["speedup"].get<double>(), 0);
    EXPECT_GE(race["rounds"].get<int>(), 3);
    EXPECT_LE(race["error"].get<double>(), 1.1 * race["float32_error"].get<double>() + 1e-9);
    ASSERT_EQ(race["layers"].size(), 3u);
    for (const auto& layer : race["layers"]) EXPECT_TRUE(layer["verified"].get<bool>());
  }
  EXPECT_EQ(json["model"]["activation"], "silu");
  const std::string page = read(folder_ / "out/run.html");
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  expect_words(page, {"</html>", "<svg", "prefers-color-scheme: dark", "role=\"img\"", "<caption>"});
  for (const char* external : {"http://", "https://", "src=", "<script", "@import", "url("})
    EXPECT_EQ(page.find(external), std::string::npos) << external;
}

TEST_F(Commands, RunPrintsJsonAlone) {
  const outcome o = run(model() + out() + " --m 2 --layers 0,2 --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto json = nlohmann::json::parse(o.out);
  EXPECT_EQ(json["model"]["layers"], (std::vector<int>{0, 2}));
  EXPECT_EQ(json["summary"]["verified"], 4);
  EXPECT_EQ(json, nlohmann::json::parse(read(folder_ / "out/run.json")));
}

TEST_F(Commands, RunTakesActivations) {
  made::tensors x(7);
  x.add("layers.0.x", "F32", {20, 16});
  x.add("layers.1.x", "BF16", {20, 16});
  x.add("layers.2.x", "F16", {24, 16});
  ASSERT_TRUE(write_safetensors(folder_ / "x.safetensors", x.list()).ok());
  const std::string with = model() + out() + " --activations " + (folder_ / "x.safetensors");
  const outcome o = run(with + " --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["races"].size(), 4u) << "M = 1 and 16 fit into 20 rows";
  const outcome many = run(with + " --m 21");
  EXPECT_EQ(many.code, 2);
  expect_words(many.err, {"--m is 21", "1 to 20", "x.safetensors"});
  x.remove("layers.1.x");
  ASSERT_TRUE(write_safetensors(folder_ / "x.safetensors", x.list()).ok());
  expect_words(run(with).err, {"none has 1 in its name"});
  made::tensors wide(7);
  wide.add("x", "BF16", {4, 17});
  ASSERT_TRUE(write_safetensors(folder_ / "x.safetensors", wide.list()).ok());
  const outcome shape = run(with);
  EXPECT_EQ(shape.code, 2);
  expect_words(shape.err, {"'x'", "[4, 17]", "[rows, 16]"});
  made::tensors nan(7);
  nan.add("x", "BF16", {4, 16});
  nan.set("x", 5, std::uint16_t{0x7fc0});
  ASSERT_TRUE(write_safetensors(folder_ / "x.safetensors", nan.list()).ok());
  expect_words(run(with).err, {"'x'", "not finite", "element 5"});
}

TEST_F(Commands, AWrongResultIsExitCodeOne) {
  made::tensors model = made::separate_model(3, "F16");
  for (std::size_t i = 0; i < 24 * 16; ++i) model.set("model.layers.1.mlp.gate_proj.weight", i, from_double(dtype::fp16, 60000));
  for (std::size_t i = 0; i < 24 * 16; ++i) model.set("model.layers.1.mlp.up_proj.weight", i, from_double(dtype::fp16, 60000));
  ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", model.list()).ok());
  const outcome o = run(this->model() + out() + " --m 4");
  EXPECT_EQ(o.code, 1) << o.out << o.err;  // Y passes fp16's largest number
  expect_words(o.out, {"WRONG: layer 1, M = 4, gated product", "not finite", "RESULTS ARE WRONG", "2 of 3"});
  const auto json = nlohmann::json::parse(read(folder_ / "out/run.json"));
  EXPECT_FALSE(json["races"][0]["layers"][1]["verified"].get<bool>());
  EXPECT_TRUE(json["races"][0]["layers"][0]["verified"].get<bool>());
}

TEST_F(Commands, BadUsageIsExitCodeTwo) {
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {model() + " --layers 0-3", {"--layers", "0-3", "0 to 2"}},
      {model() + " --layers two", {"two"}},
      {model() + " --layers 2-1", {"2-1"}},
      {model() + " --layers 0,,1", {"--layers"}},
      {model() + " --m 0", {"--m"}},
      {model() + " --m -1", {"--m"}},
      {model() + " --kernel quick", {"quick", "cpu_blocked"}},
      {model() + " --activation quick_gelu", {"quick_gelu", "silu"}},
      {model() + " --no-such-option", {"--no-such-option"}},
  };
  for (const auto& [arguments, words] : cases) {
    const outcome o = run(arguments + out());
    EXPECT_EQ(o.code, 2) << arguments << o.out << o.err;
    expect_words(o.out + o.err, words);
  }
  const outcome none = run(" --model " + (folder_ / "nothing") + out());
  EXPECT_EQ(none.code, 4);
  expect_words(none.err, {"nothing", "no such file"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << "nothing ran, and nothing may be written";
  const outcome backend = tileglu(folder_, "run --backend gpu" + model());
  EXPECT_EQ(backend.code, 2);
  expect_words(backend.err, {"gpu", "cuda_portable"});
}

TEST_F(Commands, ANanInTheModelIsNamed) {
  made::tensors model = made::separate_model(3);
  model.set("model.layers.2.mlp.up_proj.weight", 0, std::uint16_t{0x7fff});
  ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", model.list()).ok());
  const outcome o = run(this->model() + out());
  EXPECT_EQ(o.code, 2);
  expect_words(o.err, {"model.layers.2.mlp.up_proj.weight", "a NaN", "[0, 0]"});
}

TEST_F(Commands, AnOutputFolderThatCannotBeWrittenLosesNoResult) {
  made::write(folder_ / "file", "x");
  std::filesystem::create_directories(folder_ / "full");
  const std::pair<std::string, std::string> cases[] = {
      {folder_ / "file", "file"}, {folder_ / "file/under", "file"}, {"/proc/tileglu_out", "/proc/tileglu_out"}, {folder_ / "full", "No space left"}};
  const auto fill = [&] {  // every write there fails as on a full disk
    if (!std::filesystem::is_symlink(folder_ / "full/run.json")) std::filesystem::create_symlink("/dev/full", folder_ / "full/run.json");
  };
  for (const auto& [where, word] : cases) {
    fill();
    const outcome o = run(model() + " --m 2 --out " + where);
    EXPECT_EQ(o.code, 4) << where << o.out << o.err;
    expect_words(o.err, {"cannot write", word, "results above are whole"});
    expect_words(o.out, {"3 of 3", "all 6 results are within"});
    fill();
    const outcome json = run(model() + " --m 2 --json --out " + where);
    EXPECT_EQ(json.code, 4);
    EXPECT_TRUE(nlohmann::json::accept(json.out)) << json.out;
  }
  if (::geteuid() != 0) {  // root writes into any folder
    std::filesystem::create_directories(folder_ / "read_only");
    std::filesystem::permissions(folder_ / "read_only", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const outcome o = run(model() + " --m 2 --out " + (folder_ / "read_only"));
    EXPECT_EQ(o.code, 4);
    expect_words(o.err, {"Permission denied", "read_only"});
  }
}

TEST_F(Commands, PackGoesThroughEveryLayoutAndBack) {
  made::tensors model = made::separate_model(2);
  for (const char* i : {"0", "1"}) {
    const std::string at = "model.layers." + std::string(i) + ".mlp.";
    for (const char* linear : {"gate_proj", "up_proj"}) model.add(at + linear + ".bias", "BF16", {24});
    model.add(at + "down_proj.bias", "BF16", {16});
  }
  made::write(folder_ / "config.json", made::config(2, "gelu_pytorch_tanh"));
  ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", model.list()).ok());
  std::string from = folder_.path();
  for (const char* layout : {"interleaved", "stacked_up_gate", "stacked_gate_up", "separate"}) {
    const std::string to = folder_ / layout;
    const outcome o = tileglu(folder_, "pack --json --model " + from + " --layout " + layout + " --out " + to);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(nlohmann::json::parse(o.out)["to"], layout);
    EXPECT_TRUE(std::filesystem::exists(to + "/config.json"));
    const outcome ran = run("--model " + to + out() + " --m 1,5 --json");
    ASSERT_EQ(ran.code, 0) << layout << ran.err;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json["model"]["layout"], layout);
    EXPECT_EQ(json["model"]["bias"], true);
    EXPECT_EQ(json["model"]["activation"], "gelu_tanh");
    from = to;
  }
  const auto before = tensor_file::open(folder_ / "model.safetensors"), after = tensor_file::open(from + "/model.safetensors");
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_EQ(before->tensors().size(), after->tensors().size());
  for (const stored_tensor& t : before->tensors()) {
    const stored_tensor* back = after->find(t.name);
    ASSERT_NE(back, nullptr) << t.name;
    EXPECT_EQ(back->shape, t.shape);
    const auto bytes = [](const stored_tensor& x) { return std::string_view(static_cast<const char*>(x.data), x.bytes); };
    EXPECT_EQ(bytes(*back), bytes(t)) << t.name;
  }
}

TEST_F(Commands, APackedFileAloneKnowsItsActivation) {
  ASSERT_EQ(tileglu(folder_, "pack" + model() + " --layout interleaved --out " + (folder_ / "alone/packed.safetensors")).code, 0);
  std::filesystem::remove(folder_ / "alone/config.json");
  const outcome o = run("--model " + (folder_ / "alone/packed.safetensors") + out() + " --m 3 --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["model"]["activation"], "silu");
}

TEST_F(Commands, PackRefuses) {
  const std::pair<std::string, int> cases[] = {
      {"pack" + model() + " --out " + (folder_ / "x"), 2},                      // no layout
      {"pack" + model() + " --layout sideways --out " + (folder_ / "x"), 2},    // an unknown layout
      {"pack" + model() + " --layout interleaved --out " + folder_.path(), 2},  // onto the model itself
      {"pack" + model() + " --layout interleaved --out ''", 2},
      {"pack" + model() + " --layout interleaved --out /proc/tileglu_out", 4},
      {"pack --model " + (folder_ / "none") + " --layout interleaved --out " + (folder_ / "x"), 4},
  };
  for (const auto& [arguments, code] : cases) {
    const outcome o = tileglu(folder_, arguments);
    EXPECT_EQ(o.code, code) << arguments << o.out << o.err;
    EXPECT_FALSE((o.out + o.err).empty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x/model.safetensors"));
}

}  // namespace
}  // namespace tileglu
