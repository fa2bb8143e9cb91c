// The float64 oracle and its float32 twin: three nested loops and the formula.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/convert.hpp"
#include "cpu/threads.hpp"
#include "layout/pairing.hpp"
#include "tileglu/reference.hpp"

namespace tileglu {
namespace {

template <class Real>
Real sigmoid(Real x) {
  return Real(1) / (Real(1) + std::exp(-x));
}

/// act(gate), after the clamp. The formulas are those of activation_kind's comments.
template <class Real>
Real apply(const activation& act, Real g) {
  switch (act.kind) {
    case activation_kind::silu: return g * sigmoid(g);
    case activation_kind::gelu_tanh:
      return Real(0.5) * g * (Real(1) + std::tanh(Real(0.7978845608028653558798921198687637) * (g + Real(0.044715) * g * g * g)));
    case activation_kind::gelu_erf: return Real(0.5) * g * (Real(1) + std::erf(g * Real(0.7071067811865475244008443621048490)));
    case activation_kind::relu: return g > 0 || std::isnan(g) ? g : Real(0);
    case activation_kind::sigmoid: return sigmoid(g);
    case activation_kind::identity: return g;
    case activation_kind::gpt_oss: return g * sigmoid(Real(act.alpha) * g);
  }
  return std::numeric_limits<Real>::quiet_NaN();
}

/// Comparisons that let a NaN through, where std::min would drop it.
template <class Real>
Real at_most(Real x, Real limit) {
  return x > limit ? limit : x;
}

template <class Real>
Real at_least(Real x, Real limit) {
  return x < limit ? limit : x;
}

template <class Real>
Real combine(const activation& act, Real gate, Real up) {
  const Real limit = Real(act.limit);
  gate = at_most(gate, limit);
  up = at_least(at_most(up, limit), -limit);
  if (act.kind == activation_kind::gpt_oss) up += Real(1);
  return apply(act, gate) * up;
}

template <class Real>
Real load(dtype type, const std::uint16_t* p, std::int64_t i) {
  return static_cast<Real>(base::to_float(type, p[i]));
}

struct row_range {
  std::int64_t begin, end;
};

result<row_range> check(const problem& p, const tensors& t, std::int64_t begin, std::int64_t end) {
  if (status s = validate(p); !s.ok()) return s;
  if (end < 0) end = p.m;
  if (begin < 0 || begin > end || end > p.m)
    return status(status_code::invalid_argument, "rows are [" + std::to_string(begin) + ", " + std::to_string(end) +
                                                     "); allowed are ranges within [0, m = " + std::to_string(p.m) + ")");
  if (t.w.layout() != p.layout)
    return status(status_code::invalid_argument,
                  "w.layout is " + std::string(name(t.w.layout())) + "; allowed is the problem's, " + std::string(name(p.layout)));
  if (begin == end || p.n == 0) return row_range{begin, end};
  const bool separate = p.layout == weight_layout::separate;
  const struct {
    const char* argument;
    const void* data;
    bool read;
  } inputs[] = {{"x", t.x, p.k > 0},
                {separate ? "w.gate" : "w", t.w.first(), p.k > 0},
                {"w.up", t.w.second(), separate && p.k > 0},
                {"bias_gate", t.bias_gate, p.bias},
                {"bias_up", t.bias_up, p.bias}};
  for (const auto& input : inputs)
    if (input.read && input.data == nullptr)
      return status(status_code::invalid_argument, std::string(input.argument) + " is null; allowed is a pointer to host memory");
  return row_range{begin, end};
}

template <class Real, class Finish>
std::vector<double> compute(const problem& p, const tensors& t, row_range rows, Finish finish) {
  const auto* x = static_cast<const std::uint16_t*>(t.x);
  const layout::halves w = layout::resolve(p.layout, t.w.first(), t.w.second(), p.n, row_stride_w(p));
  std::vector<double> y(static_cast<std::size_t>((rows.end - rows.begin) * p.n));
#pragma omp parallel for num_threads(cpu::available_threads()) schedule(static)
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      Real gate = 0, up = 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        const Real xi = load<Real>(p.x_type, x, i * row_stride_x(p) + l);
        gate += xi * load<Real>(p.w_type, w.gate, j * w.row_stride + l);
        up += xi * load<Real>(p.w_type, w.up, j * w.row_stride + l);
      }
      if (p.bias) {
        gate += load<Real>(p.x_type, static_cast<const std::uint16_t*>(t.bias_gate), j);
        up += load<Real>(p.x_type, static_cast<const std::uint16_t*>(t.bias_up), j);
      }
      y[static_cast<std::size_t>((i - rows.begin) * p.n + j)] = static_cast<double>(finish(gate, up));
    }
  }
  return y;
}

}  // namespace

result<std::vector<double>> reference_gated_linear(const problem& p, const tensors& t, std::int64_t row_begin, std::int64_t row_end) {
  const auto rows = check(p, t, row_begin, row_end);
  if (!rows) return rows.error();
  return compute<double>(p, t, *rows, [&](double gate, double up) { return combine(p.act, gate, up); });
}

result<std::vector<double>> float32_gated_linear(const problem& p, const tensors& t, std::int64_t row_begin, std::int64_t row_end) {
  const auto rows = check(p, t, row_begin, row_end);
  if (!rows) return rows.error();
  const auto round = [&](float v) { return base::to_float(p.y_type, base::from_float(p.y_type, v)); };
  return compute<float>(p, t, *rows, [&](float gate, float up) {
    if (p.mode == numerics::fp32_through) return round(combine(p.act, gate, up));
    // As separate kernels store them: gate and up, act(gate), and the product, each rounded.
    gate = at_most(round(gate), p.act.limit);
    up = at_least(at_most(round(up), p.act.limit), -p.act.limit);
    if (p.act.kind == activation_kind::gpt_oss) up = round(up + 1.0f);
    return round(round(apply(p.act, gate)) * up);
  });
}

double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i]) {  // infinities of the same sign too
      if (std::isfinite(b[i])) size += b[i] * b[i];
      continue;
    }
    const double d = a[i] - b[i];
    if (!std::isfinite(d)) return std::numeric_limits<double>::infinity();
    difference += d * d;
    size += b[i] * b[i];
  }
  if (difference == 0) return 0;
  return size == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(difference / size);
}

// docs/numerics.md derives it; above 36864 outputs it is below 1/16.
double few_outputs_allowance(double outputs) noexcept { return outputs < 36864 ? 12 / std::sqrt(std::max(outputs, 1.0)) : 0.0; }

double to_double(dtype type, std::uint16_t bits) noexcept { return base::to_float(type, bits); }
std::uint16_t from_double(dtype type, double value) noexcept { return base::from_double_once(type, value); }

}  // namespace tileglu
