// The planner as values: no hardware, no CUDA toolkit.
#include <gtest/gtest.h>

#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

TEST(Plan, WithoutAGpuTheCpuIsChosen) {
  const auto device = device_by_name("none");
  ASSERT_TRUE(device.ok());
  const auto chosen = plan({.m = 16, .n = 64, .k = 32}, *device);
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  EXPECT_EQ(chosen->backend, backend_id::cpu);
}

TEST(Plan, TheOracleRuns) {
  const problem p{.m = 1, .n = 1, .k = 1};
  const std::uint16_t one = from_double(dtype::bf16, 1.0);
  std::uint16_t y = 0;
  plan_options options;
  options.backend = backend_id::oracle;
  const auto chosen = plan(p, this_cpu(), options);
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  const status s = run(*chosen, {.x = &one, .w = gate_up_weights::separate(&one, &one), .y = &y});
  ASSERT_TRUE(s.ok()) << s.text();
  EXPECT_EQ(y, from_double(dtype::bf16, 0.7310585786300049));
}

}  // namespace
}  // namespace tileglu
