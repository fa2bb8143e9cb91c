// The planner, as a sentence: list the rows, refuse those that can't, estimate the rest, take the cheapest.
#include <string>

#include "plan/candidates.hpp"
#include "plan/cost.hpp"
#include "plan/prepared_plan.hpp"
#include "plan/tables/tables.hpp"
#include "tileglu/plan.hpp"

namespace tileglu {
namespace {

bool names_a_kernel(const std::string& kernel) {
  for (const kernel_row& row : plan_detail::rows())
    if (kernel == row.name || kernel == name(row.family)) return true;
  return false;
}

status nothing_fits(const execution_plan& chosen) {
  std::string text = "no kernel can compute " + describe(chosen.problem) + " on " + chosen.device.name;
  for (const candidate& c : chosen.considered)
    if (c.reason.rfind("options.", 0) != 0) text += "; " + c.row + ": " + c.reason;
  return {status_code::unsupported, text};
}

}  // namespace

result<execution_plan> plan(const problem& p, const device_facts& device, const plan_options& options) {
  if (status s = validate(p); !s.ok()) return s;
  if (!options.kernel.empty() && !names_a_kernel(options.kernel)) {
    std::string text = "options.kernel is '" + options.kernel + "'; allowed are a family (gate_first, interleaved, paired, decode, portable, "
                       "cpu_stream, cpu_blocked, cpu_onednn, cpu_unfused, oracle) or a row:";
    for (const kernel_row& row : plan_detail::rows()) text += " " + std::string(row.name);
    return status(status_code::invalid_argument, text);
  }

  execution_plan chosen;
  chosen.problem = p;
  chosen.device = device;
  chosen.options = options;
  for (const kernel_row& row : plan_detail::rows()) {
    candidate c{std::string(row.name), row.backend, false, 0, plan_detail::refusal(row, p, device, options)};
    if (!c.reason.empty()) {
      c.refused = true;
      chosen.considered.push_back(std::move(c));
      continue;
    }
    const plan_detail::cost_estimate cost = plan_detail::estimate(row, p, device);
    if (cost.workspace > options.workspace_limit) {
      c.refused = true;
      c.reason = "workspace is " + std::to_string(cost.workspace) + " bytes; options.workspace_limit allows " +
                 std::to_string(options.workspace_limit);
      chosen.considered.push_back(std::move(c));
      continue;
    }
    c.cost_us = cost.us;
    c.reason = cost.reason;
    if (chosen.config == nullptr || cost.us < chosen.cost_us) {
      chosen.backend = row.backend;
      chosen.row = row.name;
      chosen.config = &row;
      chosen.split = cost.split;
      chosen.raster_group = cost.raster_group;
      chosen.workspace = cost.workspace;
      chosen.cost_us = cost.us;
      chosen.reason = cost.reason;
    }
    chosen.considered.push_back(std::move(c));
  }
  if (chosen.config == nullptr) return nothing_fits(chosen);
  chosen.prepared = std::make_shared<prepared_plan>();
  return chosen;
}

}  // namespace tileglu
