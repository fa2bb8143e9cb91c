// A problem with memory around it: inputs by kind of value, an output poisoned with NaN between guard zones, and the judgement.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "layout/pairing.hpp"
#include "tileglu/tileglu.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tileglu::testing {

/// What the inputs look like.
enum class values { normal, large, tiny, wide, equal, cancelling };

inline constexpr std::uint16_t guard = 0xA5C3;   // a pattern that no result is checked against
inline constexpr std::int64_t guard_elements = 64;

struct made_case {
  problem p;
  std::vector<std::uint16_t> x, w0, w1, bias_gate, bias_up, y;

  tensors memory() {
    const auto w = p.layout == weight_layout::separate          ? gate_up_weights::separate(w0.data(), w1.data())
                   : p.layout == weight_layout::stacked_gate_up ? gate_up_weights::stacked_gate_up(w0.data())
                   : p.layout == weight_layout::stacked_up_gate ? gate_up_weights::stacked_up_gate(w0.data())
                                                                : gate_up_weights::interleaved(w0.data());
    return {.x = x.data(), .w = w, .y = y.data() + guard_elements, .bias_gate = bias_gate.data(), .bias_up = bias_up.data()};
  }

  void poison() {
    const std::uint16_t nan = p.y_type == dtype::bf16 ? 0x7fc1 : 0x7e01;
    y.assign(static_cast<std::size_t>(p.m * row_stride_y(p) + 2 * guard_elements), guard);
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) y[static_cast<std::size_t>(guard_elements + i * row_stride_y(p) + j)] = nan;
  }

  std::vector<double> output() const {
    std::vector<double> out;
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        out.push_back(to_double(p.y_type, y[static_cast<std::size_t>(guard_elements + i * row_stride_y(p) + j)]));
    return out;
  }

  /// Nothing outside of Y was written.
  bool guards_hold() const {
    for (std::size_t at = 0; at < y.size(); ++at) {
      const auto offset = static_cast<std::int64_t>(at) - guard_elements;
      const bool inside = offset >= 0 && offset < p.m * row_stride_y(p) && offset % row_stride_y(p) < p.n;
      if (!inside && y[at] != guard) return false;
    }
    return true;
  }
};

inline std::vector<std::uint16_t> fill(std::mt19937& random, dtype type, std::int64_t rows, std::int64_t width, std::int64_t stride, double scale,
                                       values kind) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-6, 6);
  // Rows end where the last one does, so that a read past it is seen by AddressSanitizer; padding between rows is NaN.
  const std::int64_t elements = rows > 0 && width > 0 ? (rows - 1) * stride + width : 0;
  std::vector<std::uint16_t> out(static_cast<std::size_t>(elements), type == dtype::bf16 ? 0x7fc1 : 0x7e01);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      double v = normal(random);
      if (kind == values::equal) v = 1;
      if (kind == values::wide) v *= std::exp2(exponent(random));
      if (kind == values::cancelling) v = (j % 2 ? -1 : 1) * (1 + 0.01 * v);
      out[static_cast<std::size_t>(i * stride + j)] = from_double(type, v * scale);
    }
  return out;
}

inline made_case make_case(const problem& p, std::uint32_t seed, values kind = values::normal) {
  std::mt19937 random(seed);
  made_case c{p, {}, {}, {}, {}, {}, {}};
  double scale_x = 1, scale_w = p.k ? 2 / std::sqrt(static_cast<double>(p.k)) : 1;
  if (kind == values::large) scale_x = 30;
  if (kind == values::tiny) scale_x = p.x_type == dtype::bf16 ? 1e-9 : 0.02;
  if (kind == values::equal) scale_w = p.k ? 1.0 / static_cast<double>(p.k) : 1;
  c.x = fill(random, p.x_type, p.m, p.k, row_stride_x(p), scale_x, kind);
  const values weight_kind = kind == values::cancelling ? values::equal : kind;
  const bool separate = p.layout == weight_layout::separate;
  c.w0 = fill(random, p.x_type, separate ? p.n : 2 * p.n, p.k, row_stride_w(p), scale_w, weight_kind);
  if (separate) c.w1 = fill(random, p.x_type, p.n, p.k, row_stride_w(p), scale_w, weight_kind);
  if (p.bias) {
    c.bias_gate = fill(random, p.x_type, 1, p.n, p.n, scale_x, kind);
    c.bias_up = fill(random, p.x_type, 1, p.n, p.n, scale_x, kind);
  }
  c.poison();
  return c;
}

/// The tolerance is earned: at most 1.1 times the error of the plain float32 computation of the same inputs.
inline ::testing::AssertionResult good(made_case& c) {
  if (!c.guards_hold()) return ::testing::AssertionFailure() << describe(c.p) << ": wrote outside of y";
  const auto exact = reference_gated_linear(c.p, c.memory());
  const auto plain = float32_gated_linear(c.p, c.memory());
  if (!exact || !plain) return ::testing::AssertionFailure() << exact.error().text();
  const double error = relative_error(c.output(), *exact), allowed = 1.1 * relative_error(*plain, *exact);
  if (error <= allowed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << describe(c.p) << ": error " << error << ", allowed " << allowed;
}

/// Plans the case for the named kernel of this machine's CPU and runs it once, by `threads` threads where that is not 0.
inline void run_with(made_case& c, const char* kernel, [[maybe_unused]] int threads = 0) {
  plan_options options;
  options.kernel = kernel;
  options.backend = backend_id::cpu;
  device_facts device = this_cpu();
#ifdef _OPENMP
  const int before = omp_get_max_threads();
  if (threads) omp_set_num_threads(device.threads = threads);
#endif
  const auto made = plan(c.p, device, options);
  ASSERT_TRUE(made.ok()) << made.error().text();
  c.poison();
  tensors t = c.memory();
  struct aligned_delete {
    void operator()(void* data) const { ::operator delete(data, std::align_val_t{256}); }
  };
  const std::unique_ptr<void, aligned_delete> workspace(::operator new(made->workspace + 1, std::align_val_t{256}));
  t.workspace = workspace.get();
  t.workspace_bytes = made->workspace;
  const status s = run(*made, t);
#ifdef _OPENMP
  omp_set_num_threads(before);
#endif
  ASSERT_TRUE(s.ok()) << s.text();
}

/// A problem of random everything, with up to the given sizes.
inline problem random_problem(std::mt19937& random, std::int64_t most_m, std::int64_t most_n, std::int64_t most_k) {
  const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
  problem p;
  p.m = pick(1, most_m), p.n = pick(1, most_n), p.k = pick(0, 20) == 0 ? pick(0, 2) : pick(1, most_k);
  p.x_type = p.w_type = p.y_type = pick(0, 1) ? dtype::bf16 : dtype::fp16;
  p.layout = static_cast<weight_layout>(pick(0, 3));
  p.act.kind = static_cast<activation_kind>(pick(0, 6));
  if (p.act.kind == activation_kind::gpt_oss) p.act = gpt_oss_activation();
  if (pick(0, 3) == 0) p.act.limit = 0.75f;
  p.bias = pick(0, 1);
  p.mode = static_cast<numerics>(pick(0, 1));
  if (pick(0, 1)) p.ldx = p.k + pick(0, 9);
  if (pick(0, 1)) p.ldw = p.k + pick(0, 9);
  if (pick(0, 1)) p.ldy = p.n + pick(0, 9);
  return p;
}

}  // namespace tileglu::testing
