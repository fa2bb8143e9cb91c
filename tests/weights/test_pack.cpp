// Packing: sixteen conversions, bit for bit, and back; and what is refused.
#include <gtest/gtest.h>

#include <numeric>

#include "tileglu/pack.hpp"

namespace tileglu {
namespace {

constexpr std::int64_t n = 5, k = 3;
constexpr weight_layout layouts[] = {weight_layout::separate, weight_layout::stacked_gate_up, weight_layout::stacked_up_gate,
                                     weight_layout::interleaved};

/// Memory for either kind of layout: two halves, apart or as one.
struct matrices {
  std::vector<std::uint16_t> first, second;

  explicit matrices(weight_layout layout)
      : first(static_cast<std::size_t>(layout == weight_layout::separate ? n * k : 2 * n * k), 0xdead),
        second(static_cast<std::size_t>(layout == weight_layout::separate ? n * k : 0), 0xdead) {}
  packed_weights target(weight_layout layout) { return {layout, first.data(), second.empty() ? nullptr : second.data()}; }
  gate_up_weights source(weight_layout layout) const {
    switch (layout) {
      case weight_layout::separate: return gate_up_weights::separate(first.data(), second.data());
      case weight_layout::stacked_gate_up: return gate_up_weights::stacked_gate_up(first.data());
      case weight_layout::stacked_up_gate: return gate_up_weights::stacked_up_gate(first.data());
      case weight_layout::interleaved: return gate_up_weights::interleaved(first.data());
    }
    return gate_up_weights::separate(nullptr, nullptr);
  }
  friend bool operator==(const matrices&, const matrices&) = default;
};

/// The layouts by their definition, element by element: gate j,l is 100 + j k + l, up j,l is 500 + j k + l.
matrices defined(weight_layout layout) {
  matrices m(layout);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t l = 0; l < k; ++l) {
      const auto gate = static_cast<std::uint16_t>(100 + j * k + l), up = static_cast<std::uint16_t>(500 + j * k + l);
      const auto at = [&](std::int64_t row) { return static_cast<std::size_t>(row * k + l); };
      switch (layout) {
        case weight_layout::separate: m.first[at(j)] = gate, m.second[at(j)] = up; break;
        case weight_layout::stacked_gate_up: m.first[at(j)] = gate, m.first[at(n + j)] = up; break;
        case weight_layout::stacked_up_gate: m.first[at(j)] = up, m.first[at(n + j)] = gate; break;
        case weight_layout::interleaved: m.first[at(2 * j)] = gate, m.first[at(2 * j + 1)] = up; break;
      }
    }
  return m;
}

TEST(Pack, EveryConversionIsTheDefinitionAndComesBack) {
  for (const weight_layout from : layouts)
    for (const weight_layout to : layouts) {
      SCOPED_TRACE(std::string(name(from)) + " -> " + std::string(name(to)));
      const matrices source = defined(from);
      matrices there(to), back(from);
      ASSERT_TRUE(pack(source.source(from), there.target(to), n, k, this_cpu()).ok());
      EXPECT_EQ(there, defined(to));
      ASSERT_TRUE(pack(there.source(to), back.target(from), n, k, this_cpu()).ok());
      EXPECT_EQ(back, source);
    }
}

TEST(Pack, NothingToCopyTouchesNothing) {
  for (const auto& [rows, columns] : {std::pair{0, 3}, std::pair{5, 0}})
    EXPECT_TRUE(pack(gate_up_weights::separate(nullptr, nullptr), {weight_layout::interleaved, nullptr, nullptr}, rows, columns, this_cpu()).ok());
}

void expect_refused(const status& s, const std::string& words) {
  EXPECT_EQ(s.code(), status_code::invalid_argument);
  EXPECT_NE(s.text().find(words), std::string::npos) << s.text();
}

TEST(Pack, RefusesAndTouchesNothing) {
  matrices source = defined(weight_layout::separate);
  matrices target(weight_layout::interleaved);
  const matrices untouched = target;
  const auto from = source.source(weight_layout::separate);
  const auto to = target.target(weight_layout::interleaved);
  const auto cpu = this_cpu();
  expect_refused(pack(from, to, -1, k, cpu), "n is -1");
  expect_refused(pack(from, to, n, -3, cpu), "k is -3");
  expect_refused(pack(from, to, INT64_MAX, INT64_MAX, cpu), "n is 9223372036854775807");
  expect_refused(pack(from, to, std::int64_t{1} << 40, std::int64_t{1} << 40, cpu), "too large");
  expect_refused(pack(gate_up_weights::separate(source.first.data(), nullptr), to, n, k, cpu), "from.up is null");
  expect_refused(pack(from, {weight_layout::interleaved, nullptr, nullptr}, n, k, cpu), "to.first is null");
  expect_refused(pack(from, {weight_layout::separate, target.first.data(), nullptr}, n, k, cpu), "to.second is null");
  expect_refused(pack(from, {weight_layout::interleaved, target.first.data(), target.first.data()}, n, k, cpu), "to holds two matrices");
  expect_refused(pack(from, {static_cast<weight_layout>(9), target.first.data(), nullptr}, n, k, cpu), "to.layout is 9");
  expect_refused(pack(from, {weight_layout::interleaved, reinterpret_cast<char*>(target.first.data()) + 1, nullptr}, n, k, cpu), "odd address");
  expect_refused(pack(from, {weight_layout::separate, target.first.data(), target.first.data() + n * k - 1}, n, k, cpu),
                 "to.first overlaps to.second");
  expect_refused(pack(target.source(weight_layout::interleaved), {weight_layout::stacked_gate_up, target.first.data(), nullptr}, n, k, cpu),
                 "to.first overlaps from");
  expect_refused(pack(from, {weight_layout::separate, target.first.data(), source.second.data() + 1}, n, k, cpu), "to.second overlaps from.up");
  EXPECT_EQ(target, untouched);
}

TEST(Pack, MemoryOnAGpuNeedsABuildWithCuda) {
  auto device = device_by_name("h100");
  ASSERT_TRUE(device.ok());
  if (this_cuda_device(0).error().text().find("no CUDA backend") == std::string::npos) GTEST_SKIP() << "this build has CUDA";
  matrices source = defined(weight_layout::separate), target(weight_layout::interleaved);
  const status s = pack(source.source(weight_layout::separate), target.target(weight_layout::interleaved), n, k, *device);
  EXPECT_EQ(s.code(), status_code::not_available);
}

}  // namespace
}  // namespace tileglu
