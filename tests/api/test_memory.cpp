// Buffers, streams, recorded work and the clock on the CPU; and what a machine with no GPU is told.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

TEST(Memory, ABufferKeepsWhatItIsGiven) {
  auto b = buffer::allocate(this_cpu(), 1000);
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(b->bytes(), 1000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b->data()) % 256, 0u);
  ASSERT_TRUE(b->fill(7).ok());
  const std::array<unsigned char, 3> in{1, 2, 3};
  ASSERT_TRUE(b->upload(in.data(), 3, 997).ok());
  std::array<unsigned char, 4> out{};
  ASSERT_TRUE(b->download(out.data(), 4, 996).ok());
  EXPECT_EQ(out, (std::array<unsigned char, 4>{7, 1, 2, 3}));
}

TEST(Memory, CopiesPastTheEndAreRefused) {
  auto b = buffer::allocate(this_cpu(), 8);
  ASSERT_TRUE(b.ok());
  std::array<unsigned char, 16> host{};
  EXPECT_EQ(b->upload(host.data(), 9).code(), status_code::invalid_argument);
  EXPECT_EQ(b->download(host.data(), 1, 8).code(), status_code::invalid_argument);
  EXPECT_EQ(b->download(host.data(), 2, SIZE_MAX).code(), status_code::invalid_argument);
  EXPECT_EQ(b->upload(nullptr, 1).code(), status_code::invalid_argument);
  EXPECT_TRUE(b->upload(nullptr, 0).ok());
}

TEST(Memory, MoreThanThereIsIsOutOfMemory) {
  const auto b = buffer::allocate(this_cpu(), std::size_t{1} << 60);
  ASSERT_FALSE(b.ok());
  EXPECT_EQ(b.error().code(), status_code::out_of_memory);
}

TEST(Memory, RecordedWorkIsReplayed) {
  const auto on = stream::create(this_cpu());
  ASSERT_TRUE(on.ok());
  int calls = 0;
  const auto work = recorded_work::record(this_cpu(), *on, [&]() -> status {
    ++calls;
    return {};
  });
  ASSERT_TRUE(work.ok());
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(work->replay(*on).ok());
  ASSERT_TRUE(work->replay(*on).ok());
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(on->synchronize().ok());
  EXPECT_EQ(recorded_work{}.replay(*on).code(), status_code::invalid_argument);
  EXPECT_EQ(recorded_work::record(this_cpu(), *on, {}).error().code(), status_code::invalid_argument);
}

TEST(Memory, TheClockPassesTheErrorOn) {
  const auto on = stream::create(this_cpu());
  const auto taken = time_us(this_cpu(), *on, []() -> status { return {}; });
  ASSERT_TRUE(taken.ok());
  EXPECT_GE(*taken, 0);
  const auto failed = time_us(this_cpu(), *on, []() -> status { return {status_code::io_error, "x"}; });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), status_code::io_error);
}

TEST(Memory, TheOneLineCallRunsWithoutAGpu) {
  if (this_cuda_device(0).ok()) GTEST_SKIP() << "this machine has a GPU: the call would take host pointers for device ones";
  const std::uint16_t one = from_double(dtype::bf16, 1.0);
  std::uint16_t y = 0;
  const status s = gated_linear({.m = 1, .n = 1, .k = 1}, {.x = &one, .w = gate_up_weights::separate(&one, &one), .y = &y});
  ASSERT_TRUE(s.ok()) << s.text();
  EXPECT_EQ(y, from_double(dtype::bf16, 0.7310585786300049));
}

TEST(Memory, AMissingGpuIsSaidInWords) {
  const auto gpu = this_cuda_device(0);
  if (gpu.ok()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(gpu.error().code(), status_code::not_available);
  EXPECT_FALSE(gpu.error().text().empty());
  const auto h200 = device_by_name("h200");
  ASSERT_TRUE(h200.ok());
  EXPECT_FALSE(buffer::allocate(*h200, 16).ok());
  EXPECT_FALSE(stream::create(*h200).ok());
  EXPECT_EQ(bare_product::make(*h200, dtype::bf16, 16, 16, 16).error().code(), status_code::not_available);
  plan_options options;
  options.kernel = "portable";
  const auto chosen = plan({.m = 16, .n = 64, .k = 64}, *h200, options);
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  const status s = prepare(*chosen);
  EXPECT_EQ(s.code(), status_code::not_available);
  EXPECT_NE(s.text().find("cuda_portable"), std::string::npos) << s.text();
}

TEST(BareProduct, OnTheCpuItIsTheProduct) {
  std::array<std::uint16_t, 6> x{}, w{};
  for (std::size_t i = 0; i < 6; ++i)
    x[i] = from_double(dtype::bf16, 1.0 + static_cast<double>(i)), w[i] = from_double(dtype::bf16, 2.0 - static_cast<double>(i));
  std::array<std::uint16_t, 4> d{};
  const auto product = bare_product::make(this_cpu(), dtype::bf16, 2, 2, 3);
  ASSERT_TRUE(product.ok()) << product.error().text();
  auto workspace = buffer::allocate(this_cpu(), product->workspace_bytes());
  ASSERT_TRUE(workspace.ok());
  const status s = product->run(x.data(), w.data(), d.data(), workspace->data(), workspace->bytes());
  ASSERT_TRUE(s.ok()) << s.text();
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      double expected = 0;
      for (std::size_t l = 0; l < 3; ++l) expected += (1.0 + static_cast<double>(3 * i + l)) * (2.0 - static_cast<double>(3 * j + l));
      EXPECT_EQ(to_double(dtype::bf16, d[2 * i + j]), expected);
    }
  EXPECT_EQ(product->run(nullptr, w.data(), d.data(), workspace->data(), workspace->bytes()).code(), status_code::invalid_argument);
  EXPECT_EQ(bare_product{}.run(nullptr, nullptr, nullptr, nullptr, 0).code(), status_code::invalid_argument);
  EXPECT_FALSE(bare_product::make(this_cpu(), dtype::bf16, -1, 2, 3).ok());
}

}  // namespace
}  // namespace tileglu
