// The CPU backend against the float64 oracle.
#include <gtest/gtest.h>

#include <thread>

#include "cpu/made_case.hpp"

namespace tileglu {
namespace {

using testing::good;
using testing::made_case;
using testing::make_case;
using testing::random_problem;
using testing::values;

/// Plans the case for the named kernel of this machine's CPU and runs it once.
void run_with(made_case& c, const char* kernel) {
  plan_options options;
  options.kernel = kernel;
  options.backend = backend_id::cpu;
  const auto made = plan(c.p, this_cpu(), options);
  ASSERT_TRUE(made.ok()) << made.error().text();
  c.poison();
  tensors t = c.memory();
  void* workspace = ::operator new(made->workspace + 1, std::align_val_t{256});
  t.workspace = workspace;
  t.workspace_bytes = made->workspace;
  const status s = run(*made, t);
  ::operator delete(workspace, std::align_val_t{256});
  ASSERT_TRUE(s.ok()) << s.text();
}

TEST(Cpu, BlockedOnRandomProblems) {
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 250; ++i) {
    made_case c = make_case(random_problem(random, 90, 120, 200), i);
    run_with(c, "cpu_blocked");
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

TEST(Cpu, OnednnOnRandomProblems) {
  if (!this_cpu().onednn) GTEST_SKIP() << "this build has no oneDNN";
  std::mt19937 random(4);
  for (std::uint32_t i = 0; i < 120; ++i) {
    problem p = random_problem(random, 90, 120, 200);
    p.k = std::max<std::int64_t>(p.k, 1);
    p.ldx = p.ldx ? p.ldx + 1 : 0, p.ldw = p.ldw ? p.ldw + 1 : 0;
    made_case c = make_case(p, i);
    run_with(c, "cpu_onednn");
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

TEST(Cpu, StreamOnRandomProblems) {
  std::mt19937 random(2);
  for (std::uint32_t i = 0; i < 250; ++i) {
    made_case c = make_case(random_problem(random, 4, 150, 400), i);
    run_with(c, "cpu_stream");
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

TEST(Cpu, UnfusedOnRandomProblems) {
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < 100; ++i) {
    problem p = random_problem(random, 40, 100, 150);
    p.mode = numerics::match_unfused;
    made_case c = make_case(p, i);
    run_with(c, "cpu_unfused");
    ASSERT_TRUE(good(c)) << "case " << i;
  }
}

}  // namespace
}  // namespace tileglu
