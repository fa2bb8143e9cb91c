// tileglu check: are the results of a kernel right?
#include <memory>

#include "console.hpp"
#include "made_problem.hpp"
#include "option_checks.hpp"
#include "problem_options.hpp"

namespace tileglu::cli {
namespace {

struct check_command {
  problem_options what;
  choice_options who;
  bool json = false, every_kernel = false;
  double budget = 4e8;
  std::uint64_t seed = 1;
};

struct outcome {
  execution_plan plan;
  verdict judged;
};

/// Run one plan on random inputs, twice (the bits must be equal), and judge it.
result<outcome> check(const execution_plan& plan, const made_problem& made, const check_command& c) {
  auto copy = device_copy::make(made, plan.device, plan.workspace);
  if (!copy) return copy.error();
  const auto queue = stream::create(plan.device);
  if (!queue) return queue.error();
  if (status s = prepare(plan); !s.ok()) return s;
  std::vector<std::uint16_t> first;
  for (int turn = 0; turn < 2; ++turn) {
    if (status s = copy->poison(); !s.ok()) return s;
    if (status s = run(plan, copy->memory(), queue->handle()); !s.ok()) return s;
    if (status s = queue->synchronize(); !s.ok()) return s;
    auto bits = copy->download();
    if (!bits) return bits.error();
    if (turn == 0) first = *std::move(bits);
    else if (first != *bits) return outcome{plan, {.fault = "two runs on the same inputs gave different bits"}};
  }
  const auto judged = judge(made, *copy, c.budget);
  if (!judged) return judged.error();
  return outcome{plan, *judged};
}

/// The plans to check for a problem: the planner's choice, or every row that can compute it.
result<std::vector<execution_plan>> plans_of(const problem& p, const device_facts& device, plan_options options, bool every_kernel) {
  const auto chosen = plan(p, device, options);
  if (!chosen) return chosen.error();
  if (!every_kernel) return std::vector{*chosen};
  std::vector<execution_plan> all;
  for (const candidate& row : chosen->considered) {
    if (row.refused) continue;
    options.kernel = row.row;
    const auto forced = plan(p, device, options);
    if (!forced) return forced.error();
    all.push_back(*forced);
  }
  return all;
}

int run(const check_command& c) {
  const auto asked = read_request(c.what, c.who);
  if (!asked) return fail(asked.error());

  std::vector<std::vector<execution_plan>> all;  // first, so that what can't be planned costs nothing that was computed
  for (const problem& p : asked->problems) {
    auto plans = plans_of(p, asked->device, asked->options, c.every_kernel);
    if (!plans) return fail(plans.error());
    if (status s = fits_memory(p, asked->device, 1); !s.ok()) return fail(s);
    all.push_back(*std::move(plans));
  }
  std::vector<outcome> outcomes;
  progress bar("check", all.size());
  for (const auto& plans : all) {
    const problem& p = plans.front().problem;
    const made_problem made(p, c.seed);
    for (const execution_plan& plan : plans) {
      const auto checked = check(plan, made, c);
      if (!checked) return fail(checked.error());
      outcomes.push_back(*checked);
    }
    bar.step(describe(p));
  }

  std::size_t wrong = 0;
  nlohmann::ordered_json j;
  j["device"] = to_json(asked->device);
  table rows({"problem", "kernel", "rows", "error", "allowed", "verdict"});
  for (const outcome& o : outcomes) {
    wrong += !o.judged.right;
    nlohmann::ordered_json row = to_json(o.plan.problem);
    row["kernel"] = o.plan.row;
    row["backend"] = name(o.plan.backend);
    row["rows"] = o.judged.rows;
    row["error"] = o.judged.error;
    row["allowed"] = o.judged.allowed;
    row["right"] = o.judged.right;
    row["fault"] = o.judged.fault;
    j["checks"].push_back(row);
    rows.add({describe(o.plan.problem), o.plan.row, std::to_string(o.judged.rows), fmt::format("{:.2e}", o.judged.error),
              fmt::format("{:.2e}", o.judged.allowed), o.judged.right ? "right" : "WRONG: " + o.judged.fault});
  }
  j["wrong"] = wrong;
  if (c.json)
    put(to_text(j));
  else
    say("{}{} of {} right on {}\n", rows.text(), outcomes.size() - wrong, outcomes.size(), asked->device.name);
  return wrong == 0 ? success : wrong_result;
}

}  // namespace

void add_check(CLI::App& app, action& chosen) {
  auto c = std::make_shared<check_command>();
  CLI::App* command = app.add_subcommand("check", "Run kernels on random inputs and compare with the float64 oracle");
  c->what.add_to(*command);
  c->who.add_to(*command);
  add_switch(*command, "--every-kernel", c->every_kernel,
             "check every row of the tables that can compute the problem, not the planner's choice alone");
  command->add_option("--budget", c->budget, "multiplications that the oracle may spend on a problem; fewer rows are compared where it needs more")
      ->capture_default_str()
      ->transform(finite_number(1, 1e18));
  command->add_option("--seed", c->seed, "of the random inputs")->capture_default_str()->transform(whole_number(0, INT64_MAX));
  add_switch(*command, "--json", c->json, "print JSON");
  command->footer(
      "A result is right where every element was written, none outside of y was, two runs gave the same bits, and the error against float64\n"
      "is at most 1.1 times that of a float32 computation rounded once; of few outputs more (docs/numerics.md). Exit code 1: a result is wrong.\n"
      "\n"
      "Examples:\n"
      "  tileglu check 1,16,128x1536x576                           SmolLM2's MLP, on this machine's best device\n"
      "  tileglu check 7x96x64 --activation gpt_oss --bias --dtype fp16 --layout stacked_gate_up\n"
      "  tileglu check 64x4864x896 --device cpu --every-kernel --numerics match_unfused\n"
      "  tileglu check --file problems.json --json\n");
  command->callback([c, &chosen] { chosen = [c] { return run(*c); }; });
}

}  // namespace tileglu::cli
