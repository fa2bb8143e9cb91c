#include "model_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "expected.hpp"

namespace tileglu::cli {
namespace {

constexpr std::size_t guard_bytes = 4096;  // behind the output: a write past its end is seen
constexpr unsigned char poison = 0xff;     // an element of such bytes is a NaN in bf16 and fp16

/// A path through the library: one plan for each shape among the layers.
struct contender {
  std::string row, backend;
  std::vector<execution_plan> gated;  // of each layer; empty where the whole MLP is run
  std::vector<mlp_plan> whole;
  std::size_t workspace = 0;
};

/// The memory that the contenders share.
struct arena {
  stream on;
  buffer output, workspace;
  std::vector<buffer> x;  // of each layer; copies share one buffer
};

template <class Plan, class Problem, class Of>
status plan_layers(const std::vector<device_layer>& layers, const device_facts& device, const plan_options& choice, Of problem_of,
                   std::vector<Plan>& plans) {
  std::vector<std::pair<Problem, Plan>> made;
  for (const device_layer& l : layers) {
    const Problem p = problem_of(l.layer);
    const auto known = std::ranges::find(made, p, &std::pair<Problem, Plan>::first);
    if (known != made.end()) {
      plans.push_back(known->second);
      continue;
    }
    auto planned = plan(p, device, choice);
    if (!planned) return planned.error();
    if (status s = prepare(*planned); !s.ok()) return s;
    made.emplace_back(p, *planned);
    plans.push_back(*planned);
  }
  return {};
}

result<contender> make_contender(const std::vector<device_layer>& layers, const device_facts& device, const plan_options& choice, numerics mode,
                                 std::int64_t m, bool whole_mlp) {
  contender c;
  const auto gated = [&](const mlp_layer& l) {
    problem p = gated_problem(l, m);
    p.mode = mode;
    return p;
  };
  const auto whole = [&](const mlp_layer& l) {
    mlp_problem p = whole_mlp_problem(l, m);
    p.gate_up.mode = mode;
    return p;
  };
  const status s = whole_mlp ? plan_layers<mlp_plan, mlp_problem>(layers, device, choice, whole, c.whole)
                             : plan_layers<execution_plan, problem>(layers, device, choice, gated, c.gated);
  if (!s.ok()) return s;
  const execution_plan& first = whole_mlp ? c.whole[0].gate_up : c.gated[0];
  c.row = first.row;
  c.backend = name(first.backend);
  for (const mlp_plan& p : c.whole) c.workspace = std::max(c.workspace, p.workspace);
  for (const execution_plan& p : c.gated) c.workspace = std::max(c.workspace, p.workspace);
  return c;
}

status run_layer(const contender& c, const std::vector<device_layer>& layers, std::size_t i, const arena& a) {
  const device_layer& l = layers[i];
  tensors t{.x = a.x[i].data(), .w = l.w, .y = a.output.data(), .bias_gate = l.bias_gate, .bias_up = l.bias_up};
  if (c.whole.empty()) {
    t.workspace = a.workspace.data(), t.workspace_bytes = a.workspace.bytes();
    return run(c.gated[i], t, a.on.handle());
  }
  mlp_tensors all{.gate_up = t, .w_down = l.down, .bias_down = l.bias_down, .z = a.output.data()};
  all.workspace = a.workspace.data(), all.workspace_bytes = a.workspace.bytes();
  return run(c.whole[i], all, a.on.handle());
}

std::int64_t columns(const mlp_layer& l, bool whole_mlp) { return whole_mlp ? l.out : l.n; }

/// Evenly spread over [0, m), the first and the last among them.
std::vector<std::int64_t> sample(std::int64_t m, std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(count == 1 ? m - 1 : i * (m - 1) / (count - 1));
  return rows;
}

std::int64_t rows_to_check(const mlp_layer& l, const model_request& request, std::int64_t m) {
  constexpr std::int64_t products = 400'000'000;
  const std::int64_t affordable = std::clamp<std::int64_t>(products / (2 * l.n * l.k + l.n * l.out), 1, 16);
  return std::min(m, request.oracle_rows > 0 ? request.oracle_rows : affordable);
}

std::vector<std::uint16_t> gather(const std::vector<std::uint16_t>& x, std::int64_t k, const std::vector<std::int64_t>& rows) {
  std::vector<std::uint16_t> gathered;
  for (const std::int64_t row : rows) gathered.insert(gathered.end(), x.begin() + row * k, x.begin() + (row + 1) * k);
  return gathered;
}

/// Runs one layer into poisoned memory, and compares the sampled rows; every element must be finite, and nothing behind them touched.
result<measured_error> check_layer(const contender& c, const std::vector<device_layer>& layers, std::size_t i, arena& a, std::int64_t m,
                                   const std::vector<std::int64_t>& rows, const expected_rows& wanted) {
  if (status s = a.output.fill(poison); !s.ok()) return s;
  if (status s = run_layer(c, layers, i, a); !s.ok()) return s;
  if (status s = a.on.synchronize(); !s.ok()) return s;
  const mlp_layer& l = layers[i].layer;
  const std::int64_t width = columns(l, !c.whole.empty());
  const auto count = static_cast<std::size_t>(m * width);
  std::vector<std::uint16_t> got(count + guard_bytes / sizeof(std::uint16_t));
  if (status s = a.output.download(got.data(), got.size() * sizeof(std::uint16_t)); !s.ok()) return s;

  measured_error e;
  for (std::size_t at = 0; at < got.size() && e.fault.empty(); ++at) {
    const bool good = at < count ? std::isfinite(to_double(l.type, got[at])) : got[at] == 0xffff;
    if (good) continue;
    const std::size_t row = at / static_cast<std::size_t>(width), column = at % static_cast<std::size_t>(width);
    e.fault = at < count ? fmt::format("row {}, column {} is not finite, or was not written", row, column)
                         : fmt::format("element {} behind the output was written", at - count);
  }
  std::vector<double> values;
  for (const std::int64_t row : rows)
    for (std::int64_t j = 0; j < width; ++j) values.push_back(to_double(l.type, got[static_cast<std::size_t>(row * width + j)]));
  e.error = relative_error(values, wanted.exact);
  e.earned = relative_error(wanted.rounded, wanted.exact);
  return e;
}

bool within(measured_error& e, double times, dtype type) {
  e.allowed = std::max(times * e.earned, negligible_error(type));
  return e.fault.empty() && e.error <= e.allowed;
}

/// One pass over all layers, so that each finds its weights as cold as a model's forward does. On CUDA it is one graph.
class pass {
 public:
  static result<pass> make(const contender& c, const std::vector<device_layer>& layers, const arena& a, const device_facts& device) {
    pass p;
    p.count_ = layers.size();
    p.device_ = device;
    p.on_ = a.on;
    p.layer_ = [&c, &layers, &a](std::size_t i) { return run_layer(c, layers, i, a); };
    p.layer_us_.resize(device.kind == device_kind::cpu ? p.count_ : 0);
    if (device.kind == device_kind::cpu) return p;
    auto graph = recorded_work::record(device, a.on, [layer = p.layer_, count = p.count_]() -> status {
      for (std::size_t i = 0; i < count; ++i)
        if (status s = layer(i); !s.ok()) return s;
      return {};
    });
    if (!graph) return graph.error();
    p.graph_ = *graph;
    return p;
  }

  /// Microseconds of the whole pass.
  result<double> time() {
    if (graph_) return time_us(device_, on_, [this] { return graph_->replay(on_); });
    double total = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      if (status s = layer_(i); !s.ok()) return s;
      const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
      layer_us_[i].push_back(us);
      total += us;
    }
    return total;
  }

  std::vector<std::vector<double>>& layer_us() { return layer_us_; }

 private:
  std::size_t count_ = 0;
  device_facts device_;
  stream on_;
  std::function<status(std::size_t)> layer_;
  std::optional<recorded_work> graph_;
  std::vector<std::vector<double>> layer_us_;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Rounds of one pass each, whoever goes first taking turns.
status race(const contender& ours, const contender* baseline, const std::vector<device_layer>& layers, const arena& a, const model_request& request,
            race_outcome& outcome) {
  auto first = pass::make(ours, layers, a, request.device);
  if (!first) return first.error();
  auto second = baseline ? pass::make(*baseline, layers, a, request.device) : result<pass>(pass());
  if (!second) return second.error();
  double warm = 0;  // one pass of each is not counted: pages, clocks and caches settle, and its time sets the number of rounds
  for (pass* p : {&*first, &*second}) {
    if (p == &*second && !baseline) break;
    const auto us = p->time();
    if (!us) return us.error();
    warm += *us;
    for (auto& layer : p->layer_us()) layer.clear();
  }
  constexpr int fewest = 3, most = 101;
  outcome.rounds = std::clamp(static_cast<int>(request.seconds * 1e6 / std::max(warm, 1.0)), fewest, most);
  std::vector<double> us[2];
  for (int round = 0; round < outcome.rounds; ++round) {
    for (int turn = 0; turn < (baseline ? 2 : 1); ++turn) {
      const int who = baseline ? (round + turn) % 2 : 0;
      const auto taken = (who == 0 ? *first : *second).time();
      if (!taken) return taken.error();
      us[who].push_back(*taken);
    }
  }
  const auto count = static_cast<double>(layers.size());
  outcome.us = median(us[0]) / count;
  outcome.baseline_us = median(us[1]) / count;
  outcome.speedup = baseline ? outcome.baseline_us / outcome.us : 0;
  for (std::size_t i = 0; i < first->layer_us().size(); ++i) {
    outcome.layers[i].us = median(first->layer_us()[i]);
    if (baseline) outcome.layers[i].baseline_us = median(second->layer_us()[i]);
  }
  return {};
}

/// The row that stores gate and up whole, of the same device; a build may lack it. It is run as match_unfused, which stores them in the
/// element type: what a framework does today, and on CUDA half of the traffic that float32 halves would cost.
std::string unfused_row(const device_facts& device) { return device.kind == device_kind::cuda ? "portable" : "cpu_unfused"; }

result<arena> make_arena(const std::vector<device_layer>& layers, const activations& x, const model_request& request) {
  arena a;
  auto on = stream::create(request.device);
  if (!on) return on.error();
  a.on = *on;
  std::int64_t widest = 0;
  for (const device_layer& l : layers) widest = std::max({widest, l.layer.n, l.layer.out});
  auto output = buffer::allocate(request.device, static_cast<std::size_t>(std::ranges::max(request.ms) * widest) * 2 + guard_bytes);
  if (!output) return output.error();
  a.output = *output;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0 && x.of_layer[i] == x.of_layer[i - 1]) {
      a.x.push_back(a.x.back());
      continue;
    }
    auto memory = buffer::allocate(request.device, x.of_layer[i]->size() * 2);
    if (!memory) return memory.error();
    if (status s = memory->upload(x.of_layer[i]->data(), memory->bytes()); !s.ok()) return s;
    a.x.push_back(*memory);
  }
  return a;
}

status grow_workspace(arena& a, const device_facts& device, std::size_t bytes) {
  if (a.workspace.bytes() >= bytes) return {};
  auto memory = buffer::allocate(device, bytes);
  if (!memory) return memory.error();
  a.workspace = *memory;
  return {};
}

}  // namespace

bool verified(const race_outcome& race) { return std::ranges::all_of(race.layers, &layer_outcome::verified); }

std::size_t steps_of(const std::vector<device_layer>& layers, const model_request& request) { return request.ms.size() * (layers.size() + 2); }

result<std::vector<race_outcome>> run_model(const std::vector<device_layer>& layers, const activations& x, const model_request& request,
                                            const std::function<void(std::string_view)>& step) {
  auto memory = make_arena(layers, x, request);
  if (!memory) return memory.error();
  arena& a = *memory;
  plan_options unfused = request.choice;
  unfused.backend = backend_id::automatic;
  unfused.kernel = unfused_row(request.device);

  std::vector<race_outcome> races;
  for (const std::int64_t m : request.ms) {
    contender ours[2], baselines[2];
    bool raced[2] = {false, false};
    race_outcome outcomes[2];
    for (const bool whole : {false, true}) {
      auto made = make_contender(layers, request.device, request.choice, numerics::fp32_through, m, whole);
      if (!made) return made.error();
      ours[whole] = std::move(*made);
      if (ours[whole].row != unfused.kernel) {
        auto baseline = make_contender(layers, request.device, unfused, numerics::match_unfused, m, whole);
        if (baseline) baselines[whole] = std::move(*baseline);
        raced[whole] = baseline.ok();
      }
      if (status s = grow_workspace(a, request.device, std::max(ours[whole].workspace, baselines[whole].workspace)); !s.ok()) return s;
      race_outcome& o = outcomes[whole];
      o.m = m, o.whole_mlp = whole, o.row = ours[whole].row, o.backend = ours[whole].backend,
      o.baseline_row = raced[whole] ? baselines[whole].row : "";
      o.oracle_rows = rows_to_check(layers[0].layer, request, m);
    }
    const auto rows = sample(m, outcomes[0].oracle_rows);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      auto wanted = expect_gated(layers[i], gather(*x.of_layer[i], layers[i].layer.k, rows), outcomes[0].oracle_rows);
      if (!wanted) return wanted.error();
      for (const bool whole : {false, true}) {
        if (whole) *wanted = expect_mlp(layers[i], *wanted, outcomes[0].oracle_rows);
        layer_outcome l;
        l.index = layers[i].layer.index;
        auto checked = check_layer(ours[whole], layers, i, a, m, rows, *wanted);
        if (!checked) return checked.error();
        l.ours = std::move(*checked);
        const dtype type = layers[i].layer.type;
        const auto outputs = static_cast<double>(outcomes[0].oracle_rows * columns(layers[i].layer, whole));
        l.verified = within(l.ours, largest_error_ratio + few_outputs_allowance(outputs), type);
        if (raced[whole]) {
          auto other = check_layer(baselines[whole], layers, i, a, m, rows, *wanted);
          if (!other) return other.error();
          l.baseline = std::move(*other);
          // It rounds gate, up and the activation too: four roundings, so about twice the error of one, and three times is allowed.
          const bool right = within(l.baseline, 3 * (1 + few_outputs_allowance(outputs)), type);
          l.verified = l.verified && right;
        }
        outcomes[whole].layers.push_back(std::move(l));
      }
      step("checking M = " + std::to_string(m) + ", layer " + std::to_string(layers[i].layer.index));
    }
    for (const bool whole : {false, true}) {
      if (status s = race(ours[whole], raced[whole] ? &baselines[whole] : nullptr, layers, a, request, outcomes[whole]); !s.ok()) return s;
      step("timing M = " + std::to_string(m));
      races.push_back(std::move(outcomes[whole]));
    }
  }
  return races;
}

}  // namespace tileglu::cli
