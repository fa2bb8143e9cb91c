// Few rows of X: dot products with lanes along K, each weight loaded once, straight from memory.
#pragma once

#include <cstdint>

#include "cpu/simd/vector.hpp"

namespace tileglu::cpu {

/// bf16 pairs: a vector holds 2 * lanes elements of K.
template <class Isa>
struct stream_pairs {
  using f = typename Isa::f;
  static constexpr int width = 2 * Isa::lanes;
  static constexpr int bytes = 2;
  static f load_w(const std::uint16_t* w) { return load_as<f>(w); }
  static f dot(f sum, f x, f w) { return Isa::dot_pairs(sum, x, w); }
};

/// Widened to float32.
template <class Isa, dtype Type>
struct stream_singles {
  using f = typename Isa::f;
  static constexpr int width = Isa::lanes;
  static constexpr int bytes = 4;
  static f load_w(const std::uint16_t* w) { return Isa::widen(Type, w); }
  static f dot(f sum, f x, f w) { return x * w + sum; }
};

/// Two weight rows of Rows rows of X. Two sums per pair, even and odd vectors: fewer additions in a chain, a smaller error.
template <class Isa, class Op, int Rows>
void stream_rows(const char* x, std::int64_t ldx, const std::uint16_t* w0, const std::uint16_t* w1, std::int64_t k, float (*sums)[4]) {
  using f = typename Isa::f;
  constexpr int width = Op::width;
  f sum[2][Rows][2];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) sum[0][r][0] = sum[0][r][1] = sum[1][r][0] = sum[1][r][1] = f{};
  const auto step = [&](const std::uint16_t* a, const std::uint16_t* b, std::int64_t at, int which) __attribute__((always_inline)) {
    const f first = Op::load_w(a), second = Op::load_w(b);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const f xr = load_as<f>(x + r * ldx + at * Op::bytes);
      sum[0][r][which] = Op::dot(sum[0][r][which], xr, first);
      sum[1][r][which] = Op::dot(sum[1][r][which], xr, second);
    }
  };
  constexpr std::int64_t ahead = 1024;  // elements: 2 KiB, about 90 ns at 23 GB/s a core; the rows that follow lie there
  std::int64_t l = 0;
  for (; l + 2 * width <= k; l += 2 * width) {
    __builtin_prefetch(w0 + l + ahead, 0, 3);
    __builtin_prefetch(w1 + l + ahead, 0, 3);
    step(w0 + l, w1 + l, l, 0);
    step(w0 + l + width, w1 + l + width, l + width, 1);
  }
  for (int which = 0; l < k; l += width, ++which) {  // at most two more: copies padded with zeros, for nothing may be read past a row
    std::uint16_t a[width] = {}, b[width] = {};
    const std::int64_t count = k - l < width ? k - l : width;
    for (std::int64_t t = 0; t < count; ++t) a[t] = w0[l + t], b[t] = w1[l + t];
    step(a, b, l, which);
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    sums[0][r] = Isa::sum(sum[0][r][0] + sum[0][r][1]);
    sums[1][r] = Isa::sum(sum[1][r][0] + sum[1][r][1]);
  }
}

template <class Isa, class Op>
void stream_any(const void* x, std::int64_t ldx, int m, const std::uint16_t* w0, const std::uint16_t* w1, std::int64_t k, float (*sums)[4]) {
  const auto* rows = static_cast<const char*>(x);
  if (m == 1) return stream_rows<Isa, Op, 1>(rows, ldx, w0, w1, k, sums);
  if (m == 2) return stream_rows<Isa, Op, 2>(rows, ldx, w0, w1, k, sums);
  if (m == 3) return stream_rows<Isa, Op, 3>(rows, ldx, w0, w1, k, sums);
  stream_rows<Isa, Op, 4>(rows, ldx, w0, w1, k, sums);
}

template <class Isa>
void stream_two(dtype type, const void* x, std::int64_t ldx, int m, const std::uint16_t* w0, const std::uint16_t* w1, std::int64_t k,
                float (*sums)[4]) {
  if (type == dtype::fp16) return stream_any<Isa, stream_singles<Isa, dtype::fp16>>(x, ldx, m, w0, w1, k, sums);
  if constexpr (Isa::has_dot_pairs) return stream_any<Isa, stream_pairs<Isa>>(x, ldx, m, w0, w1, k, sums);
  stream_any<Isa, stream_singles<Isa, dtype::bf16>>(x, ldx, m, w0, w1, k, sums);
}

template <class Isa>
void stage_row(dtype type, const std::uint16_t* x, std::int64_t k, void* to) {
  const std::int64_t padded = (k + stream_step - 1) / stream_step * stream_step;
  if (Isa::has_dot_pairs && type == dtype::bf16) {
    auto* row = static_cast<std::uint16_t*>(to);
    for (std::int64_t l = 0; l < padded; ++l) row[l] = l < k ? x[l] : 0;
    return;
  }
  auto* row = static_cast<float*>(to);
  for (std::int64_t l = 0; l < padded; l += Isa::lanes) {
    const std::int64_t left = k - l;
    Isa::store(row + l, left >= Isa::lanes ? Isa::widen(type, x + l) : left > 0 ? Isa::widen_some(type, x + l, left) : typename Isa::f{});
  }
}

}  // namespace tileglu::cpu
