// tileglu run: every gated MLP of a checkpoint, verified against float64 and raced against the unfused path.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <memory>
#include <numeric>
#include <set>

#include <fmt/core.h>
#include <fmt/format.h>

#include "console.hpp"
#include "memory_left.hpp"
#include "model_run.hpp"
#include "option_checks.hpp"
#include "output_files.hpp"
#include "report.hpp"
#include "svg.hpp"
#include "tileglu/tileglu.hpp"

namespace tileglu::cli {
namespace {

struct run_command {
  std::string model = "models/smollm2-135m", layers, activations_file, activation, backend = "automatic", kernel, out = "out";
  std::vector<std::int64_t> ms;
  double seconds = 1;
  std::int64_t oracle_rows = 0;
  bool json = false;
};

/// The command line, for the report.
std::string words_of(const run_command& c) {
  std::string words = "tileglu run --model " + c.model;
  if (!c.layers.empty()) words += " --layers " + c.layers;
  if (!c.ms.empty()) words += fmt::format(" --m {}", fmt::join(c.ms, ","));
  if (!c.activations_file.empty()) words += " --activations " + c.activations_file;
  if (!c.activation.empty()) words += " --activation " + c.activation;
  if (c.backend != "automatic") words += " --backend " + c.backend;
  if (!c.kernel.empty()) words += " --kernel " + c.kernel;
  return words;
}

status bad(std::string text) { return {status_code::invalid_argument, std::move(text)}; }

/// "0-3,7" as positions in the checkpoint's layers; all of them where it is empty.
result<std::vector<std::size_t>> choose_layers(const std::string& text, const checkpoint& model) {
  const auto& layers = model.layers();
  const auto wrong = [&](const std::string& part) {
    return bad("--layers is '" + text + "': '" + part + "' is not there; allowed are numbers and ranges from " +
               std::to_string(layers.front().index) + " to " + std::to_string(layers.back().index) + ", as in 0-3,7");
  };
  std::set<std::size_t> chosen;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    int first = 0, last = 0;
    const char* stop = part.data() + part.size();
    auto parsed = std::from_chars(part.data(), stop, first);
    last = first;
    if (parsed.ec == std::errc{} && parsed.ptr != stop && *parsed.ptr == '-') parsed = std::from_chars(parsed.ptr + 1, stop, last);
    if (parsed.ec != std::errc{} || parsed.ptr != stop || first > last || first < 0) return wrong(part);
    for (int index = first; index <= last; ++index) {
      const auto found = std::ranges::find(layers, index, &mlp_layer::index);
      if (found == layers.end()) return wrong(part);
      chosen.insert(static_cast<std::size_t>(found - layers.begin()));
    }
    begin = end + 1;
  }
  if (!text.empty()) return std::vector(chosen.begin(), chosen.end());
  std::vector<std::size_t> all(layers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// The rows that are multiplied: the user's, or 1, 16, 128 and 512 as far as the activations reach.
result<std::vector<std::int64_t>> choose_ms(const std::vector<std::int64_t>& asked, std::int64_t available, const std::string& origin) {
  std::vector<std::int64_t> ms = asked.empty() ? std::vector<std::int64_t>{1, 16, 128, 512} : asked;
  if (asked.empty() && available > 0) std::erase_if(ms, [&](std::int64_t m) { return m > available; });
  for (const std::int64_t m : ms)
    if (available > 0 && m > available)
      return bad("--m is " + std::to_string(m) + "; allowed are 1 to " + std::to_string(available) + ", the rows of " + origin);
  return ms;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "CPU";
}

std::string machine_words(const device_facts& d) {
  if (d.kind == device_kind::cuda)
    return fmt::format("{}, compute capability {}.{}, {} SMs", d.name, d.compute_capability / 10, d.compute_capability % 10, d.sm_count);
  const char* extension = d.amx_bf16 ? "AMX" : d.avx512_bf16 ? "AVX512-BF16" : d.avx2 ? "AVX2" : "no vector extension that is used";
  return fmt::format("{}, {} thread{}, {}", cpu_model(), d.threads, d.threads == 1 ? "" : "s", extension);
}

nlohmann::ordered_json to_json(const measured_error& e) {
  nlohmann::ordered_json j;
  if (std::isfinite(e.error)) j["error"] = e.error;
  else j["error"] = nullptr;
  j["float32_error"] = e.earned;
  j["allowed_error"] = e.allowed;
  if (std::isfinite(e.error) && e.earned > 0) j["error_ratio"] = e.error / e.earned;
  else j["error_ratio"] = nullptr;
  return j;
}

nlohmann::ordered_json to_json(const race_outcome& race) {
  nlohmann::ordered_json j;
  j["m"] = race.m;
  j["product"] = race.whole_mlp ? "mlp" : "gated";
  j["kernel"] = race.row;
  j["backend"] = race.backend;
  j["us_per_layer"] = race.us;
  if (!race.baseline_row.empty()) {
    j["baseline"] = race.baseline_row;
    j["baseline_numerics"] = name(numerics::match_unfused);
    j["baseline_us_per_layer"] = race.baseline_us;
    j["speedup"] = race.speedup;
  }
  j["rounds"] = race.rounds;
  j["oracle_rows"] = race.oracle_rows;
  measured_error worst;
  double baseline_error = 0;
  for (const layer_outcome& l : race.layers) {
    if (l.ours.error > worst.error || !std::isfinite(l.ours.error)) worst = l.ours;
    baseline_error = std::max(baseline_error, l.baseline.error);
  }
  j.update(to_json(worst));
  if (!race.baseline_row.empty() && std::isfinite(baseline_error)) j["baseline_error"] = baseline_error;
  j["layers_verified"] = std::ranges::count(race.layers, true, &layer_outcome::verified);
  for (const layer_outcome& l : race.layers) {
    nlohmann::ordered_json layer = {{"layer", l.index}, {"verified", l.verified}};
    layer.update(to_json(l.ours));
    if (l.us > 0) layer["us"] = l.us;
    if (l.baseline_us > 0) layer["baseline_us"] = l.baseline_us, layer["speedup"] = l.baseline_us / l.us;
    if (!l.verified)
      layer["fault"] = !l.ours.fault.empty()       ? l.ours.fault
                       : !l.baseline.fault.empty() ? "the baseline: " + l.baseline.fault
                       : l.ours.error > l.ours.allowed
                           ? fmt::format("the error is {:.2e}, and {:.2e} is allowed", l.ours.error, l.ours.allowed)
                           : fmt::format("the baseline's error is {:.2e}, and {:.2e} is allowed", l.baseline.error, l.baseline.allowed);
    j["layers"].push_back(layer);
  }
  return j;
}

nlohmann::ordered_json describe_model(const checkpoint& model, const std::vector<device_layer>& layers) {
  nlohmann::ordered_json j;
  const mlp_layer& first = layers.front().layer;
  j["name"] = model.name();
  j["path"] = model.path();
  j["type"] = model.config().model_type.empty() ? "unknown type" : model.config().model_type;
  j["hidden"] = first.k;
  j["intermediate"] = first.n;
  j["activation"] = name(first.act.kind);
  j["dtype"] = name(first.type);
  j["layout"] = name(first.layout);
  j["bias"] = first.bias;
  j["layers"] = nlohmann::ordered_json::array();
  std::size_t bytes = 0;
  for (const device_layer& l : layers) {
    j["layers"].push_back(l.layer.index);
    bytes += l.bytes;
  }
  j["weight_bytes"] = bytes;
  j["notes"] = model.notes();
  return j;
}

/// "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// Error over float32's of the worst result.
double worst_ratio(const std::vector<race_outcome>& races) {
  double worst = 0;
  for (const race_outcome& race : races)
    for (const layer_outcome& l : race.layers)
      if (l.ours.earned > 0) worst = std::max(worst, l.ours.error / l.ours.earned);
  return worst;
}

nlohmann::ordered_json summarise(const nlohmann::ordered_json& report, const std::vector<race_outcome>& races, const std::string& machine) {
  nlohmann::ordered_json j;
  std::size_t results = 0, good = 0, raced = 0;
  double logs = 0;
  std::vector<std::string> kernels, ms;
  const auto add = [](std::vector<std::string>& to, const std::string& word) {
    if (std::ranges::find(to, word) == to.end()) to.push_back(word);
  };
  for (const race_outcome& race : races) {
    results += race.layers.size();
    good += static_cast<std::size_t>(std::ranges::count(race.layers, true, &layer_outcome::verified));
    add(kernels, race.row);
    add(ms, std::to_string(race.m));
    if (race.speedup > 0) logs += std::log(race.speedup), ++raced;
  }
  j["results"] = results;
  j["verified"] = good;
  if (raced > 0) j["speedup"] = std::exp(logs / static_cast<double>(raced));
  const auto& model = report["model"];
  std::string sentence =
      fmt::format("Ran the gated product and the whole MLP of {} layer{} of {} ({}, {}, hidden {}, intermediate {}) for M = {} on {} through {}: ",
                  model["layers"].size(), model["layers"].size() == 1 ? "" : "s", model["name"].get<std::string>(), model["dtype"].get<std::string>(),
                  model["activation"].get<std::string>(), model["hidden"].get<std::int64_t>(), model["intermediate"].get<std::int64_t>(), listed(ms),
                  machine, listed(kernels));
  const double worst = worst_ratio(races);
  if (good < results)
    sentence += fmt::format("{} of {} RESULTS ARE WRONG", results - good, results);
  else if (worst <= largest_error_ratio)
    sentence += fmt::format("all {} results are within {} times float32's own error", results, largest_error_ratio);
  else
    sentence += fmt::format("all {} results are right, the worst at {:.2f} times float32's own error, which so few outputs allow", results, worst);
  if (raced > 0) sentence += fmt::format(", at {:.2f} times the speed of the unfused path (geometric mean)", j["speedup"].get<double>());
  j["sentence"] = sentence + ".";
  return j;
}

std::string result_table(const std::vector<race_outcome>& races) {
  table rows({"M", "product", "kernel", "per layer", "unfused", "speed", "error", "float32's", "rows checked", "layers verified"});
  for (const race_outcome& race : races) {
    const auto worst = std::ranges::max_element(race.layers, {}, [](const layer_outcome& l) { return l.ours.error; });
    rows.add({std::to_string(race.m), race.whole_mlp ? "mlp" : "gated", race.row, duration(race.us),
              race.baseline_row.empty() ? "-" : duration(race.baseline_us), race.baseline_row.empty() ? "-" : fmt::format("{:.2f}x", race.speedup),
              fmt::format("{:.2e}", worst->ours.error), fmt::format("{:.2e}", worst->ours.earned), fmt::format("{} of {}", race.oracle_rows, race.m),
              fmt::format("{} of {}", std::ranges::count(race.layers, true, &layer_outcome::verified), race.layers.size())});
  }
  return rows.text();
}

std::string faults(const std::vector<race_outcome>& races) {
  std::string text;
  int shown = 0;
  for (const race_outcome& race : races) {
    const nlohmann::ordered_json described = to_json(race);
    for (const auto& layer : described["layers"])
      if (!layer["verified"].get<bool>() && shown++ < 10)
        text += fmt::format("WRONG: layer {}, M = {}, {}: {}\n", layer["layer"].get<int>(), race.m, race.whole_mlp ? "whole MLP" : "gated product",
                            layer["fault"].get<std::string>());
  }
  return text;
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// Activations, an output and its check on the host, and on a CPU a copy of the activations and what the baseline stores.
status fits_memory(const std::vector<device_layer>& layers, const model_request& request) {
  std::int64_t deepest = 0, widest = 0;
  for (const device_layer& l : layers) deepest = std::max(deepest, l.layer.k), widest = std::max({widest, l.layer.n, l.layer.out});
  const auto m = static_cast<double>(std::ranges::max(request.ms));
  const double on_cpu = request.device.kind == device_kind::cpu ? static_cast<double>(deepest + 4 * widest) : 0;
  return enough_memory(2 * m * (static_cast<double>(deepest + widest) + on_cpu), fmt::format("M = {:.0f}", m));
}

result<checkpoint> open_model(const run_command& c) {
  checkpoint_options options;
  if (!c.activation.empty()) {
    const auto act = hf_activation_by_name(c.activation);
    if (!act) return bad("--activation: " + act.error().text());
    options.act = *act;
  }
  return checkpoint::open(c.model, options);
}

int run(const run_command& c) {
  const auto model = open_model(c);
  if (!model) return fail(model.error());
  const auto chosen = choose_layers(c.layers, *model);
  if (!chosen) return fail(chosen.error());
  const auto backend = backend_by_name(c.backend);
  if (!backend) return fail(backend.error());
  model_request request;
  request.choice.backend = *backend;
  request.choice.kernel = c.kernel;
  request.seconds = c.seconds;
  request.oracle_rows = c.oracle_rows;
  const bool on_cpu = *backend == backend_id::cpu || *backend == backend_id::oracle;
  request.device = on_cpu ? this_cpu() : this_device();

  std::vector<device_layer> layers;
  for (const std::size_t position : *chosen) {
    auto loaded = load_to_device(*model, position, request.device);
    if (!loaded) return fail(loaded.error());
    layers.push_back(std::move(*loaded));
  }
  result<activations> x = activations{};
  if (!c.activations_file.empty()) x = read_activations(c.activations_file, layers);
  if (!x) return fail(x.error());
  const auto ms = choose_ms(c.ms, x->rows, c.activations_file);
  if (!ms) return fail(ms.error());
  request.ms = *ms;
  if (status s = fits_memory(layers, request); !s.ok()) return fail(s);
  if (c.activations_file.empty()) x = random_activations(layers, std::ranges::max(request.ms));

  result<std::vector<race_outcome>> races = std::vector<race_outcome>{};
  {
    progress bar("tileglu run", steps_of(layers, request));
    races = run_model(layers, *x, request, [&](std::string_view what) { bar.step(what); });
  }
  if (!races) return fail(races.error());

  nlohmann::ordered_json report;
  report["tileglu"] = version();
  report["created"] = now();
  report["command"] = words_of(c);
  report["model"] = describe_model(*model, layers);
  report["machine"] = cli::to_json(request.device);
  report["machine"]["words"] = machine_words(request.device);
  report["activations"] = x->origin;
  report["tolerance"] = largest_error_ratio;
  for (const race_outcome& race : *races) report["races"].push_back(to_json(race));
  report["summary"] = summarise(report, *races, report["machine"]["words"].get<std::string>());

  // The results come first, so that a folder that can't be written loses nothing.
  const bool good = std::ranges::all_of(*races, verified);
  if (c.json) {
    put(to_text(report));
  } else {
    for (const std::string& note : model->notes()) say("note: {}\n", note);
    say("{}{}\n{}\n", result_table(*races), faults(*races), report["summary"]["sentence"].get<std::string>());
  }
  status written = write_result(c.out, "run.json", to_text(report));
  if (written.ok()) written = write_result(c.out, "run.html", html_report(report));
  if (!written.ok())
    fail({written.code(), written.text() + "; the results above are whole, only their files are missing"});
  else if (!c.json)
    say("Report: {}/run.html, {}/run.json\n", c.out, c.out);
  return !good ? wrong_result : written.ok() ? success : exit_code_of(written);
}

}  // namespace

void add_run(CLI::App& app, action& chosen) {
  auto c = std::make_shared<run_command>();
  CLI::App* command =
      app.add_subcommand("run", "Compute every gated MLP of a Hugging Face checkpoint, verify it against float64, race it against the unfused path");
  command->add_option("--model", c->model, "folder, safetensors file or index")->capture_default_str()->transform(not_empty());
  command->add_option("--layers", c->layers, "numbers and ranges, as in 0-3,7; all where it is left out");
  command->add_option("--m", c->ms, "rows of activations (tokens), as in 1,16,512; 1,16,128,512 where it is left out")
      ->delimiter(',')
      ->transform(whole_number(1, 1 << 20));
  command->add_option("--activations", c->activations_file,
                      "X [rows, hidden] in a safetensors file, one tensor or one per layer; random where it is left out")
      ->transform(not_empty());
  command->add_option("--activation", c->activation, "in place of config.json's hidden_act: silu, gelu_pytorch_tanh, ...");
  command->add_option("--backend", c->backend, "automatic, cpu, cuda_portable, sm90 or oracle")->capture_default_str();
  command->add_option("--kernel", c->kernel, "a row or a family of the planner's tables; `tileglu plan` lists them");
  command->add_option("--seconds", c->seconds, "time spent on each race, at least 3 rounds")
      ->capture_default_str()
      ->transform(finite_number(0, 3600));
  command->add_option("--rows-checked", c->oracle_rows, "rows of each result that the float64 oracle computes; 1 to 16 by size where it is left out")
      ->transform(whole_number(1, 1 << 20));
  command->add_option("--out", c->out, "folder of run.json and run.html")->capture_default_str()->transform(not_empty());
  add_switch(*command, "--json", c->json, "print JSON instead of the table");
  command->footer(
      "Examples:\n"
      "  tileglu run                                        SmolLM2-135M, as scripts/get_model brings it\n"
      "  tileglu run --model ~/models/Qwen2.5-7B --layers 0-3 --m 1,512\n"
      "  tileglu run --model model.safetensors --activations x.safetensors --backend cpu --json\n"
      "\n"
      "Every layer goes through the kernel that the planner chooses. The rows that the oracle computes are spread over each result;\n"
      "all other elements must be finite. A pass over all layers is timed, so that weights are as cold as in a model's forward, in turns\n"
      "with the unfused path, which stores gate and up in the element type as frameworks do. Exit code 1: a result is wrong.\n");
  command->callback([c, &chosen] { chosen = [c] { return run(*c); }; });
}

}  // namespace tileglu::cli
