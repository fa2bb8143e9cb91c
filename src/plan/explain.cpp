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
  for (std::size_t i = 0, end = 0; i < p.considered.size(); i = end) {
    const candidate& c = p.considered[i];
    end = i + 1;
    if (!c.refused) {
      text += "possible " + c.row + ": " + microseconds(c.cost_us) + ", " + c.reason + "\n";
      continue;
    }
    // On a machine without a GPU one reason refuses 64 rows: they are said in one line, which names the first and the last.
    while (end < p.considered.size() && p.considered[end].refused && p.considered[end].reason == c.reason) ++end;
    text += "refused  " + c.row;
    if (end - i > 1) text += (end - i > 2 ? " to " : " and ") + p.considered[end - 1].row;
    if (end - i > 2) text += " (" + std::to_string(end - i) + " rows)";
    text += ": " + c.reason + "\n";
  }
  return text;
}

}  // namespace tileglu
