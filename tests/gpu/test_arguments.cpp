#include "gpu/arguments.hpp"

#include <gtest/gtest.h>

namespace tileglu::gpu_check {
namespace {

std::string parse_words(std::vector<const char*> words, arguments& a) {
  words.insert(words.begin(), "gpu_check");
  return parse(static_cast<int>(words.size()), words.data(), a);
}

std::string refused(std::vector<const char*> words) {
  arguments a;
  return parse_words(std::move(words), a);
}

TEST(Arguments, AreTaken) {
  arguments a;
  ASSERT_EQ(parse_words({"--full", "--part", "2/4", "--seconds", "90.5", "--kernels", "paired,portable", "--checks", "sweep", "--json", "a.json"}, a),
            "");
  EXPECT_EQ(a.of, amount::full);
  EXPECT_EQ(a.share.number, 2);
  EXPECT_EQ(a.share.of, 4);
  EXPECT_EQ(a.seconds, 90.5);
  EXPECT_EQ(a.kernels, (std::vector<std::string>{"paired", "portable"}));
  EXPECT_EQ(a.checks, std::vector<std::string>{"sweep"});
  EXPECT_EQ(a.json, "a.json");
  EXPECT_EQ(a.command, "gpu_check --full --part 2/4 --seconds 90.5 --kernels paired,portable --checks sweep");
}

TEST(Arguments, AreOptional) {
  arguments a;
  ASSERT_EQ(parse_words({}, a), "");
  EXPECT_EQ(a.of, amount::whole);
  EXPECT_EQ(a.share.number, 1);
  EXPECT_EQ(a.share.of, 1);
  EXPECT_EQ(a.seconds, 0);
}

TEST(Arguments, OfAProfile) {
  arguments a;
  ASSERT_EQ(parse_words({"--profile", "portable,16,256,128"}, a), "");
  EXPECT_EQ(a.profiled_row, "portable");
  EXPECT_EQ(a.profiled_size[2], 128);
  for (const char* words : {"portable,16", "portable,16,256,wide", "portable,16,-8,128"})
    EXPECT_EQ(refused({"--profile", words}), std::string("--profile is '") + words + "'; allowed is ROW,M,N,K with numbers of at least 0");
}

TEST(Arguments, WrongOnesAreNamed) {
  for (const char* part : {"0/4", "5/4", "-1/4", "1/0", "1", "1/", "/4", "1/4x", "a/b", ""})
    EXPECT_EQ(refused({"--part", part}), "--part is '" + std::string(part) + "'; allowed is I/N with 1 <= I <= N");
  for (const char* seconds : {"0", "-3", "x", "3s", ""})
    EXPECT_EQ(refused({"--seconds", seconds}), "--seconds is '" + std::string(seconds) + "'; allowed is a number above 0");
  EXPECT_EQ(refused({"--checks", "sweep,sweeps"}),
            "--checks has 'sweeps'; allowed are packing, bad_input, repeats, row_bits, unfused_bits, whole_mlp, sweep");
  EXPECT_EQ(refused({"--fast"}), "'--fast' is no option");
  EXPECT_EQ(refused({"--part"}), "--part needs a value");
}

}  // namespace
}  // namespace tileglu::gpu_check
