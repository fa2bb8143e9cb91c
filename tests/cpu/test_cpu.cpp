// The CPU backend through the public calls, against the float64 oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "cpu/made_case.hpp"

namespace tileglu {
namespace {

using testing::good;
using testing::made_case;
using testing::make_case;
using testing::random_problem;
using testing::run_with;
using testing::values;

constexpr const char* kernels[] = {"cpu_blocked", "cpu_onednn", "cpu_stream"};

bool absent(const std::string& kernel) { return kernel == "cpu_onednn" && !this_cpu().onednn; }

/// What the kernel takes: few rows for streaming, no empty products for oneDNN.
problem fitted(problem p, const std::string& kernel) {
  if (kernel == "cpu_stream") p.m = std::min<std::int64_t>(p.m, 4);
  if (kernel != "cpu_onednn" || p.k > 0) return p;
  p.k = 1, p.ldx = p.ldw = 0;
  return p;
}

class EveryKernel : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (absent(GetParam())) GTEST_SKIP() << "this build has no oneDNN";
  }
};

INSTANTIATE_TEST_SUITE_P(Cpu, EveryKernel, ::testing::ValuesIn(kernels), [](const auto& named) { return std::string(named.param); });

TEST_P(EveryKernel, RandomProblems) {
  std::mt19937 random(1);
  const bool stream = std::string(GetParam()) == "cpu_stream";
  for (std::uint32_t i = 0; i < 200; ++i) {
    made_case c = make_case(fitted(random_problem(random, stream ? 4 : 90, 120, 200), GetParam()), i);
    run_with(c, GetParam());
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

TEST_P(EveryKernel, SizesThatFillBlocksAndPassThem) {
  // Over 512 rows, over one block of K of bf16 (1024) and fp16 (512), over a block of columns.
  for (const auto& [m, n, k] : {std::tuple{1, 300, 1500}, {16, 33, 2100}, {64, 97, 64}, {65, 48, 1025}, {130, 49, 513}, {515, 13, 70}}) {
    for (const dtype type : {dtype::bf16, dtype::fp16}) {
      made_case c = make_case(fitted({.m = m, .n = n, .k = k, .x_type = type, .w_type = type, .y_type = type, .bias = true}, GetParam()), 5);
      run_with(c, GetParam());
      ASSERT_TRUE(good(c));
    }
  }
}

TEST_P(EveryKernel, AdversarialValues) {
  for (const values kind : {values::large, values::tiny, values::wide, values::equal, values::cancelling})
    for (const dtype type : {dtype::bf16, dtype::fp16})
      for (const auto act : {activation_kind::silu, activation_kind::gelu_erf, activation_kind::gelu_tanh}) {
        const problem p{.m = 24, .n = 150, .k = 257, .x_type = type, .w_type = type, .y_type = type, .act = {act}};
        made_case c = make_case(fitted(p, GetParam()), 7, kind);
        run_with(c, GetParam());
        ASSERT_TRUE(good(c)) << "values " << static_cast<int>(kind);
      }
}

TEST_P(EveryKernel, NanAndInfinityGoWhereFloat32PutsThem) {
  for (int kind = 0; kind < 7; ++kind) {
    problem p = fitted({.m = 20, .n = 40, .k = 33, .layout = weight_layout::interleaved}, GetParam());
    p.act.kind = static_cast<activation_kind>(kind);
    made_case c = make_case(p, 11);
    const auto put = [&](std::vector<std::uint16_t>& to, std::size_t at, double value) { to[at] = from_double(dtype::bf16, value); };
    put(c.x, 0 * 33 + 32, INFINITY);          // the odd last element of row 0
    put(c.x, 2 * 33 + 5, -INFINITY);
    put(c.w0, (2 * 7) * 33 + 3, NAN);         // gate of column 7
    put(c.w0, (2 * 9 + 1) * 33 + 32, NAN);    // up of column 9
    put(c.w0, (2 * 39) * 33 + 1, INFINITY);   // gate of the last column
    run_with(c, GetParam());
    ASSERT_TRUE(c.guards_hold());
    const auto want = float32_gated_linear(p, c.memory());
    const auto got = c.output();
    ASSERT_TRUE(want.ok());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(std::isnan(got[i]), std::isnan((*want)[i])) << describe(p) << " at " << i;
      if (!std::isinf((*want)[i])) continue;
      ASSERT_EQ(got[i], (*want)[i]) << describe(p) << " at " << i;
    }
  }
}

TEST_P(EveryKernel, TwoThreadsAtOnceGetTheBitsOfOne) {
  const problem p = fitted({.m = 70, .n = 200, .k = 130}, GetParam());
  made_case first = make_case(p, 1), second = make_case(p, 2);
  run_with(first, GetParam());
  run_with(second, GetParam());
  const auto want_first = first.y, want_second = second.y;
  plan_options options;
  options.kernel = GetParam();
  const auto made = plan(p, this_cpu(), options);
  ASSERT_TRUE(made.ok());
  const auto repeat = [&](made_case& c, const std::vector<std::uint16_t>& want, int& wrong) {
    for (int i = 0; i < 20; ++i) {
      c.poison();
      if (!run(*made, c.memory()).ok() || c.y != want) ++wrong;
    }
  };
  int wrong[2] = {};
  std::thread other([&] { repeat(second, want_second, wrong[1]); });
  repeat(first, want_first, wrong[0]);
  other.join();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
}

TEST_P(EveryKernel, TheNumberOfThreadsChangesNoBit) {
  for (const dtype type : {dtype::bf16, dtype::fp16}) {
    made_case c = make_case(fitted({.m = 70, .n = 333, .k = 300, .x_type = type, .w_type = type, .y_type = type}, GetParam()), 3);
    std::vector<std::uint16_t> one;
    for (const int threads : {1, 2, 3}) {
      run_with(c, GetParam(), threads);
      if (threads == 1) one = c.y;
      EXPECT_EQ(c.y, one) << threads << " threads";
    }
  }
}

TEST(Cpu, EveryValueOfTheGate) {
  // k = 1, x = 1, up = 1: y is act(gate) of all 65536 bit patterns of fp16, rounded once: within 0.51 units of the last place.
  constexpr std::int64_t n = 65536;
  std::vector<std::uint16_t> gate(n), up(n, from_double(dtype::fp16, 1)), y(n);
  for (std::int64_t j = 0; j < n; ++j) gate[static_cast<std::size_t>(j)] = static_cast<std::uint16_t>(j);
  const std::uint16_t one = from_double(dtype::fp16, 1);
  for (int kind = 0; kind < 7; ++kind) {
    problem p{.m = 1, .n = n, .k = 1, .x_type = dtype::fp16, .w_type = dtype::fp16, .y_type = dtype::fp16};
    p.act.kind = static_cast<activation_kind>(kind);
    const tensors t{.x = &one, .w = gate_up_weights::separate(gate.data(), up.data()), .y = y.data()};
    const auto exact = reference_gated_linear(p, t);
    const auto made = plan(p, this_cpu());
    ASSERT_TRUE(exact.ok() && made.ok() && run(*made, t).ok());
    for (std::size_t j = 0; j < n; ++j) {
      const double want = (*exact)[j], got = to_double(dtype::fp16, y[j]);
      ASSERT_EQ(std::isnan(want), std::isnan(got)) << name(p.act.kind) << " of " << to_double(dtype::fp16, gate[j]);
      if (std::isnan(want)) continue;
      if (std::fabs(want) >= 65520) {
        ASSERT_EQ(got, std::copysign(INFINITY, want));
        continue;
      }
      const double unit = std::exp2(std::max(-24, std::ilogb(want == 0 ? 1e-30 : want) - 10));
      ASSERT_LE(std::fabs(got - want), 0.51 * unit) << name(p.act.kind) << " of " << to_double(dtype::fp16, gate[j]);
    }
  }
}

TEST(Cpu, EmptySums) {
  for (const std::int64_t m : {1, 20}) {
    made_case c = make_case({.m = m, .n = 9, .k = 0, .act = {activation_kind::sigmoid}, .bias = true}, 1);
    run_with(c, "");
    EXPECT_TRUE(good(c));
  }
  const auto made = plan({.m = 0, .n = 8, .k = 8}, this_cpu());
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(run(*made, {.x = nullptr, .w = gate_up_weights::separate(&made, &made), .y = nullptr}).ok());
}

TEST(Cpu, TheBaselineIsChosenOnlyByName) {
  for (const std::int64_t m : {1, 5, 600}) {
    const auto made = plan({.m = m, .n = 96, .k = 64}, this_cpu());
    ASSERT_TRUE(made.ok());
    EXPECT_NE(made->row, "cpu_unfused");
    EXPECT_EQ(made->workspace, 0u);
  }
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < 60; ++i) {
    problem p = random_problem(random, 40, 100, 150);
    p.mode = numerics::match_unfused;
    made_case c = make_case(p, i);
    run_with(c, "cpu_unfused");
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

}  // namespace
}  // namespace tileglu
