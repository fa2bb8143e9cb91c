// Every instruction set of this machine and build, not only the best one; the plain product; the promise of match_unfused.
#include <gtest/gtest.h>

#include <memory>

#include "backend/port.hpp"
#include "cpu/made_case.hpp"
#include "cpu/product.hpp"
#include "cpu/unfused.hpp"

namespace tileglu {
namespace {

using testing::good;
using testing::made_case;
using testing::make_case;
using testing::random_problem;

class EverySet : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    set = cpu::find_kernel_set(GetParam());
    if (set == nullptr) GTEST_SKIP() << "not on this machine";
  }
  const cpu::kernel_set* set = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Cpu, EverySet, ::testing::Values("avx512_bf16", "avx512", "avx2", "portable"),
                         [](const auto& named) { return std::string(named.param); });

cpu::product_shape shape_of(const problem& p) {
  return {p.m, p.n, p.k, row_stride_x(p), row_stride_w(p) * layout::weight_row_step(p.layout), row_stride_y(p), true, p.x_type, p.mode, p.act, 2};
}

cpu::product_tensors memory_of(made_case& c) {
  const tensors t = c.memory();
  const auto* bias_gate = c.p.bias ? c.bias_gate.data() : nullptr;
  const auto* bias_up = c.p.bias ? c.bias_up.data() : nullptr;
  const layout::halves w = layout::resolve(c.p.layout, t.w.first(), t.w.second(), c.p.n, row_stride_w(c.p));
  return {c.x.data(), w, bias_gate, bias_up, static_cast<std::uint16_t*>(t.y)};
}

TEST_P(EverySet, RandomProblems) {
  std::mt19937 random(21);
  for (std::uint32_t i = 0; i < 120; ++i) {
    made_case c = make_case(random_problem(random, i % 2 ? 4 : 70, 90, 150), i);
    const auto product = i % 2 ? cpu::make_stream(shape_of(c.p), *set) : cpu::make_blocked(shape_of(c.p), *set);
    ASSERT_TRUE(product->run(memory_of(c)).ok());
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

TEST_P(EverySet, MatchUnfusedHasTheBitsOfThreeCalls) {
  std::mt19937 random(22);
  for (std::uint32_t i = 0; i < 60; ++i) {
    problem p = random_problem(random, i % 2 ? 4 : 70, 90, 150);
    p.mode = numerics::match_unfused;
    made_case fused = make_case(p, i), separate = fused;
    const cpu::product_shape shape = shape_of(p);
    const auto product = p.m <= cpu::stream_most_rows ? cpu::make_stream(shape, *set) : cpu::make_blocked(shape, *set);
    ASSERT_TRUE(product->run(memory_of(fused)).ok());
    std::vector<std::uint16_t> workspace(static_cast<std::size_t>(2 * p.m * p.n));
    ASSERT_TRUE(cpu::make_unfused(shape, *set)->run(memory_of(separate), workspace.data()).ok());
    ASSERT_EQ(fused.y, separate.y) << describe(p);
  }
}

TEST(CpuLinear, AgainstFloat64) {
  const backend* cpu = find_backend(backend_id::cpu);
  ASSERT_NE(cpu, nullptr);
  std::mt19937 random(23);
  const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
  for (int i = 0; i < 150; ++i) {
    const dtype type = i % 2 ? dtype::bf16 : dtype::fp16;
    linear_problem p{.m = pick(1, i % 3 ? 80 : 4), .n = pick(1, 120), .k = pick(1, 200), .type = type, .bias = pick(0, 1) == 1};
    p.ldx = p.k + pick(0, 5), p.ldw = p.k + pick(0, 5), p.ldy = p.n + pick(0, 5);
    using testing::values;
    const auto x = testing::fill(random, type, p.m, p.k, p.ldx, 1, values::normal);
    const auto w = testing::fill(random, type, p.n, p.k, p.ldw, 1, values::normal);
    const auto bias = testing::fill(random, type, 1, p.n, p.n, 1, values::normal);
    std::vector<std::uint16_t> y(static_cast<std::size_t>(p.m * p.ldy), testing::guard);
    std::shared_ptr<void> state;
    ASSERT_EQ(cpu->linear_workspace(p, this_cpu()), 0u);
    ASSERT_TRUE(cpu->prepare_linear(p, this_cpu(), state).ok());
    ASSERT_TRUE(cpu->run_linear(p, state, {.x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()}, nullptr).ok());
    std::vector<double> exact, plain, got;
    for (std::int64_t r = 0; r < p.m; ++r)
      for (std::int64_t c = 0; c < p.ldy; ++c) {
        const std::uint16_t bits = y[static_cast<std::size_t>(r * p.ldy + c)];
        if (c >= p.n) {
          ASSERT_EQ(bits, testing::guard);
          continue;
        }
        double sum = 0;
        float narrow = 0;
        for (std::int64_t l = 0; l < p.k; ++l) {
          const double a = to_double(type, x[static_cast<std::size_t>(r * p.ldx + l)]);
          const double b = to_double(type, w[static_cast<std::size_t>(c * p.ldw + l)]);
          sum += a * b;
          narrow += static_cast<float>(a) * static_cast<float>(b);
        }
        const double add = p.bias ? to_double(type, bias[static_cast<std::size_t>(c)]) : 0;
        exact.push_back(sum + add);
        plain.push_back(to_double(type, from_double(type, static_cast<double>(narrow + static_cast<float>(add)))));
        got.push_back(to_double(type, bits));
      }
    ASSERT_LE(relative_error(got, exact), 1.1 * relative_error(plain, exact)) << "m=" << p.m << " n=" << p.n << " k=" << p.k;
  }
}

}  // namespace
}  // namespace tileglu
