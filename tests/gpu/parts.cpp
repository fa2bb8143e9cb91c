#include "gpu/parts.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace tileglu::gpu_check {
namespace {

// Seconds, on an H200, from the rates that its data sheet and the lab book give.
constexpr double a_check = 9e-5;               // queueing it, and small kernels one after another: 45.4 s for 509,576 of every_m
constexpr double a_multiplication = 1 / 2e14;  // of the slower tiles: 400 TFLOP/s
constexpr double a_weight = 2 / 3e12;          // bytes over what is streamed
constexpr double an_output = 2e-11;            // judging it against float64
constexpr double a_reference_multiplication = 1 / 4e12;

std::string joined(const std::set<std::int64_t>& values) {
  constexpr std::size_t most = 40;
  if (values.size() > most) return std::to_string(values.size()) + " values from " + std::to_string(*values.begin()) + " to " +
                                   std::to_string(*values.rbegin());
  std::string text;
  for (const std::int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::size_t interleaved_of(const case_group& g) {
  return static_cast<std::size_t>(
      std::count_if(g.placements.begin(), g.placements.end(), [](const placement& at) { return at.layout == weight_layout::interleaved; }));
}

}  // namespace

double estimated_seconds(const case_group& g, std::size_t rows) {
  const std::size_t interleaved = interleaved_of(g), plain = g.placements.size() - interleaved;
  const std::size_t placements = interleaved + (g.one_placement ? std::min<std::size_t>(plain, 1) : plain);
  const double checks = static_cast<double>(placements * g.epilogues * rows) / static_cast<double>(g.share);
  const double weights = 2.0 * static_cast<double>(g.n) * static_cast<double>(g.k);
  double seconds = 0;
  for (const std::int64_t m : g.rows) {
    const double outputs = static_cast<double>(m) * static_cast<double>(g.n), multiplications = static_cast<double>(m) * weights;
    seconds += checks * (a_check + multiplications * a_multiplication + weights * a_weight + outputs * an_output);
    seconds += multiplications * a_reference_multiplication;
  }
  return seconds;
}

std::vector<std::size_t> groups_of(const part& share, const std::vector<case_group>& all, std::size_t rows) {
  std::vector<double> seconds;
  for (const case_group& g : all) seconds.push_back(estimated_seconds(g, rows));
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
  std::vector<double> busy(static_cast<std::size_t>(share.of), 0.0);
  std::vector<std::size_t> taken;
  for (const std::size_t group : order) {
    const auto least = static_cast<std::size_t>(std::min_element(busy.begin(), busy.end()) - busy.begin());
    busy[least] += seconds[group];
    if (least + 1 == static_cast<std::size_t>(share.number)) taken.push_back(group);
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

std::vector<coverage> coverage_of(const std::vector<case_group>& all, const std::vector<std::size_t>& taken) {
  std::vector<coverage> kinds;
  std::vector<std::set<std::int64_t>> rows;
  const std::set<std::size_t> mine(taken.begin(), taken.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const case_group& g = all[i];
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const coverage& each) { return each.check == g.name; });
    if (kind == kinds.end()) {
      const std::string of_all = " of " + std::to_string(every_epilogue().size());
      kinds.push_back({g.name, 0, 0, "", g.share == 1 ? "every row" : "one row in " + std::to_string(g.share) + ", in turn for each m",
                       g.one_placement ? "every interleaved one, and of the others one in turn for each m" : "every one",
                       std::to_string(g.epilogues) + of_all + (g.epilogues < every_epilogue().size() ? ", in turn" : "")});
      rows.emplace_back();
      kind = kinds.end() - 1;
    }
    ++kind->of;
    kind->groups += mine.count(i);
    rows[static_cast<std::size_t>(kind - kinds.begin())].insert(g.rows.begin(), g.rows.end());
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].m = joined(rows[i]);
  return kinds;
}

}  // namespace tileglu::gpu_check
