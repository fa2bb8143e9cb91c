// What one instruction set offers to the CPU backend: a table of functions, chosen once at run time.
#pragma once

#include <cstdint>
#include <string_view>

#include "tileglu/types.hpp"

namespace tileglu::cpu {

/// What becomes of the sums: y = act(gate + bias) * (up + bias), or, where `pair` is false, y = sum + bias.
struct finish_rule {
  dtype type = dtype::bf16;
  numerics mode = numerics::fp32_through;
  activation act = {};
  bool pair = true;
  const std::uint16_t* bias_gate = nullptr;  ///< of the first column that is finished; null: none
  const std::uint16_t* bias_up = nullptr;
};

struct kernel_set {
  std::string_view name;
  int lanes;          ///< rows of X in one vector of a packed panel
  int panel_vectors;  ///< vectors in a full panel
  bool bf16_pairs;    ///< bf16 is multiplied as it is, two elements of K at once; every other operand as float32

  /// Bytes of one packed element of `type`: 2 where it is multiplied as it is, 4 as float32.
  int packed_bytes(dtype type) const { return bf16_pairs && type == dtype::bf16 ? 2 : 4; }

  /// Pack `rows` <= vectors * lanes rows of X into a panel: for each step of K (2 elements of a pair, or 1), `vectors` vectors of one row
  /// a lane. Rows and the odd element that are not there are zeros.
  void (*pack_panel)(dtype type, const std::uint16_t* x, std::int64_t ldx, std::int64_t rows, std::int64_t k, int vectors, void* panel);
  /// Copy weights [count] rows of k elements as float32, `ld` floats from row to row.
  void (*widen_rows)(dtype type, const std::uint16_t* const* rows, std::int64_t count, std::int64_t k, float* to, std::int64_t ld);
  /// c[column][vectors * lanes] (+)= panel * w[column], for `columns` rows of weights of k elements each: 16-bit ones where `pairs`, else float32.
  /// `w` and `c` have room for 2 * `column_group` columns more, whose pointers repeat a valid one.
  void (*product)(bool pairs, const void* panel, int vectors, const void* const* w, std::int64_t columns, std::int64_t k, float* c, bool accumulate);
  /// y[row][column] of sums gate[column][stride], up[column][stride], lanes along rows.
  void (*finish_panel)(const finish_rule& rule, const float* gate, const float* up, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                       std::uint16_t* y, std::int64_t ldy);
  /// One row: y[column] of sums gate[column], up[column].
  void (*finish_row)(const finish_rule& rule, const float* gate, const float* up, std::int64_t columns, std::uint16_t* y);
  /// One row: y[column] of a stored gate[column] and up[column].
  void (*finish_stored)(const finish_rule& rule, const std::uint16_t* gate, const std::uint16_t* up, std::int64_t columns, std::uint16_t* y);
  /// Copy a row of X for `stream`, padded with zeros to a multiple of stream_step elements of packed_bytes.
  void (*stage_row)(dtype type, const std::uint16_t* x, std::int64_t k, void* to);
  /// sums[w][row] of two rows of weights with m <= 4 staged rows of X, `ldx` bytes apart. Reads each weight once.
  void (*stream_two)(dtype type, const void* x, std::int64_t ldx, int m, const std::uint16_t* w0, const std::uint16_t* w1, std::int64_t k,
                     float (*sums)[4]);
};

inline constexpr int column_group = 12;  ///< the most columns that `product` computes at once
inline constexpr int stream_step = 64;   ///< staged rows of X are padded to a multiple of this many elements

/// The best of this machine. A constant of the process.
const kernel_set& this_machine() noexcept;

/// By name ("avx512_bf16", "avx512", "avx2", "portable"); null where this build or this machine lacks it.
const kernel_set* find_kernel_set(std::string_view name) noexcept;

}  // namespace tileglu::cpu
