#include <cmath>
#include <limits>
#include <string>

#include "base/number_words.hpp"
#include "tileglu/problem.hpp"

namespace tileglu {
namespace {

// Every byte offset of a matrix must fit in a signed 64-bit integer, with room for 2N rows of weights.
constexpr std::int64_t largest_extent = std::int64_t{1} << 40;
constexpr std::int64_t largest_bytes = std::int64_t{1} << 60;

status bad(std::string text) { return {status_code::invalid_argument, std::move(text)}; }

status check_extent(const char* argument, std::int64_t value) {
  if (value >= 0 && value <= largest_extent) return {};
  return bad(std::string(argument) + " is " + std::to_string(value) + "; allowed are 0 to " + std::to_string(largest_extent));
}

status check_stride(const char* argument, std::int64_t stride, const char* width_name, std::int64_t width, std::int64_t rows) {
  if (stride != 0 && stride < width)
    return bad(std::string(argument) + " is " + std::to_string(stride) + "; allowed are 0 (dense) or at least " + width_name + " = " +
               std::to_string(width));
  const std::int64_t resolved = stride ? stride : width;
  if (resolved > largest_extent || (rows > 0 && resolved > largest_bytes / static_cast<std::int64_t>(sizeof(double)) / rows))
    return bad(std::string(argument) + " = " + std::to_string(resolved) + " times " + std::to_string(rows) +
               " rows is too large to address; at most 2^60 bytes are allowed");
  return {};
}

bool known(dtype v) { return v == dtype::bf16 || v == dtype::fp16; }

template <class Enum>
status check_enum(const char* argument, Enum value, int count, const char* allowed) {
  const int number = static_cast<int>(value);
  if (number >= 0 && number < count) return {};
  return bad(std::string(argument) + " is " + std::to_string(number) + "; allowed are " + allowed);
}

}  // namespace

status validate(const problem& p) {
  if (auto s = check_extent("m", p.m); !s.ok()) return s;
  if (auto s = check_extent("n", p.n); !s.ok()) return s;
  if (auto s = check_extent("k", p.k); !s.ok()) return s;
  for (const auto& [argument, type] : {std::pair{"x_type", p.x_type}, {"w_type", p.w_type}, {"y_type", p.y_type}})
    if (!known(type)) return bad(std::string(argument) + " is " + std::to_string(static_cast<int>(type)) + "; allowed are bf16 (0) and fp16 (1)");
  if (p.w_type != p.x_type)
    return bad("w_type is " + std::string(name(p.w_type)) + "; allowed is x_type, " + std::string(name(p.x_type)) + ": types are not mixed");
  if (p.y_type != p.x_type)
    return bad("y_type is " + std::string(name(p.y_type)) + "; allowed is x_type, " + std::string(name(p.x_type)) + ": types are not mixed");
  if (auto s = check_enum("layout", p.layout, 4, "separate (0), stacked_gate_up (1), stacked_up_gate (2), interleaved (3)"); !s.ok()) return s;
  constexpr const char* kinds = "silu (0), gelu_tanh (1), gelu_erf (2), relu (3), sigmoid (4), identity (5), gpt_oss (6)";
  if (auto s = check_enum("act.kind", p.act.kind, 7, kinds); !s.ok()) return s;
  if (auto s = check_enum("mode", p.mode, 2, "fp32_through (0), match_unfused (1)"); !s.ok()) return s;
  if (!(p.act.limit > 0)) return bad("act.limit is " + base::shortest(p.act.limit) + "; allowed is a number above 0, or infinity for no clamp");
  if (!std::isfinite(p.act.alpha)) return bad("act.alpha is " + base::shortest(p.act.alpha) + "; allowed is a finite number");
  if (auto s = check_stride("ldx", p.ldx, "k", p.k, p.m); !s.ok()) return s;
  if (auto s = check_stride("ldw", p.ldw, "k", p.k, 2 * p.n); !s.ok()) return s;
  return check_stride("ldy", p.ldy, "n", p.n, p.m);
}

std::string describe(const problem& p) {
  std::string text = "m=" + std::to_string(p.m) + " n=" + std::to_string(p.n) + " k=" + std::to_string(p.k) + " " + std::string(name(p.x_type)) +
                     " " + std::string(name(p.layout)) + " " + std::string(name(p.act.kind));
  if (p.act.kind == activation_kind::gpt_oss) text += "(alpha " + base::shortest(p.act.alpha) + ")";
  if (p.act.limit != std::numeric_limits<float>::infinity()) text += " limit " + base::shortest(p.act.limit);
  if (p.bias) text += " bias";
  text += " " + std::string(name(p.mode));
  if (p.ldx) text += " ldx=" + std::to_string(p.ldx);
  if (p.ldw) text += " ldw=" + std::to_string(p.ldw);
  if (p.ldy) text += " ldy=" + std::to_string(p.ldy);
  return text;
}

}  // namespace tileglu
