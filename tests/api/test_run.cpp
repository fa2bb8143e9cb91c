// What run() does with bad memory: each fault is an error that names it, y is left alone, and the edges are defined.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

constexpr std::uint16_t untouched = 0x7fc1;

/// A small right call, to be spoilt.
struct call {
  problem p{.m = 3, .n = 16, .k = 8};
  std::vector<std::uint16_t> x, gate, up, both, bias, y;
  execution_plan plan;
  tensors t{.w = gate_up_weights::separate(nullptr, nullptr)};
  alignas(256) unsigned char workspace[1024] = {};

  explicit call(const problem& of = {.m = 3, .n = 16, .k = 8}, const char* kernel = "") : p(of) {
    const auto ones = [&](std::int64_t count) { return std::vector<std::uint16_t>(static_cast<std::size_t>(count), from_double(p.x_type, 0.5)); };
    x = ones(p.m * p.k), gate = ones(p.n * p.k), up = ones(p.n * p.k), both = ones(2 * p.n * p.k), bias = ones(p.n);
    y.assign(static_cast<std::size_t>(p.m * p.n), untouched);
    plan_options options;
    options.kernel = kernel;
    auto made = tileglu::plan(p, this_cpu(), options);
    EXPECT_TRUE(made.ok()) << made.error().text();
    plan = *made;
    const bool separate = p.layout == weight_layout::separate;
    t = {.x = x.data(),
         .w = separate ? gate_up_weights::separate(gate.data(), up.data()) : gate_up_weights::interleaved(both.data()),
         .y = y.data()};
    if (p.bias) t.bias_gate = t.bias_up = bias.data();
  }
};

const void* odd(const void* p) { return static_cast<const char*>(p) + 1; }

struct fault {
  const char* title;
  std::function<void(call&)> spoil;
  status_code code;
  const char* words;
};

void PrintTo(const fault& f, std::ostream* out) { *out << f.title; }

class RunRefuses : public ::testing::TestWithParam<fault> {};

TEST_P(RunRefuses, AndLeavesYAlone) {
  call c({.m = 3, .n = 16, .k = 8, .bias = true});
  GetParam().spoil(c);
  const status s = run(c.plan, c.t);
  EXPECT_EQ(s.code(), GetParam().code) << s.text();
  EXPECT_NE(s.text().find(GetParam().words), std::string::npos) << s.text();
  for (const std::uint16_t bits : c.y) ASSERT_EQ(bits, untouched);
}

const fault faults[] = {
    {"x_null", [](call& c) { c.t.x = nullptr; }, status_code::invalid_argument, "x is null"},
    {"gate_null", [](call& c) { c.t.w = gate_up_weights::separate(nullptr, c.up.data()); }, status_code::invalid_argument, "w.gate is null"},
    {"up_null", [](call& c) { c.t.w = gate_up_weights::separate(c.gate.data(), nullptr); }, status_code::invalid_argument, "w.up is null"},
    {"y_null", [](call& c) { c.t.y = nullptr; }, status_code::invalid_argument, "y is null"},
    {"bias_null", [](call& c) { c.t.bias_up = nullptr; }, status_code::invalid_argument, "bias_up is null"},
    {"x_odd", [](call& c) { c.t.x = odd(c.t.x); }, status_code::invalid_argument, "x is 0x"},
    {"gate_odd", [](call& c) { c.t.w = gate_up_weights::separate(odd(c.gate.data()), c.up.data()); }, status_code::invalid_argument,
     "multiples of 2"},
    {"y_odd", [](call& c) { c.t.y = static_cast<char*>(c.t.y) + 1; }, status_code::invalid_argument, "y is 0x"},
    {"y_is_x", [](call& c) { c.t.x = c.y.data(); }, status_code::invalid_argument, "overlaps x"},
    {"y_touches_up", [](call& c) { c.t.w = gate_up_weights::separate(c.gate.data(), c.y.data() + c.y.size() - 1); },
     status_code::invalid_argument, "overlaps w.up"},
    {"y_is_bias", [](call& c) { c.t.bias_gate = c.y.data() + 1; }, status_code::invalid_argument, "overlaps bias_gate"},
    {"other_layout", [](call& c) { c.t.w = gate_up_weights::stacked_gate_up(c.both.data()); }, status_code::invalid_argument,
     "w.layout is stacked_gate_up; allowed is the plan's, separate"},
    {"no_workspace", [](call& c) { c.plan.workspace = 512; }, status_code::workspace_too_small, "workspace_bytes is 0; this plan needs 512"},
    {"small_workspace", [](call& c) { c.plan.workspace = 512, c.t.workspace = c.workspace, c.t.workspace_bytes = 511; },
     status_code::workspace_too_small, "511"},
    {"null_workspace", [](call& c) { c.plan.workspace = 512, c.t.workspace_bytes = 512; }, status_code::invalid_argument, "workspace is null"},
    {"unaligned_workspace", [](call& c) { c.plan.workspace = 512, c.t.workspace = c.workspace + 16, c.t.workspace_bytes = 512; },
     status_code::invalid_argument, "multiples of 256"},
    {"empty_plan", [](call& c) { c.plan = execution_plan{}; }, status_code::invalid_argument, "plan is empty"},
};
INSTANTIATE_TEST_SUITE_P(, RunRefuses, ::testing::ValuesIn(faults), [](const auto& tested) { return std::string(tested.param.title); });

TEST(Run, WorkspaceMayNotOverlap) {
  call c;
  std::vector<unsigned char> memory(4096);
  auto* aligned = reinterpret_cast<unsigned char*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 255) / 256 * 256);
  c.plan.workspace = 512;
  c.t.workspace = aligned, c.t.workspace_bytes = 512;
  c.t.y = aligned + 256;
  EXPECT_NE(run(c.plan, c.t).text().find("workspace overlaps y"), std::string::npos);
  c.t.y = c.y.data();
  c.t.x = aligned;
  EXPECT_NE(run(c.plan, c.t).text().find("workspace overlaps x"), std::string::npos);
}

TEST(Run, APlanForAMachineThatIsNotHereSaysSo) {
  const auto gpu = plan({.m = 16, .n = 64, .k = 64}, *device_by_name("a100"));
  ASSERT_TRUE(gpu.ok());
  if (const auto here = this_cuda_device(0); here.ok()) GTEST_SKIP() << "this machine has a GPU";
  const status s = prepare(*gpu);
  EXPECT_EQ(s.code(), status_code::not_available) << s.text();
  EXPECT_NE(s.text().find("cuda_portable"), std::string::npos) << s.text();
  EXPECT_EQ(prepare(*gpu).text(), s.text());  // asked again, the same answer
}

TEST(Run, RightCallsAreRight) {
  call c({.m = 3, .n = 16, .k = 8, .bias = true});
  ASSERT_TRUE(prepare(c.plan).ok());
  const status s = run(c.plan, c.t);
  ASSERT_TRUE(s.ok()) << s.text();
  const double g = 8 * 0.25 + 0.5, want = g / (1 + std::exp(-g)) * g;
  for (const std::uint16_t bits : c.y) EXPECT_NEAR(to_double(dtype::bf16, bits), want, want / 128);
}

TEST(Run, NoRowsIsNothingToDo) {
  for (const char* kernel : {"", "oracle"}) {
    call c({.m = 0, .n = 16, .k = 8}, kernel);
    EXPECT_TRUE(prepare(c.plan).ok());
    c.t.x = nullptr, c.t.y = nullptr;  // nothing is read or written, so nothing is needed
    EXPECT_TRUE(run(c.plan, c.t).ok());
  }
}

TEST(Run, NoColumnsIsNothingToDo) {
  call c({.m = 3, .n = 0, .k = 8});
  EXPECT_TRUE(run(c.plan, c.t).ok());
}

TEST(Run, NoDepthIsTheActivationOfTheBias) {
  for (const char* kernel : {"", "oracle"}) {
    call zero({.m = 3, .n = 16, .k = 0}, kernel);
    ASSERT_TRUE(run(zero.plan, zero.t).ok());
    for (const std::uint16_t bits : zero.y) EXPECT_EQ(to_double(dtype::bf16, bits), 0);  // silu(0) * 0
    call biased({.m = 3, .n = 16, .k = 0, .act = {.kind = activation_kind::sigmoid}, .bias = true}, kernel);
    ASSERT_TRUE(run(biased.plan, biased.t).ok());
    for (const std::uint16_t bits : biased.y) EXPECT_NEAR(to_double(dtype::bf16, bits), 0.5 / (1 + std::exp(-0.5)), 0.002);
  }
}

TEST(Run, TheOneLineCallRefusesInWords) {
  call c;
  EXPECT_NE(gated_linear({.m = -3, .n = 16, .k = 8}, c.t).text().find("m is -3"), std::string::npos);
  if (this_cuda_device(0).ok()) GTEST_SKIP() << "this machine has a GPU: the rest would take host pointers for device ones";
  EXPECT_TRUE(gated_linear(c.p, c.t).ok());
  c.t.y = nullptr;
  EXPECT_NE(gated_linear(c.p, c.t).text().find("y is null"), std::string::npos);
}

TEST(Run, ManyThreadsShareAPlan) {
  call c({.m = 5, .n = 64, .k = 64});
  ASSERT_TRUE(run(c.plan, c.t).ok());
  std::vector<std::vector<std::uint16_t>> outputs(4, std::vector<std::uint16_t>(c.y.size(), untouched));
  std::vector<int> bad(outputs.size(), 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    threads.emplace_back([&, i] {
      tensors t = c.t;
      t.y = outputs[i].data();
      for (int turn = 0; turn < 20; ++turn) bad[i] += !run(c.plan, t).ok() || !gated_linear(c.p, t).ok();
    });
  for (std::thread& thread : threads) thread.join();
  if (!this_cuda_device(0).ok()) {
    for (const int count : bad) EXPECT_EQ(count, 0);
    for (const auto& y : outputs) EXPECT_EQ(y, c.y);
  }
}

TEST(Info, SaysWhyABackendIsMissing) {
  const auto all = list_backends();
  ASSERT_EQ(all.size(), 4u);
  for (const backend_info& b : all) {
    EXPECT_EQ(b.built, !b.summary.empty()) << name(b.id);
    EXPECT_TRUE(b.built || b.missing.find("not in this build") != std::string::npos) << b.missing;
  }
  EXPECT_TRUE(all[0].missing.empty()) << "the oracle runs everywhere";
  EXPECT_EQ(this_build().version, version());
  EXPECT_NE(this_build().cuda.empty(), this_build().cuda_reason.empty());
}

TEST(Reference, NullInputsAreNamed) {
  const problem p{.m = 1, .n = 8, .k = 8, .bias = true};
  std::uint16_t memory[128] = {};
  const tensors whole{.x = memory, .w = gate_up_weights::separate(memory, memory), .bias_gate = memory, .bias_up = memory};
  ASSERT_TRUE(reference_gated_linear(p, whole).ok());
  const std::pair<const char*, tensors> cases[] = {
      {"x is null", {.w = whole.w, .bias_gate = memory, .bias_up = memory}},
      {"w.gate is null", {.x = memory, .w = gate_up_weights::separate(nullptr, memory), .bias_gate = memory, .bias_up = memory}},
      {"w.up is null", {.x = memory, .w = gate_up_weights::separate(memory, nullptr), .bias_gate = memory, .bias_up = memory}},
      {"bias_gate is null", {.x = memory, .w = whole.w, .bias_up = memory}},
      {"bias_up is null", {.x = memory, .w = whole.w, .bias_gate = memory}},
  };
  for (const auto& [words, t] : cases) {
    const auto made = reference_gated_linear(p, t);
    ASSERT_FALSE(made.ok()) << words;
    EXPECT_EQ(made.error().code(), status_code::invalid_argument);
    EXPECT_NE(made.error().text().find(words), std::string::npos) << made.error().text();
  }
}

TEST(PlanOfNothing, CostsNothing) {
  const auto h200 = device_by_name("h200");
  for (const problem& p : {problem{.m = 1, .n = 0, .k = 64}, problem{.m = 0, .n = 64, .k = 64}}) {
    const auto chosen = plan(p, *h200);
    ASSERT_TRUE(chosen.ok()) << chosen.error().text();
    for (const candidate& c : chosen->considered) EXPECT_EQ(c.cost_us, 0) << c.row;
  }
}

}  // namespace
}  // namespace tileglu
