// The reader on good, truncated, overlapping, oversized and lying files: each refusal names the file, the tensor and the value.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "tileglu/safetensors.hpp"
#include "weights/made_files.hpp"

namespace tileglu {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string error_of(const std::string& file) {
  const auto opened = tensor_file::view(bytes_of(file), "made.safetensors");
  return opened ? "accepted" : opened.error().text();
}

std::string error_of(const std::string& header, std::size_t data_bytes) { return error_of(made::raw_safetensors(header, data_bytes)); }

TEST(Safetensors, AGoodFileIsRead) {
  const std::string file = made::raw_safetensors(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
      "e":{"dtype":"I64","shape":[0,5],"data_offsets":[16,16]}})",
      16);
  const auto opened = tensor_file::view(bytes_of(file), "made.safetensors");
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  ASSERT_EQ(opened->tensors().size(), 3u);
  EXPECT_EQ(opened->tensors()[0].name, "a");
  EXPECT_EQ(opened->metadata().at("format"), "pt");
  const stored_tensor* b = opened->find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->type, "BF16");
  EXPECT_EQ(b->shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(b->bytes, 12u);
  EXPECT_EQ(static_cast<const char*>(b->data), file.data() + file.size() - 12);
  EXPECT_EQ(opened->find("e")->bytes, 0u);
  EXPECT_EQ(opened->find("c"), nullptr);
}

TEST(Safetensors, AnEmptyHeaderIsAFileOfNoTensors) { EXPECT_EQ(error_of("{}", 0), "accepted"); }

struct refused_case {
  const char* what;
  std::string file;
  std::vector<std::string> words;
};

void PrintTo(const refused_case& c, std::ostream* out) { *out << c.what; }

const std::string good = R"({"t":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]}})";

std::string one(const std::string& entry) { return R"({"t":)" + entry + "}"; }

const refused_case refused[] = {
    {"empty file", "", {"0 bytes"}},
    {"seven bytes", "1234567", {"7 bytes", "at least 8"}},
    {"header cut short", made::raw_safetensors(good, 0).substr(0, 30), {"57", "22", "cut short"}},
    {"header length lies, too long", made::raw_safetensors(good, 8, 1000), {"1000", "cut short"}},
    {"header length oversized", made::raw_safetensors(good, 8, 100'000'001), {"100000001", "100000000"}},
    {"header length 2^64 - 1", made::raw_safetensors(good, 8, ~0ull), {"18446744073709551615"}},
    {"header length lies, too short", made::raw_safetensors(good, 8, good.size() - 1), {"not JSON"}},
    {"header length 0", made::raw_safetensors("", 8), {"does not begin with '{'"}},
    {"GGUF", "GGUF\3\0\0\0\0\0\0\0\0\0\0\0" + std::string(64, 'x'), {"GGUF"}},
    {"a zip", "PK\3\4" + std::string(64, 'x'), {"zip"}},
    {"not an object", made::raw_safetensors("[1]", 0), {"does not begin with '{'"}},
    {"two documents", made::raw_safetensors(good + "{}", 8), {"not JSON"}},
    {"not UTF-8", made::raw_safetensors("{\"\xff\":{}}", 0), {"not JSON"}},
    {"duplicate tensor",
     made::raw_safetensors(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1),
     {"'t'", "twice"}},
    {"duplicate key", made::raw_safetensors(one(R"({"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]})"), 1), {"'dtype'", "twice"}},
    {"data cut short", made::raw_safetensors(good, 7), {"'t'", "[0,8]", "7", "cut short"}},
    {"bytes left over", made::raw_safetensors(good, 9), {"byte 8 of 9"}},
    {"unknown dtype", made::raw_safetensors(one(R"({"dtype":"Q4","shape":[2,2],"data_offsets":[0,8]})"), 8), {"'t'", "Q4", "BF16"}},
    {"dtype not a word", made::raw_safetensors(one(R"({"dtype":3,"shape":[2,2],"data_offsets":[0,8]})"), 8), {"dtype is 3"}},
    {"shape lies", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2,3],"data_offsets":[0,8]})"), 8), {"'t'", "[2, 3]", "12 bytes", "hold 8"}},
    {"negative size", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[-2,-2],"data_offsets":[0,8]})"), 8), {"[-2,-2]", "0 to 2^63 - 1"}},
    {"fractional size", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2.0,2],"data_offsets":[0,8]})"), 8), {"shape"}},
    {"product overflows",
     made::raw_safetensors(one(R"({"dtype":"BF16","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]})"), 8),
     {"larger than 2^62"}},
    {"product overflows to the right size",
     made::raw_safetensors(one(R"({"dtype":"U8","shape":[9223372036854775807,2,4],"data_offsets":[0,8]})"), 8),
     {"larger than 2^62"}},
    {"size above 2^63", made::raw_safetensors(one(R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,8]})"), 8), {"0 to 2^63 - 1"}},
    {"offsets backwards", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2,2],"data_offsets":[8,0]})"), 8), {"[8,0]", "begin <= end"}},
    {"offset negative", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2,2],"data_offsets":[-8,0]})"), 8), {"[-8,0]"}},
    {"offset huge",
     made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2,2],"data_offsets":[18446744073709551608,18446744073709551615]})"), 8),
     {"18446744073709551608"}},
    {"three offsets", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2,2],"data_offsets":[0,4,8]})"), 8), {"[0,4,8]"}},
    {"shape missing", made::raw_safetensors(one(R"({"dtype":"BF16","data_offsets":[0,8]})"), 8), {"'t'", "shape is missing"}},
    {"a key too many", made::raw_safetensors(one(R"({"dtype":"BF16","shape":[2,2],"data_offsets":[0,8],"x":1})"), 8), {"4 keys"}},
    {"entry is a number", made::raw_safetensors(one("3"), 0), {"'t'", "is 3"}},
    {"overlap",
     made::raw_safetensors(R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", 8),
     {"'b'", "byte 4", "'a'", "6"}},
    {"same bytes twice",
     made::raw_safetensors(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", 8),
     {"overlaps"}},
    {"a hole",
     made::raw_safetensors(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", 8),
     {"'b'", "hole"}},
    {"odd bits", made::raw_safetensors(one(R"({"dtype":"F4","shape":[3],"data_offsets":[0,1]})"), 1), {"'t'"}},
    {"metadata not strings", made::raw_safetensors(R"({"__metadata__":{"n":1}})", 0), {"__metadata__", "'n'"}},
    {"deep nesting", made::raw_safetensors(R"({"t":)" + std::string(200000, '[') + std::string(200000, ']') + "}", 0), {"nested deeper than 64"}},
};

class RefusedSafetensors : public testing::TestWithParam<refused_case> {};

TEST_P(RefusedSafetensors, SaysWhy) {
  const std::string error = error_of(GetParam().file);
  EXPECT_EQ(error.rfind("made.safetensors:", 0), 0u) << error;
  for (const std::string& word : GetParam().words)
    EXPECT_NE(error.find(word), std::string::npos) << "no '" << word << "' in: " << error.substr(0, 400);
}

INSTANTIATE_TEST_SUITE_P(Files, RefusedSafetensors, testing::ValuesIn(refused));

TEST(Safetensors, FilesThatCannotBeOpenedAreIoErrors) {
  const made::folder folder("io");
  for (const std::string& path : {folder / "missing.safetensors", folder.path()}) {
    const auto opened = tensor_file::open(path);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code(), status_code::io_error);
    EXPECT_NE(opened.error().text().find(path), std::string::npos) << opened.error().text();
  }
}

/// Any tensor that is handed out lies in the file, and its bytes can be read.
void touch(const tensor_file& file, std::span<const std::byte> bytes) {
  for (const stored_tensor& t : file.tensors()) {
    const auto* begin = static_cast<const std::byte*>(t.data);
    ASSERT_GE(begin, bytes.data());
    ASSERT_LE(begin + t.bytes, bytes.data() + bytes.size());
  }
}

TEST(Safetensors, MutatedFilesAreRefusedOrSound) {
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"BF16","shape":[2,4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[3],"data_offsets":[16,28]},)"
      R"("c":{"dtype":"U8","shape":[0],"data_offsets":[28,28]}})";
  const std::string whole = made::raw_safetensors(header, 28);
  std::uint64_t seed = 2463534242u;
  int accepted = 0;
  const int rounds = 20000;
  for (int i = 0; i < rounds; ++i) {
    std::string file = whole;
    const int changes = 1 + static_cast<int>(made::next(seed) % 4);
    for (int c = 0; c < changes; ++c) {
      const std::size_t place = made::next(seed) % file.size();
      switch (made::next(seed) % 5) {
        case 0: file[place] = static_cast<char>(made::next(seed)); break;
        case 1: file[place] = "0123456789[]{},:\"-"[made::next(seed) % 18]; break;
        case 2: file.resize(std::max<std::size_t>(place, 1)); break;
        case 3: file.insert(place, 1, static_cast<char>('0' + made::next(seed) % 10)); break;
        case 4: file.erase(place, 1 + made::next(seed) % 3); break;
      }
      if (file.empty()) file = "x";
    }
    // An exact allocation, so that a sanitizer sees a read past the end.
    const std::vector<char> exact(file.begin(), file.end());
    const auto bytes = std::as_bytes(std::span(exact));
    const auto opened = tensor_file::view(bytes, "mutated");
    if (!opened) {
      EXPECT_EQ(opened.error().code(), status_code::bad_file);
      EXPECT_FALSE(opened.error().text().empty());
      continue;
    }
    ++accepted;
    touch(*opened, bytes);
  }
  EXPECT_GT(accepted, 0) << "mutations of data bytes alone must pass";
  EXPECT_LT(accepted, rounds / 2) << "the reader accepts nearly anything";
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const made::folder folder("round");
  made::tensors model = made::separate_model(2);
  model.add("scalar", "F32", {});
  model.add("empty", "F16", {0, 3});
  const std::string path = folder / "model.safetensors";
  const status written = write_safetensors(path, model.list(), {{"format", "pt"}, {"quote", "\"\n"}});
  ASSERT_TRUE(written.ok()) << written.text();
  const auto opened = tensor_file::open(path);
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  EXPECT_EQ(opened->metadata().at("quote"), "\"\n");
  ASSERT_EQ(opened->tensors().size(), model.list().size());
  for (const stored_tensor& t : model.list()) {
    const stored_tensor* back = opened->find(t.name);
    ASSERT_NE(back, nullptr) << t.name;
    EXPECT_EQ(back->type, t.type);
    EXPECT_EQ(back->shape, t.shape);
    ASSERT_EQ(back->bytes, t.bytes);
    const auto elements = [](const stored_tensor& x) { return std::string_view(static_cast<const char*>(x.data), x.bytes); };
    EXPECT_EQ(elements(*back), elements(t)) << t.name;
  }
  EXPECT_EQ(folder.files(), std::vector<std::string>{"model.safetensors"}) << "no partial file is left";
}

TEST(Safetensors, TheWriterRefuses) {
  const made::folder folder("refuse");
  const float value = 1;
  const stored_tensor fine{"t", "F32", {1}, &value, 4};
  const std::string path = folder / "x.safetensors";
  stored_tensor lies = fine;
  lies.shape = {2};
  stored_tensor unknown = fine;
  unknown.type = "F33";
  stored_tensor negative = fine;
  negative.shape = {-1};
  for (const auto& list : {std::vector{fine, fine}, std::vector{lies}, std::vector{unknown}, std::vector{negative}}) {
    const status s = write_safetensors(path, list);
    EXPECT_EQ(s.code(), status_code::invalid_argument);
    EXPECT_NE(s.text().find("'t'"), std::string::npos) << s.text();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(write_safetensors(folder / "no/such/x.safetensors", std::vector{fine}).code(), status_code::io_error);
}

TEST(Safetensors, AFileThatCannotBeFinishedIsNotThere) {
  const made::folder folder("unfinished");
  const float value = 1;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{}, low{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  low = {16, before.rlim_max};  // as a full disk: the header does not fit
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  const status s = write_safetensors(folder / "x.safetensors", std::vector{stored_tensor{"t", "F32", {1}, &value, 4}});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(s.code(), status_code::io_error);
  EXPECT_NE(s.text().find("File too large"), std::string::npos) << s.text();
  EXPECT_TRUE(folder.files().empty());
}

TEST(Safetensors, APipeIsNotWaitedFor) {
  const made::folder folder("pipe");
  ASSERT_EQ(::mkfifo((folder / "x.safetensors").c_str(), 0600), 0);
  const auto opened = tensor_file::open(folder / "x.safetensors");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), status_code::io_error);
  EXPECT_NE(opened.error().text().find("not a regular file"), std::string::npos) << opened.error().text();
}

TEST(Safetensors, TwoWritersOfOneFileDontMix) {
  const made::folder folder("writers");
  const std::vector<float> values(1 << 16, 1.0f);
  const auto write = [&](std::int64_t count) {
    const stored_tensor t{"t", "F32", {count}, values.data(), static_cast<std::size_t>(count) * 4};
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_safetensors(folder / "x.safetensors", std::vector{t}).ok());
  };
  std::thread other(write, 1 << 16);
  write(3);
  other.join();
  EXPECT_TRUE(tensor_file::open(folder / "x.safetensors").ok());
  EXPECT_EQ(folder.files().size(), 1u);
}

}  // namespace
}  // namespace tileglu
