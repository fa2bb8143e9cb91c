#include "expected.hpp"

namespace tileglu::cli {
namespace {

/// Y [rows, n] times Wd [out, n]^T, accumulated in Real. The rows of a column are summed side by side.
template <class Real>
std::vector<double> down_product(const device_layer& layer, const std::vector<double>& y, std::int64_t rows) {
  const auto n = static_cast<std::size_t>(layer.layer.n), out = static_cast<std::size_t>(layer.layer.out), count = static_cast<std::size_t>(rows);
  std::vector<Real> transposed(n * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t l = 0; l < n; ++l) transposed[l * count + i] = static_cast<Real>(y[i * n + l]);
  const auto* w = static_cast<const std::uint16_t*>(layer.host.down);
  const auto* bias = static_cast<const std::uint16_t*>(layer.host.bias_down);
  std::vector<double> z(count * out);
  std::vector<Real> sums(count);
  for (std::size_t j = 0; j < out; ++j) {
    std::fill(sums.begin(), sums.end(), Real(0));
    for (std::size_t l = 0; l < n; ++l) {
      const auto weight = static_cast<Real>(to_double(layer.layer.type, w[j * n + l]));
      for (std::size_t i = 0; i < count; ++i) sums[i] += transposed[l * count + i] * weight;
    }
    const Real added = bias ? static_cast<Real>(to_double(layer.layer.type, bias[j])) : Real(0);
    for (std::size_t i = 0; i < count; ++i) z[i * out + j] = static_cast<double>(sums[i] + added);
  }
  return z;
}

}  // namespace

result<expected_rows> expect_gated(const device_layer& layer, const std::vector<std::uint16_t>& x, std::int64_t rows) {
  const problem p = gated_problem(layer.layer, rows);
  const tensors t{.x = x.data(), .w = layer.host.w, .bias_gate = layer.host.bias_gate, .bias_up = layer.host.bias_up};
  auto exact = reference_gated_linear(p, t);
  if (!exact) return exact.error();
  auto rounded = float32_gated_linear(p, t);
  if (!rounded) return rounded.error();
  return expected_rows{std::move(*exact), std::move(*rounded)};
}

expected_rows expect_mlp(const device_layer& layer, const expected_rows& gated, std::int64_t rows) {
  expected_rows z{down_product<double>(layer, gated.exact, rows), down_product<float>(layer, gated.rounded, rows)};
  for (double& value : z.rounded) value = to_double(layer.layer.type, from_double(layer.layer.type, value));
  return z;
}

}  // namespace tileglu::cli
