#include "gpu/cases.hpp"

#include <random>

namespace tileglu::gpu_check {
namespace {

struct extents {
  std::int64_t n, k;
};

/// (N, K) of Qwen-2.5 0.5B, 1.5B, 3B, 7B, 14B, 32B and 72B, then SmolLM2-135M.
constexpr extents models[] = {{4864, 896}, {8960, 1536}, {11008, 2048}, {18944, 3584}, {13824, 5120}, {27648, 5120}, {29568, 8192}, {1536, 576}};

const std::vector<std::int64_t> every_m = {0,  1,  2,  3,  4,  5,  6,  7,   8,   9,   10,  11,  12,  13,   14,   15,  16,
                                           17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 255, 256, 257, 1000, 2048, 4097};
const std::vector<std::int64_t> few_m = {1, 7, 16, 17, 64, 129, 257, 1000};

constexpr weight_layout every_layout[] = {weight_layout::separate, weight_layout::stacked_gate_up, weight_layout::stacked_up_gate,
                                          weight_layout::interleaved};
constexpr std::size_t all_epilogues = 32;
constexpr dtype every_type[] = {dtype::bf16, dtype::fp16};

std::vector<placement> aligned(int padding) {
  std::vector<placement> all;
  for (const weight_layout layout : every_layout) all.push_back({layout, padding, 0});
  return all;
}

/// Every layout x activation x bias x numerics x type on shapes that no tile divides.
void add_every_combination(std::vector<case_group>& to) {
  for (const dtype type : every_type) {
    to.push_back({"every_combination", 72, 136, type, value_class::normal, {5, 33}, aligned(8), all_epilogues, false});
    to.push_back({"every_combination", 520, 264, type, value_class::normal, {16, 150}, aligned(0), all_epilogues, false});
  }
}

/// And every m of the list by every layout x activation x bias x numerics x type, on a shape small enough for it.
void add_every_m(std::vector<case_group>& to) {
  for (const dtype type : every_type) to.push_back({"every_m", 328, 200, type, value_class::normal, every_m, aligned(8), all_epilogues, false});
}

void add_models(std::vector<case_group>& to, bool quick) {
  for (const dtype type : every_type)
    for (const extents& model : models) {
      if (quick && model.n > 9000) continue;
      auto places = aligned(0);
      for (const placement& padded : aligned(16)) places.push_back(padded);
      to.push_back({"models", model.n, model.k, type, value_class::normal, quick ? few_m : every_m, places, 1, true});
    }
}

void add_random_shapes(std::vector<case_group>& to, bool quick) {
  std::mt19937 generator(20260711);
  const auto upto = [&](std::int64_t most) { return 1 + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(most)); };
  for (int i = 0; i < (quick ? 20 : 150); ++i) {
    const std::int64_t n = 8 * upto(i % 3 == 0 ? 8 : 300), k = 8 * upto(i % 4 == 0 ? 8 : 400);
    to.push_back({"random_shapes",
                  n,
                  k,
                  every_type[i % 2],
                  value_class::normal,
                  {upto(16), upto(130), upto(600)},
                  aligned(static_cast<int>(8 * (upto(4) - 1))),
                  1,
                  true});
  }
}

void add_values(std::vector<case_group>& to) {
  for (const value_class values : every_value_class)
    for (const dtype type : every_type) to.push_back({"values", 1000, 1024, type, values, {1, 16, 100, 300}, aligned(0), 5, true});
}

/// What 16-byte rules exclude: the portable path's own.
void add_uneven(std::vector<case_group>& to, bool quick) {
  std::mt19937 generator(7);
  const auto upto = [&](std::int64_t most) { return 1 + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(most)); };
  for (int i = 0; i < (quick ? 10 : 60); ++i) {
    std::vector<placement> places;
    for (const weight_layout layout : every_layout) places.push_back({layout, static_cast<int>(upto(5) - 1), i % 2});
    to.push_back({"uneven_shapes", upto(200), upto(300), every_type[i / 2 % 2], value_class::normal, {1, upto(20), upto(300)}, places, 1, false});
  }
  for (const dtype type : every_type) to.push_back({"no_k", 24, 0, type, value_class::normal, {1, 17}, aligned(0), all_epilogues, false});
}

/// By default each row takes every so many-th m of a kind of groups.
std::size_t share_of(const std::string& name) {
  if (name == "every_m") return 16;
  if (name == "models") return 8;
  if (name == "values") return 4;
  if (name == "random_shapes") return 3;
  return name == "every_combination" ? 2 : 1;
}

}  // namespace

std::vector<epilogue> every_epilogue() {
  std::vector<epilogue> all;
  for (const numerics mode : {numerics::fp32_through, numerics::match_unfused})
    for (const bool bias : {false, true})
      for (int kind = 0; kind <= static_cast<int>(activation_kind::gpt_oss); ++kind) {
        activation act{static_cast<activation_kind>(kind)};
        if (act.kind == activation_kind::gpt_oss) act = gpt_oss_activation();
        all.push_back({act, bias, mode});
        if (act.kind == activation_kind::silu) all.push_back({{activation_kind::silu, 1.0f, 1.25f}, bias, mode});
      }
  return all;
}

std::vector<case_group> every_group(amount of) {
  std::vector<case_group> all;
  if (of == amount::tiny) {
    for (const dtype type : every_type) all.push_back({"tiny", 200, 264, type, value_class::normal, {3, 70}, aligned(8), 1, true});
    return all;
  }
  const bool quick = of == amount::quick;
  add_every_combination(all);
  if (!quick) add_every_m(all);
  add_values(all);
  add_models(all, quick);
  add_random_shapes(all, quick);
  add_uneven(all, quick);
  if (of == amount::full) return all;
  // Over the m's and groups of a kind every row still meets every layout, epilogue, type and value class, and every m every kernel.
  for (case_group& g : all) g.share = share_of(g.name);
  return all;
}

problem make_problem(const case_group& g, std::int64_t m, const placement& at, const epilogue& e) {
  problem p{.m = m, .n = g.n, .k = g.k};
  p.x_type = p.w_type = p.y_type = g.type;
  p.layout = at.layout, p.act = e.act, p.bias = e.bias, p.mode = e.mode;
  if (at.padding > 0) p.ldx = g.k + at.padding, p.ldw = g.k + at.padding, p.ldy = g.n + at.padding;
  return p;
}

}  // namespace tileglu::gpu_check
