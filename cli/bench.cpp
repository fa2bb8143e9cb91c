// tileglu bench: kernels in turns on this machine, against the bare product of the same size.
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "console.hpp"
#include "made_problem.hpp"
#include "option_checks.hpp"
#include "output_files.hpp"
#include "problem_options.hpp"
#include "tileglu/baseline.hpp"
#include "tileglu/info.hpp"

namespace tileglu::cli {
namespace {

struct bench_command {
  problem_options what;
  std::string device = "this";
  std::vector<std::string> kernels;
  bool json = false, every_kernel = false;
  std::string output;
  int rounds = 5;
  std::int64_t sustained_from = 512;
};

// The protocol. A GPU's power limit answers after 40 ms and settles after 300: a burst slot follows idling and stays below that; a
// sustained slot runs alone for long enough and is timed over its second half.
constexpr double burst_idle_s = 0.12, burst_us = 18e3, sustained_us = 700e3;
constexpr int sustained_rounds = 2;
// A layer's weights are cold in a real model: the sets of a contender together exceed three times the last cache.
constexpr std::int64_t cpu_cache_bytes = 64 << 20;
constexpr std::int64_t most_sets = 24;

/// Something that is timed: work recorded over several sets of memory.
struct contender {
  std::string name, row;
  recorded_work work;
  std::int64_t calls = 0;  ///< in one replay
  std::vector<double> burst, sustained;  ///< us a call, one of each round
  verdict judged;
  bool is_judged = false;
};

/// All memory of a cell; the contenders' recordings point into it.
struct cell {
  explicit cell(const problem& p) : made(p, 1) {}
  made_problem made;
  std::vector<device_copy> sets;
  std::vector<buffer> products;  ///< of the bare product: [m, 2n]
  buffer product_workspace;
  std::vector<contender> contenders;
};

std::int64_t set_count(const problem& p, const device_facts& device) {
  const std::int64_t cache = device.kind == device_kind::cuda ? device.l2_bytes : cpu_cache_bytes;
  const std::int64_t bytes = 2 * (p.m * p.k + 2 * p.n * p.k + p.m * p.n);
  return std::clamp<std::int64_t>(3 * cache / std::max<std::int64_t>(bytes, 1) + 1, 2, most_sets);
}

status add_plan(cell& c, const execution_plan& plan, const std::string& name, const stream& queue) {
  if (status s = prepare(plan); !s.ok()) return s;
  const auto work = [plan, sets = c.sets, queue]() -> status {
    for (const device_copy& set : sets)
      if (status s = run(plan, set.memory(), queue.handle()); !s.ok()) return s;
    return {};
  };
  // Judged on the first set, before the clock runs.
  if (status s = c.sets.front().poison(); !s.ok()) return s;
  if (status s = work(); !s.ok()) return s;
  if (status s = queue.synchronize(); !s.ok()) return s;
  const auto judged = judge(c.made, c.sets.front(), 1e8);
  if (!judged) return judged.error();
  auto recorded = recorded_work::record(plan.device, queue, work);
  if (!recorded) return recorded.error();
  c.contenders.push_back({name, plan.row, *recorded, static_cast<std::int64_t>(c.sets.size()), {}, {}, *judged, true});
  return {};
}

/// The bare product on the stacked weights; ok with no contender where the library has none for this device or the rows are padded.
status add_bare_product(cell& c, const device_facts& device, const stream& queue) {
  const problem& p = c.made.p;
  if (row_stride_x(p) != p.k || row_stride_w(p) != p.k || p.m == 0 || p.n == 0 || p.k == 0) return {};
  const auto product = bare_product::make(device, p.x_type, p.m, 2 * p.n, p.k);
  if (!product) return product.error().code() == status_code::not_available ? status{} : product.error();
  const auto workspace = buffer::allocate(device, product->workspace_bytes());
  if (!workspace) return workspace.error();
  c.product_workspace = *workspace;
  for (std::size_t i = 0; i < c.sets.size(); ++i) {
    const auto d = buffer::allocate(device, static_cast<std::size_t>(4 * p.m * p.n));
    if (!d) return d.error();
    c.products.push_back(*d);
  }
  const auto work = [product = *product, sets = c.sets, products = c.products, scratch = c.product_workspace, queue]() -> status {
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (status s = product.run(sets[i].x(), sets[i].weights(), products[i].data(), scratch.data(), scratch.bytes(), queue.handle()); !s.ok())
        return s;
    return {};
  };
  if (status s = work(); !s.ok()) return s;
  if (status s = queue.synchronize(); !s.ok()) return s;
  auto recorded = recorded_work::record(device, queue, work);
  if (!recorded) return recorded.error();
  c.contenders.push_back({"gemm", "", *recorded, static_cast<std::int64_t>(c.sets.size()), {}, {}, {}, false});
  return {};
}

/// us a call over about `us` microseconds of replays, the first `untimed` share of which is not timed.
result<double> time_slot(const contender& c, const device_facts& device, const stream& queue, double call_us, double us, double untimed) {
  const auto replays = [&](double share) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(share * us / (call_us * static_cast<double>(c.calls))));
  };
  const auto repeat = [&](std::int64_t times) -> status {
    for (std::int64_t i = 0; i < times; ++i)
      if (status s = c.work.replay(queue); !s.ok()) return s;
    return {};
  };
  if (status s = repeat(replays(untimed)); !s.ok()) return s;
  const std::int64_t timed = replays(1 - untimed);
  const auto took = time_us(device, queue, [&] { return repeat(timed); });
  if (!took) return took.error();
  return *took / static_cast<double>(timed * c.calls);
}

status race(cell& c, const device_facts& device, const stream& queue, const bench_command& command, std::mt19937& random) {
  const bool gpu = device.kind == device_kind::cuda;
  std::vector<double> call_us;
  for (const contender& one : c.contenders) {  // warm, and learn how long a slot is
    const auto first = time_slot(one, device, queue, 1e9, 1, 0);
    if (!first) return first.error();
    const auto second = time_slot(one, device, queue, *first, 5e3, 0.2);
    if (!second) return second.error();
    call_us.push_back(*second);
  }
  std::vector<std::size_t> order(c.contenders.size());
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < command.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      if (gpu) std::this_thread::sleep_for(std::chrono::duration<double>(burst_idle_s));
      const auto us = time_slot(c.contenders[i], device, queue, call_us[i], burst_us, 1.0 / 6);
      if (!us) return us.error();
      c.contenders[i].burst.push_back(*us);
    }
  }
  if (!gpu || c.made.p.m < command.sustained_from) return {};
  for (int round = 0; round < sustained_rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const auto us = time_slot(c.contenders[i], device, queue, call_us[i], sustained_us, 0.5);
      if (!us) return us.error();
      c.contenders[i].sustained.push_back(*us);
    }
  }
  return {};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()); }

result<cell> measure(const problem& p, const device_facts& device, const bench_command& command, std::mt19937& random) {
  cell c(p);
  const auto queue = stream::create(device);
  if (!queue) return queue.error();
  std::vector<std::pair<std::string, execution_plan>> plans;
  const auto chosen = plan(p, device);
  if (!chosen) return chosen.error();
  plans.emplace_back("tileglu", *chosen);
  std::vector<std::string> kernels = command.kernels;
  if (command.every_kernel)
    for (const candidate& row : chosen->considered)
      if (!row.refused && row.row != chosen->row) kernels.push_back(row.row);
  for (const std::string& kernel : kernels) {
    plan_options options;
    options.kernel = kernel;
    const auto forced = plan(p, device, options);
    if (!forced) return forced.error();
    plans.emplace_back(kernel, *forced);
  }
  std::size_t workspace = 0;
  for (const auto& [name, plan] : plans) workspace = std::max(workspace, plan.workspace);
  for (std::int64_t i = 0; i < set_count(p, device); ++i) {
    auto set = device_copy::make(c.made, device, workspace);
    if (!set) return set.error();
    c.sets.push_back(*std::move(set));
  }
  if (status s = add_bare_product(c, device, *queue); !s.ok()) return s;
  for (const auto& [name, plan] : plans)
    if (status s = add_plan(c, plan, name, *queue); !s.ok()) return s;
  if (status s = race(c, device, *queue, command, random); !s.ok()) return s;
  return c;
}

/// The times of a cell as JSON and as lines of the table; false where a contender's result is wrong.
bool report(const cell& c, nlohmann::ordered_json& j, table& rows) {
  nlohmann::ordered_json out;
  out["problem"] = to_json(c.made.p);
  out["sets"] = c.sets.size();
  const auto bare = std::find_if(c.contenders.begin(), c.contenders.end(), [](const contender& one) { return one.name == "gemm"; });
  const double gemm_us = bare != c.contenders.end() ? median(bare->burst) : 0;
  const double operations = 4.0 * static_cast<double>(c.made.p.m) * static_cast<double>(c.made.p.n) * static_cast<double>(c.made.p.k);
  bool right = true;
  for (const contender& one : c.contenders) {
    const double us = median(one.burst);
    nlohmann::ordered_json row;
    row["name"] = one.name;
    if (!one.row.empty()) row["kernel"] = one.row;
    row["burst_us"] = us;
    row["burst_rounds_us"] = one.burst;
    if (gemm_us > 0) row["burst_ratio_to_gemm"] = us / gemm_us;
    std::string sustained;
    if (!one.sustained.empty()) {
      row["sustained_us"] = mean(one.sustained);
      row["sustained_rounds_us"] = one.sustained;
      if (bare != c.contenders.end()) {
        row["sustained_ratio_to_gemm"] = mean(one.sustained) / mean(bare->sustained);
        sustained = fmt::format("{:.3f}", mean(one.sustained) / mean(bare->sustained));
      }
    }
    std::string verdict = "not judged";
    if (one.is_judged) {
      row["error"] = one.judged.error;
      row["right"] = one.judged.right;
      verdict = one.judged.right ? "right" : "WRONG: " + one.judged.fault;
      right = right && one.judged.right;
    }
    out["contenders"].push_back(row);
    rows.add({describe(c.made.p), one.name, one.row, fmt::format("{:.2f}", us), fmt::format("{:.1f}", operations / us * 1e-6),
              gemm_us > 0 ? fmt::format("{:.3f}", us / gemm_us) : "", sustained, verdict});
  }
  j["cells"].push_back(out);
  return right;
}

int run(const bench_command& command) {
  choice_options who;
  who.device = command.device;
  const auto asked = read_request(command.what, who);
  if (!asked) return fail(asked.error());
  const device_facts& device = asked->device;
  for (const problem& p : asked->problems)
    if (status s = fits_memory(p, device, set_count(p, device)); !s.ok()) return fail(s);

  nlohmann::ordered_json j;
  j["version"] = this_build().version;
  j["compiler"] = this_build().compiler;
  j["device"] = to_json(device);
  j["protocol"] = {{"rounds", command.rounds},
                   {"burst_idle_s", burst_idle_s},
                   {"burst_us", burst_us},
                   {"sustained_us", sustained_us},
                   {"order", "shuffled in every round"},
                   {"burst", "median"},
                   {"sustained", "mean"}};
  table rows({"problem", "contender", "kernel", "us", "TFLOP/s", "to gemm", "sustained", "verdict"});
  std::mt19937 random(1);
  bool right = true;
  status stopped;  // what was measured before it is reported
  {
    progress bar("bench", asked->problems.size());
    for (const problem& p : asked->problems) {
      const auto measured = measure(p, device, command, random);
      stopped = measured.error();
      if (!measured) break;
      right = report(*measured, j, rows) && right;
      bar.step(describe(p));
    }
  }
  if (!j.contains("cells")) return fail(stopped);
  if (command.json)
    put(to_text(j));
  else
    say("{}on {}; medians of {} rounds in turns, cold weights; 'to gemm' is the time over that of the bare product [m, 2n, k]\n", rows.text(),
        device.name, command.rounds);
  const status written = command.output.empty() ? status{} : write_file(command.output, to_text(j));
  const int code = !stopped.ok() ? fail(stopped) : !written.ok() ? fail(written) : success;
  return right ? code : wrong_result;
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
  auto c = std::make_shared<bench_command>();
  CLI::App* command = app.add_subcommand("bench", "Time kernels in turns, cold, against the bare product of the same size");
  c->what.add_to(*command);
  command->add_option("--device", c->device, "this, cpu, cuda or cuda:N")->capture_default_str();
  command->add_option("--kernel", c->kernels, "also race this kernel or row, by name; may be given several times");
  add_switch(*command, "--every-kernel", c->every_kernel, "also race every row of the tables that can compute the problem");
  command->add_option("--rounds", c->rounds, "turns of each contender")->capture_default_str()->transform(whole_number(1, 1000));
  command->add_option("--sustained-from", c->sustained_from, "rows from which a GPU is also timed under a sustained load")
      ->capture_default_str()
      ->transform(whole_number(0, std::int64_t{1} << 40));
  command->add_option("--output", c->output, "also write the JSON to this file")->transform(not_empty());
  add_switch(*command, "--json", c->json, "print JSON");
  command->footer(
      "Examples:\n"
      "  tileglu bench 1,16,128,512x4864x896                       Qwen2.5-0.5B's MLP, the planner's choice\n"
      "  tileglu bench 4096x4864x896 --every-kernel --output out/bench.json\n"
      "  tileglu bench 16x18944x3584 --device cpu --kernel cpu_blocked --json\n");
  command->callback([c, &chosen] { chosen = [c] { return run(*c); }; });
}

}  // namespace tileglu::cli
