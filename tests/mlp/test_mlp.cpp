// The whole MLP on the CPU against float64: values, refusals, and the memory that it may touch.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

std::vector<std::uint16_t> random_elements(std::size_t count, dtype type, double scale, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<std::uint16_t> values(count);
  for (auto& v : values) v = from_double(type, normal(generator));
  return values;
}

struct mlp_case {
  mlp_problem problem;
  std::string kernel;
};

/// Inputs, an output and a workspace poisoned with NaN, with guards around both.
class mlp_memory {
 public:
  explicit mlp_memory(const mlp_problem& p, std::size_t workspace_bytes) : p_(p) {
    const problem& g = p.gate_up;
    const auto size = [](std::int64_t v) { return static_cast<std::size_t>(v); };
    ldd_ = p.ldd ? p.ldd : g.n;
    ldz_ = p.ldz ? p.ldz : p.hidden_out;
    const bool separate = g.layout == weight_layout::separate;
    const double w_scale = g.k ? 1 / std::sqrt(static_cast<double>(g.k)) : 1, d_scale = g.n ? 1 / std::sqrt(static_cast<double>(g.n)) : 1;
    x = random_elements(size(g.m * row_stride_x(g)) + 1, g.x_type, 1, 1);
    w1 = random_elements(size((separate ? 1 : 2) * g.n * row_stride_w(g)) + 1, g.x_type, w_scale, 2);
    w2 = random_elements(size(separate ? g.n * row_stride_w(g) : 0) + 1, g.x_type, w_scale, 3);
    wd = random_elements(size(p.hidden_out * ldd_) + 1, g.x_type, d_scale, 4);
    bias_gate = random_elements(size(g.n) + 1, g.x_type, 1, 5);
    bias_up = random_elements(size(g.n) + 1, g.x_type, 1, 6);
    bias_down = random_elements(size(p.hidden_out) + 1, g.x_type, 1, 7);
    z.assign(size(p.gate_up.m * ldz_) + 2 * guard, poison);
    auto made = buffer::allocate(this_cpu(), workspace_bytes + 256);
    EXPECT_TRUE(made.ok());
    workspace = *made;
    EXPECT_TRUE(workspace.fill(0xff).ok());
    bytes_ = workspace_bytes;
  }

  mlp_tensors tensors_of() {
    const problem& g = p_.gate_up;
    const auto weights = g.layout == weight_layout::separate          ? gate_up_weights::separate(w1.data(), w2.data())
                         : g.layout == weight_layout::stacked_gate_up ? gate_up_weights::stacked_gate_up(w1.data())
                         : g.layout == weight_layout::stacked_up_gate ? gate_up_weights::stacked_up_gate(w1.data())
                                                                      : gate_up_weights::interleaved(w1.data());
    mlp_tensors t{tensors{x.data(), weights}};
    t.gate_up.bias_gate = g.bias ? bias_gate.data() : nullptr;
    t.gate_up.bias_up = g.bias ? bias_up.data() : nullptr;
    t.w_down = wd.data();
    t.bias_down = p_.down_bias ? bias_down.data() : nullptr;
    t.z = z.data() + guard;
    t.workspace = workspace.data();
    t.workspace_bytes = bytes_;
    return t;
  }

  std::vector<double> result() const {
    std::vector<double> values;
    for (std::int64_t i = 0; i < p_.gate_up.m; ++i)
      for (std::int64_t j = 0; j < p_.hidden_out; ++j)
        values.push_back(to_double(p_.gate_up.x_type, z[guard + static_cast<std::size_t>(i * ldz_ + j)]));
    return values;
  }

  bool guards_hold() const {
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(guard);
      const bool inside = at >= 0 && at < p_.gate_up.m * ldz_ && at % ldz_ < p_.hidden_out;
      if (!inside && z[i] != poison) return false;
    }
    const auto* after = static_cast<const unsigned char*>(workspace.data()) + bytes_;
    for (int i = 0; i < 256; ++i)
      if (after[i] != 0xff) return false;
    return true;
  }

  /// Z from Y [m, n] in the arithmetic of Real; rounded at the end where `rounded`.
  template <class Real>
  std::vector<double> down(const std::vector<double>& y, bool rounded) const {
    std::vector<double> values;
    for (std::int64_t i = 0; i < p_.gate_up.m; ++i)
      for (std::int64_t j = 0; j < p_.hidden_out; ++j) {
        Real sum = 0;
        for (std::int64_t l = 0; l < p_.gate_up.n; ++l)
          sum += static_cast<Real>(y[static_cast<std::size_t>(i * p_.gate_up.n + l)]) *
                 static_cast<Real>(to_double(p_.gate_up.x_type, wd[static_cast<std::size_t>(j * ldd_ + l)]));
        if (p_.down_bias) sum += static_cast<Real>(to_double(p_.gate_up.x_type, bias_down[static_cast<std::size_t>(j)]));
        const auto value = static_cast<double>(sum);
        values.push_back(rounded ? to_double(p_.gate_up.x_type, from_double(p_.gate_up.x_type, value)) : value);
      }
    return values;
  }

  static constexpr std::size_t guard = 64;
  static constexpr std::uint16_t poison = 0x7fff;  // a NaN of both types
  std::vector<std::uint16_t> x, w1, w2, wd, bias_gate, bias_up, bias_down, z;
  buffer workspace;

 private:
  mlp_problem p_;
  std::int64_t ldd_ = 0, ldz_ = 0;
  std::size_t bytes_ = 0;
};

class MlpValues : public testing::TestWithParam<mlp_case> {};

TEST_P(MlpValues, AreThoseOfFloat64WithinTheErrorOfFloat32) {
  const mlp_problem& p = GetParam().problem;
  plan_options options;
  options.kernel = GetParam().kernel;
  const auto chosen = plan(p, this_cpu(), options);
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  mlp_memory memory(p, chosen->workspace);
  const mlp_tensors t = memory.tensors_of();
  const status s = run(*chosen, t);
  ASSERT_TRUE(s.ok()) << s.text();
  EXPECT_TRUE(memory.guards_hold());
  const auto y64 = reference_gated_linear(p.gate_up, t.gate_up);
  const auto y32 = float32_gated_linear(p.gate_up, t.gate_up);
  ASSERT_TRUE(y64.ok() && y32.ok());
  const std::vector<double> reference = memory.down<double>(*y64, false);
  const double honest = relative_error(memory.down<float>(*y32, true), reference);
  EXPECT_LE(relative_error(memory.result(), reference), 1.1 * honest + 1e-12);
}

problem gate_up(std::int64_t m, std::int64_t n, std::int64_t k, weight_layout layout = weight_layout::separate) {
  problem p{.m = m, .n = n, .k = k};
  p.layout = layout;
  return p;
}

problem with(problem p, dtype type, activation act, bool bias, numerics mode) {
  p.x_type = p.w_type = p.y_type = type;
  p.act = act, p.bias = bias, p.mode = mode;
  return p;
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, MlpValues,
    testing::Values(
        mlp_case{{.gate_up = gate_up(5, 96, 64), .hidden_out = 64}, ""}, mlp_case{{.gate_up = gate_up(1, 96, 64), .hidden_out = 40}, ""},
        mlp_case{{.gate_up = gate_up(33, 75, 51, weight_layout::stacked_gate_up), .hidden_out = 37, .ldd = 80, .ldz = 41, .down_bias = true}, ""},
        mlp_case{{.gate_up = with(gate_up(17, 64, 80, weight_layout::interleaved), dtype::fp16, gpt_oss_activation(), true, numerics::fp32_through),
                  .hidden_out = 24,
                  .down_bias = true},
                 ""},
        mlp_case{{.gate_up = with(gate_up(7, 48, 32, weight_layout::stacked_up_gate), dtype::bf16, {activation_kind::gelu_tanh}, true,
                                  numerics::match_unfused),
                  .hidden_out = 32},
                 ""},
        mlp_case{{.gate_up = gate_up(9, 40, 32), .hidden_out = 16}, "oracle"},
        mlp_case{{.gate_up = with(gate_up(3, 16, 0), dtype::bf16, {}, true, numerics::fp32_through), .hidden_out = 8}, ""}));

TEST(Mlp, NoRowsNoWork) {
  const auto chosen = plan(mlp_problem{.gate_up = gate_up(0, 96, 64), .hidden_out = 64}, this_cpu());
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  const status s = run(*chosen, mlp_tensors{tensors{nullptr, gate_up_weights::separate(nullptr, nullptr)}});
  EXPECT_TRUE(s.ok()) << s.text();
}

TEST(Mlp, NoIntermediateColumnsGiveTheBias) {
  const mlp_problem p{.gate_up = gate_up(2, 0, 8), .hidden_out = 3, .down_bias = true};
  const auto chosen = plan(p, this_cpu());
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  mlp_memory memory(p, chosen->workspace);
  const status s = run(*chosen, memory.tensors_of());
  ASSERT_TRUE(s.ok()) << s.text();
  const std::vector<double> z = memory.result();
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(z[i], to_double(dtype::bf16, memory.bias_down[i % 3]));
}

struct refusal_case {
  mlp_problem problem;
  std::string words;
};

class MlpRefusals : public testing::TestWithParam<refusal_case> {};

TEST_P(MlpRefusals, NameTheArgument) {
  const auto chosen = plan(GetParam().problem, this_cpu());
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code(), status_code::invalid_argument);
  EXPECT_EQ(chosen.error().text().rfind(GetParam().words, 0), 0u) << chosen.error().text();
}

problem with_ldy(problem p, std::int64_t ldy) {
  p.ldy = ldy;
  return p;
}

INSTANTIATE_TEST_SUITE_P(Plan, MlpRefusals,
                         testing::Values(refusal_case{{.gate_up = gate_up(1, 8, 8), .hidden_out = -1}, "hidden_out is -1"},
                                         refusal_case{{.gate_up = gate_up(1, 8, 8), .hidden_out = 8, .ldd = 7}, "ldd is 7"},
                                         refusal_case{{.gate_up = gate_up(1, 8, 8), .hidden_out = 8, .ldz = 3}, "ldz is 3"},
                                         refusal_case{{.gate_up = gate_up(-1, 8, 8), .hidden_out = 8}, "m is -1"},
                                         refusal_case{{.gate_up = with_ldy(gate_up(1, 8, 8), 8), .hidden_out = 8}, "gate_up.ldy is 8"}));

class MlpCalls : public testing::Test {
 protected:
  const mlp_problem p_{.gate_up = gate_up(4, 32, 16), .hidden_out = 16, .down_bias = true};
  const result<mlp_plan> plan_ = plan(p_, this_cpu());
  mlp_memory memory_{p_, plan_.ok() ? plan_->workspace : 0};

  void expect_refused(const mlp_tensors& t, status_code code, const std::string& words) {
    ASSERT_TRUE(plan_.ok());
    const status s = run(*plan_, t);
    EXPECT_EQ(s.code(), code) << s.text();
    EXPECT_NE(s.text().find(words), std::string::npos) << s.text();
  }
};

TEST_F(MlpCalls, ASmallWorkspaceIsRefused) {
  mlp_tensors t = memory_.tensors_of();
  t.workspace_bytes = plan_->workspace - 1;
  expect_refused(t, status_code::workspace_too_small, "this plan needs " + std::to_string(plan_->workspace));
}

TEST_F(MlpCalls, NullsAreNamed) {
  for (const auto& [field, words] : {std::pair{&mlp_tensors::w_down, "w_down is null"}, std::pair{&mlp_tensors::bias_down, "bias_down is null"}}) {
    mlp_tensors t = memory_.tensors_of();
    t.*field = nullptr;
    expect_refused(t, status_code::invalid_argument, words);
  }
  mlp_tensors t = memory_.tensors_of();
  t.z = nullptr;
  expect_refused(t, status_code::invalid_argument, "z is null");
  t = memory_.tensors_of();
  t.workspace = nullptr;
  expect_refused(t, status_code::invalid_argument, "workspace is null");
}

TEST_F(MlpCalls, OverlapsAreNamed) {
  mlp_tensors t = memory_.tensors_of();
  t.z = memory_.wd.data();
  expect_refused(t, status_code::invalid_argument, "overlaps w_down");
  t = memory_.tensors_of();
  t.z = t.workspace;
  expect_refused(t, status_code::invalid_argument, "workspace overlaps z");
}

TEST(Mlp, AnEmptyPlanIsRefused) {
  EXPECT_EQ(run(mlp_plan{}, mlp_tensors{tensors{nullptr, gate_up_weights::separate(nullptr, nullptr)}}).code(), status_code::invalid_argument);
  EXPECT_EQ(prepare(mlp_plan{}).code(), status_code::invalid_argument);
}

TEST(Mlp, AWorkspaceLimitThatYDoesNotFitIsRefused) {
  plan_options options;
  options.workspace_limit = 100;
  const auto chosen = plan(mlp_problem{.gate_up = gate_up(4, 32, 16), .hidden_out = 16}, this_cpu(), options);
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code(), status_code::unsupported);
}

}  // namespace
}  // namespace tileglu
