// Every value that no backend could accept is refused, in words that name the argument, the value and what is allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;

struct wrong_value {
  const char* title;
  std::function<void(problem&)> spoil;
  const char* argument;  ///< what the text begins with
  const char* value;     ///< what it says of the value
  const char* allowed;   ///< what it says is allowed
};

void PrintTo(const wrong_value& w, std::ostream* out) { *out << w.title; }

class Validate : public ::testing::TestWithParam<wrong_value> {};

TEST_P(Validate, NamesTheArgumentTheValueAndWhatIsAllowed) {
  problem p{.m = 4, .n = 16, .k = 8};
  ASSERT_TRUE(validate(p).ok());
  GetParam().spoil(p);
  const status s = validate(p);
  EXPECT_EQ(s.code(), status_code::invalid_argument);
  EXPECT_EQ(s.text().find(GetParam().argument), 0u) << s.text();
  EXPECT_NE(s.text().find(GetParam().value), std::string::npos) << s.text();
  EXPECT_NE(s.text().find("allowed"), std::string::npos) << s.text();
  EXPECT_NE(s.text().find(GetParam().allowed), std::string::npos) << s.text();
  const auto planned = plan(p, this_cpu());  // plan() asks the same
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.error().text(), s.text());
}

const wrong_value wrong_values[] = {
    {"m_negative", [](problem& p) { p.m = -1; }, "m is ", "-1", "0 to"},
    {"n_negative", [](problem& p) { p.n = -7; }, "n is ", "-7", "0 to"},
    {"k_negative", [](problem& p) { p.k = std::numeric_limits<std::int64_t>::min(); }, "k is ", "-9223372036854775808", "0 to"},
    {"m_too_large", [](problem& p) { p.m = most + 1; }, "m is ", "1099511627777", "1099511627776"},
    {"n_largest_int", [](problem& p) { p.n = std::numeric_limits<std::int64_t>::max(); }, "n is ", "9223372036854775807", "0 to"},
    {"x_overflows", [](problem& p) { p.m = most, p.k = most; }, "ldx", "1099511627776", "2^60"},
    {"w_overflows", [](problem& p) { p.n = most, p.k = most; }, "ldw", "1099511627776", "2^60"},
    {"y_overflows", [](problem& p) { p.m = most, p.n = most; }, "ldy", "1099511627776", "2^60"},
    {"stride_overflows", [](problem& p) { p.ldx = std::numeric_limits<std::int64_t>::max(); }, "ldx", "9223372036854775807", "2^60"},
    {"x_type_unknown", [](problem& p) { p.x_type = static_cast<dtype>(7); }, "x_type is ", "7", "bf16"},
    {"w_type_mixed", [](problem& p) { p.w_type = dtype::fp16; }, "w_type is ", "fp16", "bf16"},
    {"y_type_mixed", [](problem& p) { p.y_type = dtype::fp16; }, "y_type is ", "fp16", "bf16"},
    {"layout_unknown", [](problem& p) { p.layout = static_cast<weight_layout>(4); }, "layout is ", "4", "interleaved"},
    {"layout_negative", [](problem& p) { p.layout = static_cast<weight_layout>(-1); }, "layout is ", "-1", "separate"},
    {"activation_unknown", [](problem& p) { p.act.kind = static_cast<activation_kind>(7); }, "act.kind is ", "7", "gpt_oss"},
    {"numerics_unknown", [](problem& p) { p.mode = static_cast<numerics>(2); }, "mode is ", "2", "match_unfused"},
    {"limit_zero", [](problem& p) { p.act.limit = 0; }, "act.limit is ", "is 0; ", "above 0"},
    {"limit_negative", [](problem& p) { p.act.limit = -2; }, "act.limit is ", "is -2; ", "above 0"},
    {"limit_nan", [](problem& p) { p.act.limit = std::nanf(""); }, "act.limit is ", "nan", "above 0"},
    {"alpha_nan", [](problem& p) { p.act.alpha = std::nanf(""); }, "act.alpha is ", "nan", "finite"},
    {"alpha_infinite", [](problem& p) { p.act.alpha = std::numeric_limits<float>::infinity(); }, "act.alpha is ", "inf", "finite"},
    {"ldx_small", [](problem& p) { p.ldx = 7; }, "ldx is ", "7", "k = 8"},
    {"ldw_small", [](problem& p) { p.ldw = 1; }, "ldw is ", "1", "k = 8"},
    {"ldy_small", [](problem& p) { p.ldy = 15; }, "ldy is ", "15", "n = 16"},
    {"ldy_negative", [](problem& p) { p.ldy = -16; }, "ldy is ", "-16", "n = 16"},
};
INSTANTIATE_TEST_SUITE_P(, Validate, ::testing::ValuesIn(wrong_values), [](const auto& tested) { return std::string(tested.param.title); });

TEST(Validates, TheEdgesThatAreDefined) {
  EXPECT_TRUE(validate({.m = 0, .n = 0, .k = 0}).ok());
  EXPECT_TRUE(validate({.m = 0, .n = 16, .k = 8}).ok());
  EXPECT_TRUE(validate({.m = 4, .n = 16, .k = 0}).ok());
  EXPECT_TRUE(validate({.m = 1, .n = 1, .k = 1}).ok());
  problem padded{.m = 4, .n = 16, .k = 8};
  padded.ldx = 8, padded.ldw = 9, padded.ldy = 1000;
  EXPECT_TRUE(validate(padded).ok());
}

TEST(Words, EveryNameIsFoundAgain) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*dtype_by_name(name(static_cast<dtype>(i))), static_cast<dtype>(i));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(*layout_by_name(name(static_cast<weight_layout>(i))), static_cast<weight_layout>(i));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(*activation_by_name(name(static_cast<activation_kind>(i))), static_cast<activation_kind>(i));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*numerics_by_name(name(static_cast<numerics>(i))), static_cast<numerics>(i));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*backend_by_name(name(static_cast<backend_id>(i))), static_cast<backend_id>(i));
  const auto wrong = activation_by_name("swish");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().text().find("'swish'"), std::string::npos);
  EXPECT_NE(wrong.error().text().find("silu, gelu_tanh"), std::string::npos);
}

TEST(Describe, NumbersKeepTheirDigits) {
  problem p{.m = 1, .n = 2, .k = 3, .act = {activation_kind::gpt_oss, -3e38f, 1e-45f}};
  EXPECT_NE(describe(p).find("gpt_oss(alpha -3e+38) limit 1e-45 "), std::string::npos) << describe(p);
}

TEST(Describe, SaysEverythingThatIsNotDefault) {
  EXPECT_EQ(describe({.m = 16, .n = 4864, .k = 896}), "m=16 n=4864 k=896 bf16 separate silu fp32_through");
  problem p{.m = 1, .n = 2, .k = 3, .x_type = dtype::fp16, .layout = weight_layout::interleaved};
  p.act = gpt_oss_activation(), p.bias = true, p.mode = numerics::match_unfused;
  p.ldx = 5, p.ldw = 6, p.ldy = 7;
  for (const char* word : {"fp16", "interleaved", "gpt_oss(alpha 1.702)", "limit 7 ", "bias", "match_unfused", "ldx=5", "ldw=6", "ldy=7"})
    EXPECT_NE(describe(p).find(word), std::string::npos) << word << " is not in " << describe(p);
}

}  // namespace
}  // namespace tileglu
