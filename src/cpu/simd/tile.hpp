// The product of a packed panel of X with rows of weights, and the packing. Sums stay in registers over a block of K; weights are
// read where they lie, one element (or pair) broadcast to all lanes, so that they need no packing of their own.
#pragma once

#include <cstdint>

#include "cpu/kernel_set.hpp"
#include "cpu/simd/vector.hpp"

namespace tileglu::cpu {

/// bf16 as it is: a step multiplies two elements of K into one float32 sum.
template <class Isa>
struct pair_product {
  using f = typename Isa::f;
  using element = std::uint16_t;
  static constexpr int step = 2;
  static f broadcast(const element* w) { return (f)(typename Isa::u{} + load_as<std::uint32_t>(w)); }
  static f broadcast_odd(const element* w) { return (f)(typename Isa::u{} + std::uint32_t{*w}); }
  static f dot(f sum, f x, f w) { return Isa::dot_pairs(sum, x, w); }
};

/// float32: any type, widened.
template <class Isa>
struct single_product {
  using f = typename Isa::f;
  using element = float;
  static constexpr int step = 1;
  static f broadcast(const element* w) { return Isa::all(*w); }
  static f broadcast_odd(const element* w) { return Isa::all(*w); }
  static f dot(f sum, f x, f w) { return x * w + sum; }
};

template <class Isa, class Op, int Vectors, int Columns>
void product_tile(const float* panel, const void* const* w, std::int64_t k, float* c, bool accumulate) {
  using f = typename Isa::f;
  using element = typename Op::element;
  constexpr int lanes = Isa::lanes;
  const element* from[Columns];
  f sum[Columns][Vectors];
#pragma GCC unroll 16
  for (int j = 0; j < Columns; ++j) {
    from[j] = static_cast<const element*>(w[j]);
#pragma GCC unroll 4
    for (int r = 0; r < Vectors; ++r) sum[j][r] = f{};
  }
  const std::int64_t steps = k / Op::step;
  constexpr std::int64_t line = 64 / (Op::step * static_cast<std::int64_t>(sizeof(element)));  // steps in a cache line of weights
  for (std::int64_t s = 0; s < steps;) {
    // The rows that come next are on their way while these are multiplied: from memory for the first panel, from L2 for the others.
#pragma GCC unroll 16
    for (int j = 0; j < Columns; ++j) __builtin_prefetch(static_cast<const element*>(w[Columns + j]) + s * Op::step, 0, 3);
    const std::int64_t end = s + line < steps ? s + line : steps;
#pragma GCC unroll 2
    for (; s < end; ++s) {
      f x[Vectors];
#pragma GCC unroll 4
      for (int r = 0; r < Vectors; ++r) x[r] = Isa::load(panel + (s * Vectors + r) * lanes);
#pragma GCC unroll 16
      for (int j = 0; j < Columns; ++j) {
        const f b = Op::broadcast(from[j] + s * Op::step);
#pragma GCC unroll 4
        for (int r = 0; r < Vectors; ++r) sum[j][r] = Op::dot(sum[j][r], x[r], b);
      }
    }
  }
  if (k % Op::step) {
    for (int j = 0; j < Columns; ++j)
      for (int r = 0; r < Vectors; ++r)
        sum[j][r] = Op::dot(sum[j][r], Isa::load(panel + (steps * Vectors + r) * lanes), Op::broadcast_odd(from[j] + k - 1));
  }
#pragma GCC unroll 16
  for (int j = 0; j < Columns; ++j)
#pragma GCC unroll 4
    for (int r = 0; r < Vectors; ++r) {
      float* to = c + (j * Vectors + r) * lanes;
      Isa::store(to, accumulate ? Isa::load(to) + sum[j][r] : sum[j][r]);
    }
}

/// Walks the columns in groups: with fewer vectors more columns, so that about 24 (12 on 16-register machines) sums hide the latency.
template <class Isa, class Op, int Vectors>
void product_panel(const float* panel, const void* const* w, std::int64_t columns, std::int64_t k, float* c, bool accumulate) {
  constexpr int group = Isa::columns_of(Vectors);
  static_assert(group <= column_group);
  for (std::int64_t j = 0; j < columns; j += group)
    product_tile<Isa, Op, Vectors, group>(panel, w + j, k, c + j * Vectors * Isa::lanes, accumulate);
}

template <class Isa, class Op>
void product_of(const float* panel, int vectors, const void* const* w, std::int64_t columns, std::int64_t k, float* c, bool accumulate) {
  if (vectors == 1) return product_panel<Isa, Op, 1>(panel, w, columns, k, c, accumulate);
  if (vectors == 2) return product_panel<Isa, Op, 2>(panel, w, columns, k, c, accumulate);
  if constexpr (Isa::panel_vectors > 2) {
    if (vectors == 3) return product_panel<Isa, Op, 3>(panel, w, columns, k, c, accumulate);
    return product_panel<Isa, Op, 4>(panel, w, columns, k, c, accumulate);
  }
}

template <class Isa>
void product(bool pairs, const void* panel, int vectors, const void* const* w, std::int64_t columns, std::int64_t k, float* c, bool accumulate) {
  const auto* x = static_cast<const float*>(panel);
  if constexpr (Isa::has_dot_pairs) {
    if (pairs) return product_of<Isa, pair_product<Isa>>(x, vectors, w, columns, k, c, accumulate);
  }
  product_of<Isa, single_product<Isa>>(x, vectors, w, columns, k, c, accumulate);
}

/// Transposes in pieces of 16 steps: writes of a step are vectors * lanes * 4 bytes, reads are 64 bytes of a row.
template <class Isa>
void pack_panel(dtype type, const std::uint16_t* x, std::int64_t ldx, std::int64_t rows, std::int64_t k, int vectors, void* panel) {
  constexpr int piece = 16;
  const std::int64_t width = std::int64_t{vectors} * Isa::lanes;
  if (Isa::has_dot_pairs && type == dtype::bf16) {
    auto* to = static_cast<std::uint32_t*>(panel);
    const std::int64_t pairs = k / 2, steps = (k + 1) / 2;
    for (std::int64_t s0 = 0; s0 < steps; s0 += piece) {
      const std::int64_t s1 = s0 + piece < pairs ? s0 + piece : pairs;
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t s = s0; s < s1; ++s) to[s * width + i] = load_as<std::uint32_t>(x + i * ldx + 2 * s);
      for (std::int64_t i = rows; i < width; ++i)
        for (std::int64_t s = s0; s < s1; ++s) to[s * width + i] = 0;
    }
    if (k % 2)
      for (std::int64_t i = 0; i < width; ++i) to[pairs * width + i] = i < rows ? x[i * ldx + k - 1] : 0;
    return;
  }
  auto* to = static_cast<float*>(panel);
  for (std::int64_t s0 = 0; s0 < k; s0 += Isa::lanes) {
    const std::int64_t count = k - s0 < Isa::lanes ? k - s0 : Isa::lanes;
    for (std::int64_t i = 0; i < width; ++i) {
      float part[Isa::lanes] = {};
      if (i < rows) Isa::store(part, count == Isa::lanes ? Isa::widen(type, x + i * ldx + s0) : Isa::widen_some(type, x + i * ldx + s0, count));
      for (std::int64_t l = 0; l < count; ++l) to[(s0 + l) * width + i] = part[l];
    }
  }
}

template <class Isa>
void widen_rows(dtype type, const std::uint16_t* const* rows, std::int64_t count, std::int64_t k, float* to, std::int64_t ld) {
  for (std::int64_t j = 0; j < count; ++j) {
    std::int64_t l = 0;
    for (; l + Isa::lanes <= k; l += Isa::lanes) Isa::store(to + j * ld + l, Isa::widen(type, rows[j] + l));
    if (l == k) continue;
    float part[Isa::lanes];
    Isa::store(part, Isa::widen_some(type, rows[j] + l, k - l));
    for (std::int64_t t = l; t < k; ++t) to[j * ld + t] = part[t - l];
  }
}

}  // namespace tileglu::cpu
