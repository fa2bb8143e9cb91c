#include "gpu/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tileglu::gpu_check {
namespace {

constexpr std::size_t rows = 67;

TEST(Parts, TakeEveryGroupOnce) {
  for (const amount of : {amount::full, amount::whole, amount::quick, amount::tiny}) {
    const auto all = every_group(of);
    for (int parts : {1, 2, 3, 4, 7, 16, 300}) {
      std::vector<int> taken(all.size(), 0);
      for (int number = 1; number <= parts; ++number)
        for (const std::size_t group : groups_of({number, parts}, all, rows)) ++taken.at(group);
      EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<std::ptrdiff_t>(all.size())) << parts << " parts";
    }
  }
}

TEST(Parts, HaveAsMuchToDo) {
  const auto all = every_group(amount::full);
  for (int parts : {2, 4, 6}) {
    double whole = 0, most = 0;
    for (int number = 1; number <= parts; ++number) {
      double seconds = 0;
      for (const std::size_t group : groups_of({number, parts}, all, rows)) seconds += estimated_seconds(all[group], rows);
      whole += seconds, most = std::max(most, seconds);
    }
    EXPECT_LT(most, 1.25 * whole / parts) << parts << " parts of " << whole << " s";
  }
}

TEST(Parts, TakeEveryRowOnce) {
  for (int parts : {1, 3, 8})
    for (std::size_t row = 0; row < rows; ++row) {
      int taken = 0;
      for (int number = 1; number <= parts; ++number) taken += takes({number, parts}, row);
      EXPECT_EQ(taken, 1);
    }
  EXPECT_TRUE(takes({1, 4}, 0));
}

TEST(Coverage, OfAFullRunIsEveryRow) {
  const auto all = every_group(amount::full);
  std::size_t groups = 0;
  for (const coverage& kind : coverage_of(all, groups_of({}, all, rows))) {
    EXPECT_EQ(kind.rows, "every row") << kind.check;
    EXPECT_EQ(kind.groups, kind.of) << kind.check;
    groups += kind.of;
  }
  EXPECT_EQ(groups, all.size());
}

TEST(Coverage, SaysWhatIsAShare) {
  const auto kinds = coverage_of(every_group(amount::whole), {});
  const auto models = std::find_if(kinds.begin(), kinds.end(), [](const coverage& kind) { return kind.check == "models"; });
  ASSERT_NE(models, kinds.end());
  EXPECT_EQ(models->rows, "one row in 8, in turn for each m");
  EXPECT_EQ(models->groups, 0u);
  EXPECT_EQ(models->of, 16u);
  EXPECT_EQ(models->epilogues, "1 of 32, in turn");
}

TEST(Coverage, PartsAddUp) {
  const auto all = every_group(amount::full);
  std::map<std::string, std::size_t> sum;
  for (int number = 1; number <= 5; ++number)
    for (const coverage& kind : coverage_of(all, groups_of({number, 5}, all, rows))) sum[kind.check] += kind.groups;
  for (const coverage& kind : coverage_of(all, {})) EXPECT_EQ(sum[kind.check], kind.of) << kind.check;
}

/// What the tests of the kernels promise, said by the cases themselves.
TEST(Cases, MeetEveryMByEveryLayoutEpilogueAndType) {
  std::set<dtype> types;
  for (const case_group& g : every_group(amount::full)) {
    if (g.name != "every_m") continue;
    types.insert(g.type);
    EXPECT_EQ(g.rows.front(), 0);
    EXPECT_EQ(g.rows.back(), 4097);
    EXPECT_EQ(g.rows.size(), 34u);
    EXPECT_EQ(g.placements.size(), 4u);
    EXPECT_EQ(g.epilogues, every_epilogue().size());
    EXPECT_FALSE(g.one_placement);
    EXPECT_EQ(g.share, 1u);
  }
  EXPECT_EQ(types.size(), 2u);
}

}  // namespace
}  // namespace tileglu::gpu_check
