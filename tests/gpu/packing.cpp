// pack() on the device: every layout to every other holds the same rows.
#include "gpu/checker.hpp"
#include "tileglu/pack.hpp"

namespace tileglu::gpu_check {
namespace {

struct extents {
  std::int64_t n, k;
  int misaligned;
};
constexpr extents shapes[] = {{576, 1536, 0}, {33, 10, 0}, {7, 5, 0}, {64, 64, 1}, {1, 1, 0}, {5, 0, 0}};
constexpr weight_layout layouts[] = {weight_layout::separate, weight_layout::stacked_gate_up, weight_layout::stacked_up_gate,
                                     weight_layout::interleaved};

void run_pair(context& c, const extents& s, weight_layout from, weight_layout to) {
  problem source{.m = 1, .n = s.n, .k = s.k}, target = source;
  source.layout = from, target.layout = to;
  const matrix_values values{dtype::bf16, value_class::normal, s.k, 3, false};
  placed_weights in, expected, made;
  in.fill(values, source, s.misaligned, half_values::random, half_values::random, c.on);
  expected.fill(values, target, s.misaligned, half_values::random, half_values::random, c.on);
  made.layout = to;
  const bool two = to == weight_layout::separate;
  made.first.reserve(two ? s.n : 2 * s.n, s.k, s.misaligned, c.on);
  if (two) made.second.reserve(s.n, s.k, s.misaligned, c.on);
  const std::string what = std::string(name(from)) + " to " + std::string(name(to)) + " n=" + std::to_string(s.n) + " k=" + std::to_string(s.k);
  const status packed = pack(in.get(), {to, made.first.data(), two ? made.second.data() : nullptr}, s.n, s.k, c.device, c.on);
  if (!packed.ok()) return c.out.fail("pack", "packing", what + ": " + packed.text());
  device_counter differences;
  unsigned long long* counter = differences.reset(c.on);
  count_differences(made.first.block(), expected.first.block(), made.first.elements(), counter, c.on);
  if (two) count_differences(made.second.block(), expected.second.block(), made.second.elements(), counter, c.on);
  if (const auto different = differences.fetch(c.on); different > 0)
    return c.out.fail("pack", "packing", what + ": " + std::to_string(different) + " elements differ");
  c.out.pass("pack", "packing");
}

}  // namespace

void check_packing(context& c) {
  for (const extents& s : shapes)
    for (const weight_layout from : layouts)
      for (const weight_layout to : layouts) run_pair(c, s, from, to);
}

}  // namespace tileglu::gpu_check
