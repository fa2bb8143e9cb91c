// tileglu plan: which kernel a device would run, and why.
#include <cmath>
#include <memory>

#include "console.hpp"
#include "option_checks.hpp"
#include "problem_options.hpp"

namespace tileglu::cli {
namespace {

struct plan_command {
  problem_options what;
  choice_options who;
  bool json = false, brief = false;
};

nlohmann::ordered_json to_json(const execution_plan& p) {
  nlohmann::ordered_json j;
  j["problem"] = cli::to_json(p.problem);
  j["device"] = cli::to_json(p.device);
  j["backend"] = name(p.backend);
  j["row"] = p.row;
  j["cost_us"] = p.cost_us;
  j["workspace_bytes"] = p.workspace;
  j["reason"] = p.reason;
  for (const candidate& c : p.considered) {
    nlohmann::ordered_json row;
    row["row"] = c.row;
    row["backend"] = name(c.backend);
    row["refused"] = c.refused;
    if (!c.refused) row["cost_us"] = c.cost_us;
    row["reason"] = c.reason;
    j["considered"].push_back(row);
  }
  return j;
}

int run(const plan_command& c) {
  const auto asked = read_request(c.what, c.who);
  if (!asked) return fail(asked.error());

  auto all = nlohmann::ordered_json::array();
  table rows({"problem", "kernel", "backend", "est. us", "why"});
  std::string texts;
  for (const problem& p : asked->problems) {
    const auto chosen = plan(p, asked->device, asked->options);
    if (!chosen) return fail(chosen.error());
    all.push_back(to_json(*chosen));
    const std::string us = std::isfinite(chosen->cost_us) ? fmt::format("{:.1f}", chosen->cost_us) : "-";
    rows.add({describe(p), chosen->row, std::string(name(chosen->backend)), us, chosen->reason});
    texts += (texts.empty() ? "" : "\n") + explain(*chosen);
  }
  put(c.json ? to_text(all) : c.brief ? rows.text() : texts);
  return success;
}

}  // namespace

void add_plan(CLI::App& app, action& chosen) {
  auto c = std::make_shared<plan_command>();
  CLI::App* command = app.add_subcommand("plan", "Say which kernel a device would run for a problem, what else was considered, and why");
  c->what.add_to(*command);
  c->who.add_to(*command);
  add_switch(*command, "--brief", c->brief, "one line a problem");
  add_switch(*command, "--json", c->json, "print JSON");
  command->footer(
      "Examples:\n"
      "  tileglu plan 16x4864x896                              on this machine\n"
      "  tileglu plan 1,64,4096x18944x3584 --device h200 --brief\n"
      "  tileglu plan 4096x4864x896 --device h100 --kernel gate_first\n"
      "  tileglu plan 4x1536x576 --device none --json\n");
  command->callback([c, &chosen] { chosen = [c] { return run(*c); }; });
}

}  // namespace tileglu::cli
