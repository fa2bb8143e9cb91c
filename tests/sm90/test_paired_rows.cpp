// The rows of the paired kernel say in their names what they are.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plan/tables/paired_rows.hpp"

namespace tileglu::plan_detail {
namespace {

std::string name_of(const paired_config& c) {
  const char* kind = c.is_swapped() ? (takes_turns(c) ? "tp" : "t") : c.schedule == schedule::pingpong ? "p" : "c";
  return std::string("paired_") + kind + std::to_string(c.tile_rows()) + "x" + std::to_string(c.pair_width) + "_s" + std::to_string(c.stages) +
         "_c" + std::to_string(c.cluster_m) + "x" + std::to_string(c.cluster_n);
}

TEST(paired_rows, are_named_after_their_configuration) {
  std::set<std::string_view> names;
  for (const kernel_row& row : paired_rows) {
    const auto& c = std::get<paired_config>(row.config);
    EXPECT_EQ(row.name, name_of(c));
    EXPECT_TRUE(is_buildable(c)) << row.name;
    EXPECT_FALSE(row.evidence.empty()) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is listed twice";
  }
}

}  // namespace
}  // namespace tileglu::plan_detail
