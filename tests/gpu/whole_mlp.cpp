// The whole MLP against float64.
#include "gpu/checker.hpp"
#include "gpu/reference.cuh"
#include "tileglu/mlp.hpp"

namespace tileglu::gpu_check {
namespace {

constexpr const char* check = "whole_mlp";

struct mlp_case {
  std::int64_t m, n, k, hidden_out;
  dtype type;
  weight_layout layout;
  activation_kind act;
  numerics mode;
  int padding;
  bool down_bias;
};

constexpr mlp_case cases[] = {
    {16, 1536, 576, 576, dtype::bf16, weight_layout::separate, activation_kind::silu, numerics::fp32_through, 0, false},
    {1, 1536, 576, 576, dtype::fp16, weight_layout::stacked_gate_up, activation_kind::gelu_tanh, numerics::fp32_through, 8, true},
    {300, 1536, 576, 576, dtype::bf16, weight_layout::stacked_up_gate, activation_kind::silu, numerics::match_unfused, 16, true},
    {77, 333, 129, 55, dtype::fp16, weight_layout::interleaved, activation_kind::relu, numerics::fp32_through, 3, true},
    {1000, 4864, 896, 896, dtype::bf16, weight_layout::separate, activation_kind::silu, numerics::fp32_through, 0, false},
    {9, 40, 0, 24, dtype::bf16, weight_layout::separate, activation_kind::silu, numerics::fp32_through, 0, true},
};

/// Multiplications: racecheck watches each access of the references to shared memory.
constexpr std::int64_t most_for_sanitizers = 20'000'000;

void run_case(context& c, const std::string& kernel, const mlp_case& each) {
  mlp_problem p;
  p.gate_up = {.m = each.m, .n = each.n, .k = each.k};
  p.gate_up.x_type = p.gate_up.w_type = p.gate_up.y_type = each.type;
  p.gate_up.layout = each.layout, p.gate_up.act = {each.act}, p.gate_up.mode = each.mode;
  p.hidden_out = each.hidden_out, p.down_bias = each.down_bias;
  if (each.padding) p.ldd = each.n + each.padding, p.ldz = each.hidden_out + each.padding;
  const std::string what = describe(p.gate_up) + " hidden_out=" + std::to_string(each.hidden_out);
  plan_options options;
  options.kernel = kernel;
  const auto chosen = plan(p, c.device, options);
  if (!chosen) {
    if (kernel.empty() || kernel == "portable") return c.out.fail(label(kernel), check, what + ": " + chosen.error().text());
    return c.out.refuse(label(kernel), check);
  }

  const matrix_values values{each.type, value_class::normal, each.k, 21, false}, down_values{each.type, value_class::normal, each.n, 22, false};
  placed_weights w;
  w.fill(values, p.gate_up, 0, half_values::random, half_values::random, c.on);
  call_memory memory;
  memory.fill_inputs(values, p.gate_up, 0, c.on);
  guarded_matrix down, bias, z;
  const std::int64_t ldd = p.ldd ? p.ldd : each.n, ldz = p.ldz ? p.ldz : each.hidden_out;
  fill_down(down_values, down.reserve(each.hidden_out, ldd, 0, c.on), each.hidden_out, ldd, c.on);
  fill_bias(down_values, false, bias.reserve(1, each.hidden_out, 0, c.on), each.hidden_out, c.on);
  z.reserve(each.m, ldz, 0, c.on);
  device_block workspace;
  poison(workspace.reserve(chosen->workspace + 256), chosen->workspace + 256, c.on);

  mlp_tensors t{memory.get(p.gate_up, w, 0)};
  t.w_down = down.data(), t.bias_down = each.down_bias ? bias.data() : nullptr, t.z = z.data();
  t.workspace = workspace.data<void>(), t.workspace_bytes = chosen->workspace;
  if (const status s = run(*chosen, t, c.on); !s.ok()) return c.out.fail(label(kernel), check, what + ": " + s.text());

  reference_products products;
  products.weights(values, each.n, c.on);
  products.rows(values, each.m, each.n, c.on);
  device_block y64, y32, z64, z32, dense_down;
  const auto y_elements = static_cast<std::size_t>(each.m * each.n), z_elements = static_cast<std::size_t>(each.m * each.hidden_out);
  activate_both(p.gate_up, products.get(), y64.as<double>(y_elements), y32.as<float>(y_elements), c.on);
  fill_down(down_values, dense_down.as<std::uint16_t>(static_cast<std::size_t>(each.hidden_out * each.n)), each.hidden_out, each.n, c.on);
  down_float64(each.type, y64.data<double>(), dense_down.data<void>(), z64.as<double>(z_elements), each.m, each.hidden_out, each.n, c.on);
  down_float32(each.type, y32.data<float>(), dense_down.data<void>(), z32.as<float>(z_elements), each.m, each.hidden_out, each.n, c.on);
  device_verdict verdict_on_device;
  const guarded_output out{z.block(), z.begin(), z.elements(), each.m, each.hidden_out, ldz};
  judge_values(each.type, z64.data<double>(), z32.data<float>(), t.bias_down, out, verdict_on_device.reset(c.on), c.on);
  double ratio = 0;
  if (const std::string words =
          judge_words(verdict_on_device.fetch(c.on), each.type, value_class::normal, static_cast<double>(each.m * each.hidden_out), ratio);
      !words.empty())
    return c.out.fail(label(kernel), check, what + " by " + chosen->gate_up.row + ": " + words);
  c.out.pass(label(kernel), check, ratio);
}

}  // namespace

void check_whole_mlp(context& c) {
  for (const std::string& row : c.my_rows)
    for (const mlp_case& each : cases)
      if (c.of != amount::tiny || each.m * each.n * each.k <= most_for_sanitizers) run_case(c, row, each);
}

}  // namespace tileglu::gpu_check
