#include "problem_options.hpp"

#include <charconv>

#include "option_checks.hpp"
#include "problem_file.hpp"

namespace tileglu::cli {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;  // of a leading dimension, as validate() has it

status bad(std::string text) { return {status_code::invalid_argument, std::move(text)}; }

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

result<std::vector<std::int64_t>> numbers(std::string_view text, std::string_view shape) {
  std::vector<std::int64_t> values;
  for (const std::string_view part : split(text, ',')) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != part.data() + part.size())
      return bad("shape is '" + std::string(shape) + "'; allowed is MxNxK, each a number or a list of numbers, as in 1,16x4864x896");
    values.push_back(value);
  }
  return values;
}

status add_shape(std::string_view shape, const problem& like, std::vector<problem>& all) {
  const auto parts = split(shape, 'x');
  if (parts.size() != 3) return bad("shape is '" + std::string(shape) + "'; allowed is MxNxK, as in 16x4864x896 or 1,16x4864x896");
  const auto ms = numbers(parts[0], shape), ns = numbers(parts[1], shape), ks = numbers(parts[2], shape);
  for (const auto* list : {&ms, &ns, &ks})
    if (!*list) return list->error();
  return add_shapes(*ms, *ns, *ks, like, all);
}

}  // namespace

result<problem> problem_words::without_shape() const {
  problem p;
  const auto type = dtype_by_name(dtype);
  if (!type) return type.error();
  const auto order = layout_by_name(layout);
  if (!order) return order.error();
  const auto kind = activation_by_name(activation);
  if (!kind) return kind.error();
  const auto mode = numerics_by_name(numerics);
  if (!mode) return mode.error();
  p.x_type = p.w_type = p.y_type = *type;
  p.layout = *order;
  if (*kind == activation_kind::gpt_oss) p.act = gpt_oss_activation();
  p.act.kind = *kind;
  if (alpha) p.act.alpha = *alpha;
  if (limit) p.act.limit = *limit;
  p.bias = bias;
  p.mode = *mode;
  p.ldx = ldx, p.ldw = ldw, p.ldy = ldy;
  return p;
}

status add_shapes(const std::vector<std::int64_t>& ms, const std::vector<std::int64_t>& ns, const std::vector<std::int64_t>& ks,
                  const problem& like, std::vector<problem>& all) {
  constexpr std::size_t most = 100'000;
  for (const std::int64_t n : ns)
    for (const std::int64_t k : ks)
      for (const std::int64_t m : ms) {
        if (all.size() == most) return bad("the lists make more than " + std::to_string(most) + " problems; allowed are at most so many at once");
        problem p = like;
        p.m = m, p.n = n, p.k = k;
        all.push_back(p);
      }
  return {};
}

void problem_options::add_to(CLI::App& command) {
  command.add_option("shape", shapes,
                     "MxNxK: rows (tokens), columns (intermediate size), depth (hidden size); each may be a list: 1,16x4864x896");
  command.add_option("--file", file, "a JSON array of problems: [{\"m\": [1, 16], \"n\": 4864, \"k\": 896, \"activation\": \"gelu_tanh\"}]")
      ->transform(not_empty());
  command.add_option("--dtype", words.dtype, "bf16 or fp16")->capture_default_str();
  command.add_option("--layout", words.layout, "separate, stacked_gate_up, stacked_up_gate or interleaved")->capture_default_str();
  command.add_option("--activation", words.activation, "silu, gelu_tanh, gelu_erf, relu, sigmoid, identity or gpt_oss")->capture_default_str();
  command.add_option("--alpha", words.alpha, "of gpt_oss; 1.702 where not given")->transform(float32_number());
  command.add_option("--limit", words.limit, "clamp gate to (-inf, limit] and up to [-limit, limit]; 7 for gpt_oss, else no clamp")
      ->transform(float32_number());
  add_switch(command, "--bias", words.bias, "add a bias to both halves");
  command.add_option("--numerics", words.numerics, "fp32_through or match_unfused")->capture_default_str();
  command.add_option("--ldx", words.ldx, "elements from one row of X to the next; 0: K")->transform(whole_number(0, largest));
  command.add_option("--ldw", words.ldw, "elements from one weight row to the next; 0: K")->transform(whole_number(0, largest));
  command.add_option("--ldy", words.ldy, "elements from one row of Y to the next; 0: N")->transform(whole_number(0, largest));
}

result<std::vector<problem>> problem_options::problems() const {
  std::vector<problem> all;
  const auto like = words.without_shape();
  if (!like) return like.error();
  for (const std::string& shape : shapes)
    if (status s = add_shape(shape, *like, all); !s.ok()) return s;
  for (const problem& p : all)
    if (status s = validate(p); !s.ok()) return s;
  if (!file.empty())
    if (status s = add_problems_of_file(file, words, all); !s.ok()) return s;
  if (all.empty()) return bad("no problem was given; allowed are shapes such as 16x4864x896, or --file");
  return all;
}

void choice_options::add_to(CLI::App& command) {
  command.add_option("--device", device, "this, cpu, cuda, cuda:N; to plan only: h100, h200, a100, none")->capture_default_str();
  command.add_option("--backend", backend, "automatic, oracle, cpu, cuda_portable or sm90")->capture_default_str();
  command.add_option("--kernel", kernel, "a kernel (decode) or a row of the tables (see `tileglu plan`) by name");
}

result<plan_options> choice_options::options() const {
  plan_options o;
  const auto id = backend_by_name(backend);
  if (!id) return id.error();
  o.backend = *id;
  o.kernel = kernel;
  return o;
}

result<request> read_request(const problem_options& what, const choice_options& who) {
  auto problems = what.problems();
  if (!problems) return problems.error();
  auto device = device_by_name(who.device);
  if (!device) return device.error();
  auto options = who.options();
  if (!options) return options.error();
  return request{*std::move(problems), *std::move(device), *std::move(options)};
}

nlohmann::ordered_json to_json(const problem& p) {
  nlohmann::ordered_json j;
  j["m"] = p.m, j["n"] = p.n, j["k"] = p.k;
  j["dtype"] = name(p.x_type);
  j["layout"] = name(p.layout);
  j["activation"] = name(p.act.kind);
  if (p.act.kind == activation_kind::gpt_oss) j["alpha"] = p.act.alpha;
  if (p.act.limit != std::numeric_limits<float>::infinity()) j["limit"] = p.act.limit;
  j["bias"] = p.bias;
  j["numerics"] = name(p.mode);
  if (p.ldx) j["ldx"] = p.ldx;
  if (p.ldw) j["ldw"] = p.ldw;
  if (p.ldy) j["ldy"] = p.ldy;
  return j;
}

}  // namespace tileglu::cli
