// What the rows of the paper's kernels take, and how they refuse the rest.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "plan/config/interleaved_shape.hpp"
#include "plan/tables/paper_rows.hpp"
#include "tileglu/tileglu.hpp"

namespace {

using namespace tileglu;

problem small(weight_layout layout) {
  problem p;
  p.m = 33;
  p.n = 200;
  p.k = 136;
  p.layout = layout;
  return p;
}

result<execution_plan> ask(const problem& p, std::string_view row) {
  plan_options options;
  options.kernel = row;
  return plan(p, *device_by_name("h200"), options);
}

void expect_refused(const problem& p, std::string_view row, std::string_view words) {
  const auto made = ask(p, row);
  ASSERT_FALSE(made.ok()) << row;
  EXPECT_EQ(made.error().code(), status_code::unsupported);
  EXPECT_NE(made.error().text().find(words), std::string::npos) << made.error().text();
}

TEST(GateFirstRows, TakeEveryLayoutActivationAndNumerics) {
  for (const kernel_row& row : plan_detail::gate_first_rows)
    for (auto layout : {weight_layout::separate, weight_layout::stacked_gate_up, weight_layout::stacked_up_gate, weight_layout::interleaved}) {
      problem p = small(layout);
      EXPECT_TRUE(ask(p, row.name).ok()) << row.name;
      p.act = gpt_oss_activation();
      p.bias = true;
      p.mode = numerics::match_unfused;
      EXPECT_TRUE(ask(p, row.name).ok()) << row.name;
    }
}

class InterleavedRows : public testing::Test {
  void SetUp() override {
    const auto made = ask(small(weight_layout::interleaved), plan_detail::interleaved_rows[0].name);
    if (!made.ok() && made.error().text().find("CUTLASS") != std::string::npos) GTEST_SKIP() << "built without CUTLASS";
  }
};

TEST_F(InterleavedRows, WantTheirLayout) {
  for (const kernel_row& row : plan_detail::interleaved_rows) {
    EXPECT_TRUE(ask(small(weight_layout::interleaved), row.name).ok()) << row.name;
    expect_refused(small(weight_layout::stacked_gate_up), row.name, "layout is stacked_gate_up; allowed is interleaved");
    problem wide = small(weight_layout::interleaved);
    wide.n = std::int64_t{1} << 30;
    expect_refused(wide, row.name, "n is 1073741824");
    problem padded = small(weight_layout::interleaved);
    padded.ldw = (std::int64_t{1} << 37) + 8;
    expect_refused(padded, row.name, "ldw is 137438953480");
  }
}

TEST_F(InterleavedRows, RefuseMoreThanPlainSiluWhereRegistersAreFull) {
  int full = 0;
  for (const kernel_row& row : plan_detail::interleaved_rows) {
    const bool general = covers_general(std::get<interleaved_config>(row.config));
    full += !general;
    problem gelu = small(weight_layout::interleaved), clamp = gelu, bias = gelu, unfused = gelu;
    gelu.act.kind = activation_kind::gelu_erf;
    clamp.act.limit = 7;
    bias.bias = true;
    unfused.mode = numerics::match_unfused;
    if (general) {
      for (const problem& p : {gelu, clamp, bias, unfused}) EXPECT_TRUE(ask(p, row.name).ok()) << row.name;
    } else {
      expect_refused(gelu, row.name, "act.kind is gelu_erf; allowed is silu");
      expect_refused(clamp, row.name, "act.limit is 7");
      expect_refused(bias, row.name, "bias is true");
      expect_refused(unfused, row.name, "mode is match_unfused");
    }
  }
  EXPECT_GT(full, 0) << "no row is left that this test is about";
}

}  // namespace
