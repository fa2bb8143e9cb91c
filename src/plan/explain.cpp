#include <cmath>

#include "base/number_words.hpp"
#include "plan/config/kernel_row.hpp"
#include "tileglu/plan.hpp"

namespace tileglu {
namespace {

std::string microseconds(double us) { return std::isfinite(us) ? base::fixed(us, 1) + " us" : "no estimate"; }

}  // namespace

std::string explain(const execution_plan& p) {
  std::string text = "problem  " + describe(p.problem) + "\ndevice   " + p.device.name + "\n";
  text += "chosen   " + p.row + " (" + std::string(name(p.backend)) + "), " + (std::isfinite(p.cost_us) ? "about " : "") + microseconds(p.cost_us) +
          ": " + p.reason + "\n";
  if (p.config && !p.config->evidence.empty()) text += "evidence " + std::string(p.config->evidence) + "\n";
  text += "workspace " + std::to_string(p.workspace) + " bytes\n";
  for (const candidate& c : p.considered) {
    text += c.refused ? "refused  " : "possible ";
    text += c.row + ": " + (c.refused ? c.reason : microseconds(c.cost_us) + ", " + c.reason) + "\n";
  }
  return text;
}

}  // namespace tileglu
