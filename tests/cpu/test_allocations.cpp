// After prepare(), run() allocates nothing of its own; oneDNN's executions allocate bookkeeping, however large the problem is.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "cpu/made_case.hpp"
#include "tileglu/tileglu.h"

namespace {

std::atomic<std::size_t> calls{0}, bytes{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++calls;
  bytes += size;
  void* data = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

}  // namespace

// Every form that is not replaced here calls one of these.
void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }

namespace tileglu {
namespace {

struct allocations {
  std::size_t calls, bytes;
};

/// Of the second run after prepare(): the first one starts OpenMP's threads.
allocations of_one_run(const problem& p, const char* kernel) {
  testing::made_case c = testing::make_case(p, 1);
  plan_options options;
  options.kernel = kernel;
  const auto made = plan(p, this_cpu(), options);
  EXPECT_TRUE(made.ok() && prepare(*made).ok());
  const tensors t = c.memory();
  EXPECT_TRUE(run(*made, t).ok());
  const allocations before{calls, bytes};
  EXPECT_TRUE(run(*made, t).ok());
  return {calls - before.calls, bytes - before.bytes};
}

TEST(CpuAllocations, NoneOnTheOwnPaths) {
  for (const dtype type : {dtype::bf16, dtype::fp16}) {
    EXPECT_EQ(of_one_run({.m = 2, .n = 300, .k = 500, .x_type = type, .w_type = type, .y_type = type}, "cpu_stream").calls, 0u);
    EXPECT_EQ(of_one_run({.m = 100, .n = 300, .k = 500, .x_type = type, .w_type = type, .y_type = type}, "cpu_blocked").calls, 0u);
  }
}

TEST(CpuAllocations, OnednnKeepsItsBooksAndNoTensors) {
  if (!this_cpu().onednn) GTEST_SKIP() << "this build has no oneDNN";
  for (const dtype type : {dtype::bf16, dtype::fp16}) {
    // 300 columns are five blocks, each with two executions, and there is the packing: 11.
    const allocations seen = of_one_run({.m = 100, .n = 300, .k = 2000, .x_type = type, .w_type = type, .y_type = type}, "cpu_onednn");
    EXPECT_LT(seen.bytes, 11u * 4096u) << seen.calls << " allocations";
  }
}

TEST(CpuAllocations, NoneInTheSkinOfC) {
  tileglu_problem p = {};
  p.m = 2, p.n = 64, p.k = 64, p.layout = TILEGLU_STACKED_GATE_UP;
  std::vector<std::uint16_t> memory(2 * 64 + 2 * 64 * 64 + 2 * 64);
  const std::uint16_t *x = memory.data(), *w = x + 2 * 64;
  tileglu_tensors t = {};
  t.x = x, t.w = tileglu_stacked_gate_up(w), t.y = memory.data() + memory.size() - 2 * 64;
  tileglu_device* cpu = nullptr;
  tileglu_plan* plan = nullptr;
  ASSERT_EQ(tileglu_device_create("cpu", &cpu), TILEGLU_OK);
  ASSERT_EQ(tileglu_plan_create(&p, cpu, nullptr, &plan), TILEGLU_OK);
  EXPECT_EQ(tileglu_run(plan, &t, nullptr), TILEGLU_OK) << tileglu_last_error();
  const std::size_t before = calls;
  EXPECT_EQ(tileglu_run(plan, &t, nullptr), TILEGLU_OK);
  EXPECT_EQ(tileglu_validate(&p), TILEGLU_OK);
  EXPECT_EQ(calls - before, 0u);
  tileglu_plan_destroy(plan);
  tileglu_device_destroy(cpu);
}

}  // namespace
}  // namespace tileglu
