// Every group of cases, through every row.
#include <algorithm>
#include <memory>

#include "gpu/checker.hpp"

namespace tileglu::gpu_check {
namespace {

class group_runner {
 public:
  group_runner(context& c, judged_runs& runs, const case_group& g, std::size_t index)
      : c_(c), runs_(runs), g_(g), index_(index), values_{g.type, g.values, g.k, seed_of(g), false} {}

  /// False where time ran out.
  bool run_all() {
    reference_.weights(values_, g_.n, c_.on);
    for (const placement& at : g_.placements) {
      auto& w = weights_.emplace_back(std::make_unique<placed_weights>());
      w->fill(values_, make_problem(g_, 1, at, {}), at.misaligned, half_values::random, half_values::random, c_.on);
    }
    std::vector<std::int64_t> rows = g_.rows;
    std::sort(rows.rbegin(), rows.rend());  // memory that the largest needs is enough for the others: none is allocated anew
    for (const std::int64_t m : rows) {
      if (c_.late()) return false;
      run_m(m);
    }
    runs_.settle();  // before the memory goes
    return true;
  }

 private:
  static std::uint64_t seed_of(const case_group& g) { return static_cast<std::uint64_t>(g.n) * 1000003 + static_cast<std::uint64_t>(g.k); }

  /// Is this placement's turn at the i-th m?
  bool has_turn(std::size_t place, std::size_t turn) const {
    if (!g_.one_placement || g_.placements[place].layout == weight_layout::interleaved) return true;
    std::size_t plain = 0, position = 0;
    for (std::size_t i = 0; i < g_.placements.size(); ++i)
      if (g_.placements[i].layout != weight_layout::interleaved) position = i == place ? plain : position, ++plain;
    return turn % plain == position;
  }

  void run_m(std::int64_t m) {
    reference_.rows(values_, m, g_.n, c_.on);
    const std::size_t turn = turn_++;
    for (std::size_t i = 0; i < g_.placements.size(); ++i) {
      if (!has_turn(i, turn)) continue;
      const placement& at = g_.placements[i];
      memory_.fill_inputs(values_, make_problem(g_, m, at, {}), at.misaligned, c_.on);
      for (std::size_t r = 0; r < c_.rows.size(); ++r)
        if (c_.rows[r].empty() || (r + turn + index_) % g_.share == 0) run_row(c_.rows[r], m, at, *weights_[i]);
    }
  }

  void run_row(const std::string& row, std::int64_t m, const placement& at, const placed_weights& w) {
    static const std::vector<epilogue> epilogues = every_epilogue();
    static std::size_t next = 0;
    for (std::size_t i = 0; i < g_.epilogues; ++i) {
      // A step that shares no factor with the number of epilogues meets them all, whatever the number of rows.
      const epilogue& e = epilogues[(next += 7) % epilogues.size()];
      for (execution_plan& plan : plan_row(c_, row, g_.name, make_problem(g_, m, at, e))) {
        // The fused kernels' 16-byte rule is about addresses too, which a plan does not see.
        if (at.misaligned && plan.backend == backend_id::sm90) {
          c_.out.refuse(label(row), g_.name);
          continue;
        }
        runs_.add(row, g_.name, plan, memory_, w, reference_, g_.values, at.misaligned);
      }
    }
  }

  context& c_;
  judged_runs& runs_;
  const case_group& g_;
  std::size_t index_;  ///< of the group: shifts whose turn it is
  matrix_values values_;
  reference_products reference_;
  std::vector<std::unique_ptr<placed_weights>> weights_;
  call_memory memory_;
  std::size_t turn_ = 0;
};

}  // namespace

void sweep(context& c) {
  const std::vector<case_group> groups = every_group(c.of);
  const std::vector<std::size_t> mine = groups_of(c.share, groups, c.rows.size());
  for (const coverage& kind : coverage_of(groups, mine)) c.out.covers(kind);
  judged_runs runs(c);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const double before = c.seconds();
    const bool done = !c.late() && group_runner(c, runs, groups[mine[i]], mine[i]).run_all();
    c.out.took(groups[mine[i]].name, c.seconds() - before);
    if (!done) {
      runs.settle();
      return c.out.fail("(the harness)", "sweep",
                        "stopped after " + std::to_string(c.seconds()) + " s: " + std::to_string(i) + " of " + std::to_string(mine.size()) +
                            " groups were run");
    }
  }
}

}  // namespace tileglu::gpu_check
