#include "problem_options.hpp"

#include <charconv>
#include <fstream>

namespace tileglu::cli {
namespace {

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
  for (const std::int64_t n : *ns)
    for (const std::int64_t k : *ks)
      for (const std::int64_t m : *ms) {
        problem p = like;
        p.m = m, p.n = n, p.k = k;
        all.push_back(p);
      }
  return {};
}

/// The words and constants of a problem, without its shape.
result<problem> words(const problem_options& o) {
  problem p;
  const auto type = dtype_by_name(o.dtype);
  if (!type) return type.error();
  const auto layout = layout_by_name(o.layout);
  if (!layout) return layout.error();
  const auto kind = activation_by_name(o.activation);
  if (!kind) return kind.error();
  const auto mode = numerics_by_name(o.numerics);
  if (!mode) return mode.error();
  p.x_type = p.w_type = p.y_type = *type;
  p.layout = *layout;
  if (*kind == activation_kind::gpt_oss) p.act = gpt_oss_activation();
  p.act.kind = *kind;
  if (o.alpha != 0) p.act.alpha = o.alpha;
  if (o.limit != 0) p.act.limit = o.limit;
  p.bias = o.bias;
  p.mode = *mode;
  p.ldx = o.ldx, p.ldw = o.ldw, p.ldy = o.ldy;
  return p;
}

status add_file(const problem_options& defaults, std::vector<problem>& all) {
  std::ifstream file(defaults.file);
  if (!file) return {status_code::io_error, "'" + defaults.file + "' could not be read"};
  const auto complain = [&](const std::string& what) { return status(status_code::bad_file, "'" + defaults.file + "': " + what); };
  try {
    const auto json = nlohmann::json::parse(file);
    if (!json.is_array()) return complain("the file is no JSON array of problems, such as [{\"m\": [1, 16], \"n\": 4864, \"k\": 896}]");
    for (const auto& item : json) {
      problem_options o = defaults;
      std::string shape;
      for (const char* axis : {"m", "n", "k"}) {
        if (!item.contains(axis)) return complain("a problem lacks \"" + std::string(axis) + "\"");
        const auto list = item[axis].is_array() ? item[axis].get<std::vector<std::int64_t>>() : std::vector{item[axis].get<std::int64_t>()};
        if (list.empty()) return complain("\"" + std::string(axis) + "\" is an empty list");
        shape += shape.empty() ? "" : "x";
        for (std::size_t i = 0; i < list.size(); ++i) shape += (i ? "," : "") + std::to_string(list[i]);
      }
      for (const auto& [key, value] : item.items()) {
        if (key == "m" || key == "n" || key == "k" || key == "name") continue;
        else if (key == "dtype") value.get_to(o.dtype);
        else if (key == "layout") value.get_to(o.layout);
        else if (key == "activation") value.get_to(o.activation);
        else if (key == "numerics") value.get_to(o.numerics);
        else if (key == "alpha") value.get_to(o.alpha);
        else if (key == "limit") value.get_to(o.limit);
        else if (key == "bias") value.get_to(o.bias);
        else if (key == "ldx") value.get_to(o.ldx);
        else if (key == "ldw") value.get_to(o.ldw);
        else if (key == "ldy") value.get_to(o.ldy);
        else return complain("\"" + key + "\" is no part of a problem; allowed are name, m, n, k, dtype, layout, activation, numerics, alpha, limit, bias, ldx, ldw, ldy");
      }
      const auto like = words(o);
      if (!like) return complain(like.error().text());
      if (status s = add_shape(shape, *like, all); !s.ok()) return complain(s.text());
    }
  } catch (const nlohmann::json::exception& e) {
    return complain(e.what());
  }
  return {};
}

}  // namespace

void problem_options::add_to(CLI::App& command) {
  command.add_option("shape", shapes, "MxNxK: rows (tokens), columns (intermediate size), depth (hidden size); each may be a list: 1,16x4864x896");
  command.add_option("--file", file, "a JSON array of problems: [{\"m\": [1, 16], \"n\": 4864, \"k\": 896, \"activation\": \"gelu_tanh\"}]");
  command.add_option("--dtype", dtype, "bf16 or fp16")->capture_default_str();
  command.add_option("--layout", layout, "separate, stacked_gate_up, stacked_up_gate or interleaved")->capture_default_str();
  command.add_option("--activation", activation, "silu, gelu_tanh, gelu_erf, relu, sigmoid, identity or gpt_oss")->capture_default_str();
  command.add_option("--alpha", alpha, "of gpt_oss; 1.702 where not given");
  command.add_option("--limit", limit, "clamp gate to (-inf, limit] and up to [-limit, limit]; 7 for gpt_oss, else no clamp");
  command.add_flag("--bias", bias, "add a bias to both halves");
  command.add_option("--numerics", numerics, "fp32_through or match_unfused")->capture_default_str();
  command.add_option("--ldx", ldx, "elements from one row of X to the next; 0: K");
  command.add_option("--ldw", ldw, "elements from one weight row to the next; 0: K");
  command.add_option("--ldy", ldy, "elements from one row of Y to the next; 0: N");
}

result<std::vector<problem>> problem_options::problems() const {
  std::vector<problem> all;
  const auto like = words(*this);
  if (!like) return like.error();
  for (const std::string& shape : shapes)
    if (status s = add_shape(shape, *like, all); !s.ok()) return s;
  if (!file.empty())
    if (status s = add_file(*this, all); !s.ok()) return s;
  if (all.empty()) return bad("no problem was given; allowed are shapes such as 16x4864x896, or --file");
  for (const problem& p : all)
    if (status s = validate(p); !s.ok()) return s;
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
