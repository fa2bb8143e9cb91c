// From sums to outputs: bias, clamp, activation, product, rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/with_activation.hpp"
#include "cpu/kernel_set.hpp"
#include "cpu/simd/activation.hpp"
#include "cpu/simd/vector.hpp"

namespace tileglu::cpu {

/// y of one vector of sums, biases added. The order of roundings under match_unfused is that of float32_gated_linear.
template <class Isa, activation_kind Kind>
inline typename Isa::h combine(const finish_rule& rule, typename Isa::f gate, typename Isa::f up) {
  using f = typename Isa::f;
  const bool rounds = rule.mode == numerics::match_unfused;
  if (rounds) gate = Isa::round_to(rule.type, gate), up = Isa::round_to(rule.type, up);
  const f limit = Isa::all(rule.act.limit);
  gate = Isa::at_most(gate, limit);
  up = Isa::at_least(Isa::at_most(up, limit), -limit);
  if constexpr (Kind == activation_kind::gpt_oss) {
    up = up + 1.0f;
    if (rounds) up = Isa::round_to(rule.type, up);
  }
  f acted = math<Isa>::template apply<Kind>(gate, rule.act.alpha);
  if (rounds) acted = Isa::round_to(rule.type, acted);
  return Isa::narrow(rule.type, acted * up);
}

/// One bias on all lanes.
template <class Isa>
inline typename Isa::f bias_at(dtype type, const std::uint16_t* bias, std::int64_t j) {
  return bias ? Isa::all(Isa::widen_some(type, bias + j, 1)[0]) : typename Isa::f{};
}

/// Element by element a0 b0 a1 b1 ..., from element `From` on of both.
template <class H, int From, std::size_t... Index>
inline __attribute__((always_inline)) H interleave(H a, H b, std::index_sequence<Index...>) {
  constexpr int lanes = sizeof...(Index);
  return __builtin_shufflevector(a, b, (From + static_cast<int>(Index) / 2 + static_cast<int>(Index) % 2 * lanes)...);
}

/// Rows become columns: interleaving the first half of the vectors with the second, log2(lanes) times over.
template <class Isa>
inline __attribute__((always_inline)) void transpose(typename Isa::h (&v)[Isa::lanes]) {
  using h = typename Isa::h;
  constexpr int lanes = Isa::lanes;
  constexpr auto index = std::make_index_sequence<lanes>{};
#pragma GCC unroll 4
  for (int width = 1; width < lanes; width *= 2) {
    h next[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes / 2; ++i) {
      next[2 * i] = interleave<h, 0>(v[i], v[i + lanes / 2], index);
      next[2 * i + 1] = interleave<h, lanes / 2>(v[i], v[i + lanes / 2], index);
    }
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) v[i] = next[i];
  }
}

/// As many columns as lanes at a time: results of a column lie along rows, so they are turned round before they are stored.
template <class Isa, class Result>
void finish_columns(const Result& result, std::int64_t rows, std::int64_t columns, std::uint16_t* y, std::int64_t ldy) {
  constexpr int lanes = Isa::lanes;
  for (std::int64_t i0 = 0; i0 < rows; i0 += lanes)
    for (std::int64_t j0 = 0; j0 < columns; j0 += lanes) {
      const std::int64_t height = rows - i0 < lanes ? rows - i0 : lanes, width = columns - j0 < lanes ? columns - j0 : lanes;
      typename Isa::h turned[lanes];
      for (int j = 0; j < lanes; ++j) turned[j] = j < width ? result(j0 + j, i0) : typename Isa::h{};
      transpose<Isa>(turned);
      std::uint16_t* to = y + i0 * ldy + j0;
      if (width == lanes)
        for (std::int64_t i = 0; i < height; ++i) store_as(to + i * ldy, turned[i]);
      else
        for (std::int64_t i = 0; i < height; ++i)
          for (std::int64_t j = 0; j < width; ++j) to[i * ldy + j] = turned[i][j];
    }
}

template <class Isa>
void finish_panel(const finish_rule& rule, const float* gate, const float* up, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                  std::uint16_t* y, std::int64_t ldy) {
  using f = typename Isa::f;
  if (!rule.pair) {
    const auto plain = [&](std::int64_t j, std::int64_t i) {
      return Isa::narrow(rule.type, Isa::load(gate + j * stride + i) + bias_at<Isa>(rule.type, rule.bias_gate, j));
    };
    finish_columns<Isa>(plain, rows, columns, y, ldy);
    return;
  }
  base::with_activation(rule.act.kind, [&]<activation_kind Kind>() {
    finish_columns<Isa>(
        [&](std::int64_t j, std::int64_t i) {
          f g = Isa::load(gate + j * stride + i), u = Isa::load(up + j * stride + i);
          if (rule.bias_gate) g = g + bias_at<Isa>(rule.type, rule.bias_gate, j), u = u + bias_at<Isa>(rule.type, rule.bias_up, j);
          return combine<Isa, Kind>(rule, g, u);
        },
        rows, columns, y, ldy);
  });
}

template <class Isa>
void finish_row(const finish_rule& rule, const float* gate, const float* up, std::int64_t columns, std::uint16_t* y) {
  using f = typename Isa::f;
  using h = typename Isa::h;
  const auto walk = [&](const auto& result) {
    for (std::int64_t j = 0; j < columns; j += Isa::lanes) {
      const std::int64_t count = columns - j < Isa::lanes ? columns - j : Isa::lanes;
      float g[Isa::lanes] = {}, u[Isa::lanes] = {};
      for (std::int64_t l = 0; l < count; ++l) g[l] = gate[j + l], u[l] = rule.pair ? up[j + l] : 0.0f;
      f gv = Isa::load(g), uv = Isa::load(u);
      if (rule.bias_gate) gv = gv + Isa::widen_some(rule.type, rule.bias_gate + j, count);
      if (rule.bias_up) uv = uv + Isa::widen_some(rule.type, rule.bias_up + j, count);
      const h values = result(gv, uv);
      for (std::int64_t l = 0; l < count; ++l) y[j + l] = values[l];
    }
  };
  if (!rule.pair) return walk([&](f sum, f) { return Isa::narrow(rule.type, sum); });
  base::with_activation(rule.act.kind, [&]<activation_kind Kind>() { walk([&](f g, f u) { return combine<Isa, Kind>(rule, g, u); }); });
}

template <class Isa>
void finish_stored(const finish_rule& rule, const std::uint16_t* gate, const std::uint16_t* up, std::int64_t columns, std::uint16_t* y) {
  base::with_activation(rule.act.kind, [&]<activation_kind Kind>() {
    std::int64_t j = 0;
    for (; j + Isa::lanes <= columns; j += Isa::lanes)
      store_as(y + j, combine<Isa, Kind>(rule, Isa::widen(rule.type, gate + j), Isa::widen(rule.type, up + j)));
    if (j == columns) return;
    const auto last = combine<Isa, Kind>(rule, Isa::widen_some(rule.type, gate + j, columns - j), Isa::widen_some(rule.type, up + j, columns - j));
    for (std::int64_t l = 0; j + l < columns; ++l) y[j + l] = last[l];
  });
}

}  // namespace tileglu::cpu
