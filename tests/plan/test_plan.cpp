// The planner as values: an H100, an H200, an A100 and a machine with no GPU are four device_facts; no hardware, no CUDA toolkit.
// Which row wins is the cost model's business; what may be chosen, and the words of every refusal, are the planner's promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

device_facts device(const char* name) { return *device_by_name(name); }

/// What became of a row, or of the first row of a kernel whose rows are named KERNEL_...
const candidate& row_of(const execution_plan& p, const std::string& kernel) {
  for (const candidate& c : p.considered)
    if (c.row == kernel || c.row.rfind(kernel + "_", 0) == 0) return c;
  ADD_FAILURE() << kernel << " was not considered";
  return p.considered.front();
}

std::vector<candidate> rows_of_backend(const execution_plan& p, backend_id backend) {
  std::vector<candidate> rows;
  for (const candidate& c : p.considered)
    if (c.backend == backend) rows.push_back(c);
  return rows;
}

/// How many rows the lines of an explanation speak of: one each, "a and b" of two, "a to b (N rows)" of N.
std::size_t rows_said(const std::string& text) {
  std::size_t rows = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("refused  ") && !line.starts_with("possible ")) continue;
    const std::string who = line.substr(9, line.find(": ") - 9);
    const std::size_t many = who.find(" (");
    rows += many != std::string::npos ? std::stoul(who.substr(many + 2)) : who.find(" and ") != std::string::npos ? 2 : 1;
  }
  return rows;
}

TEST(Plan, RowsRefusedForOneReasonTakeOneLine) {
  const auto chosen = plan({.m = 64, .n = 4864, .k = 896}, device("a100"));
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  const std::string text = explain(*chosen);
  EXPECT_LT(std::ranges::count(text, '\n'), 20) << text;
  EXPECT_NE(text.find("rows): "), std::string::npos) << text;
}

TEST(Plan, EveryRowIsConsideredOnceAndExplained) {
  for (const char* name : {"h100", "h200", "a100", "none"}) {
    const auto chosen = plan({.m = 64, .n = 4864, .k = 896}, device(name));
    ASSERT_TRUE(chosen.ok()) << chosen.error().text();
    ASSERT_EQ(chosen->considered.size(), kernel_names().size());
    for (std::size_t i = 0; i < kernel_names().size(); ++i) EXPECT_EQ(chosen->considered[i].row, kernel_names()[i]);
    const std::string text = explain(*chosen);
    EXPECT_NE(text.find("chosen   " + chosen->row), std::string::npos) << text;
    for (const candidate& c : chosen->considered) {
      EXPECT_FALSE(c.reason.empty()) << c.row;
      EXPECT_NE(text.find(c.refused ? ": " + c.reason + "\n" : "possible " + c.row + ": "), std::string::npos) << text;
    }
    EXPECT_EQ(rows_said(text), kernel_names().size()) << text;
  }
}

TEST(Plan, TheCheapestPossibleRowIsChosen) {
  for (const char* name : {"h100", "h200", "a100", "none"})
    for (const std::int64_t m : {1, 3, 16, 17, 128, 1000, 4097}) {
      const auto chosen = plan({.m = m, .n = 4864, .k = 896}, device(name));
      ASSERT_TRUE(chosen.ok()) << chosen.error().text();
      EXPECT_FALSE(row_of(*chosen, chosen->row).refused);
      EXPECT_EQ(row_of(*chosen, chosen->row).cost_us, chosen->cost_us);
      EXPECT_GT(chosen->cost_us, 0);
      for (const candidate& c : chosen->considered)
        EXPECT_TRUE(c.refused || c.cost_us >= chosen->cost_us) << c.row << " was cheaper than " << chosen->row;
    }
}

TEST(Plan, ARowThatWasNeverRacedSoHasNoEstimateAndIsTakenByName) {
  const problem p{.m = 4096, .n = 4864, .k = 896};
  const auto chosen = plan(p, device("h200"));
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  const candidate& narrow = row_of(*chosen, "paired_c128x32_s8_c1x1");
  EXPECT_FALSE(narrow.refused);
  EXPECT_EQ(narrow.cost_us, std::numeric_limits<double>::infinity());
  EXPECT_NE(explain(*chosen).find("possible paired_c128x32_s8_c1x1: no estimate, never raced"), std::string::npos) << explain(*chosen);

  plan_options by_name;
  by_name.kernel = narrow.row;
  const auto forced = plan(p, device("h200"), by_name);
  ASSERT_TRUE(forced.ok()) << forced.error().text();
  EXPECT_EQ(forced->row, narrow.row);
  EXPECT_NE(explain(*forced).find("chosen   paired_c128x32_s8_c1x1 (sm90), no estimate: never raced"), std::string::npos) << explain(*forced);
}

TEST(Plan, HopperHasAFusedKernelForEveryNumberOfRows) {
  for (const char* name : {"h100", "h200"})
    for (const std::int64_t m : {1, 2, 8, 9, 16, 17, 64, 192, 1000, 8192})
      for (const auto layout :
           {weight_layout::separate, weight_layout::stacked_gate_up, weight_layout::stacked_up_gate, weight_layout::interleaved}) {
        const auto chosen = plan({.m = m, .n = 18944, .k = 3584, .layout = layout}, device(name));
        ASSERT_TRUE(chosen.ok()) << chosen.error().text();
        const auto fused = rows_of_backend(*chosen, backend_id::sm90);
        EXPECT_TRUE(std::any_of(fused.begin(), fused.end(), [](const candidate& c) { return !c.refused; })) << explain(*chosen);
      }
}

/// Rows whose constants come from one wave of tiles were once taken at m = 4096, at 1.27 times the bare product.
TEST(Plan, RowsWithSwappedOperandsAreForFewRows) {
  for (const auto& [n, k] : {std::pair{29568, 8192}, {18944, 3584}, {8960, 1536}, {3584, 4096}, {1536, 576}})
    for (const std::int64_t m : {513, 576, 1500, 2048, 3000, 4096, 8192, 16384}) {
      const auto chosen = plan({.m = m, .n = n, .k = k}, device("h200"));
      ASSERT_TRUE(chosen.ok()) << chosen.error().text();
      EXPECT_NE(chosen->row.rfind("paired_t", 0), 0U) << "m " << m << " n " << n << " k " << k << ": " << chosen->row;
    }
  const auto few = plan({.m = 320, .n = 3584, .k = 4096}, device("h200"));
  ASSERT_TRUE(few.ok());
  EXPECT_EQ(few->row.rfind("paired_t", 0), 0U) << few->row;
  const auto forced = plan({.m = 4096, .n = 3584, .k = 4096}, device("h200"), {.kernel = few->row});
  ASSERT_TRUE(forced.ok()) << forced.error().text();
  EXPECT_EQ(forced->row, few->row);
}

TEST(Plan, NoClusterIsTakenWhoseSecondRowOfTilesIsEmpty) {
  for (const std::int64_t n : {1536, 3584, 7168, 18944})
    for (std::int64_t m = 1; m <= 256; ++m) {
      const auto chosen = plan({.m = m, .n = n, .k = 4096}, device("h200"));
      ASSERT_TRUE(chosen.ok()) << chosen.error().text();
      int rows = 0;
      if (chosen->row.rfind("paired_", 0) == 0 && chosen->row.find("_c2x1") != std::string::npos)
        rows = std::atoi(chosen->row.c_str() + chosen->row.find_first_of("0123456789"));
      EXPECT_GT(m, rows) << n << ": " << chosen->row;
    }
}

TEST(Plan, TilesAreWalkedInGroupsOf2048RowsOrOfEightClusters) {
  plan_options options;
  for (const auto& [row, group] : {std::pair{"paired_c256x96_s3_c2x1", 4}, {"paired_c256x96_s3_c1x2", 8}, {"paired_p128x96_s4_c2x1", 8},
                                   {"paired_p64x112_s5_c1x1", 8}, {"gate_first_128x96_s6_c2x1", 8}}) {
    options.kernel = row;
    const auto chosen = plan({.m = 8192, .n = 13824, .k = 5120}, device("h200"), options);
    ASSERT_TRUE(chosen.ok()) << chosen.error().text();
    EXPECT_EQ(chosen->raster_group, group) << row;
  }
}

TEST(Plan, AnOlderGpuRunsThePortablePath) {
  const auto chosen = plan({.m = 64, .n = 4864, .k = 896}, device("a100"));
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  EXPECT_EQ(chosen->backend, backend_id::cuda_portable);
  for (const candidate& c : rows_of_backend(*chosen, backend_id::sm90))
    EXPECT_NE(c.reason.find("compute capability 8.0"), std::string::npos) << c.reason;
}

TEST(Plan, WithoutAGpuTheCpuIsChosen) {
  const auto few = plan({.m = 1, .n = 64, .k = 32}, device("none")), many = plan({.m = 512, .n = 64, .k = 32}, device("none"));
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_EQ(few->row, "cpu_stream");
  EXPECT_EQ(many->row, "cpu_blocked");
  for (const backend_id gpu : {backend_id::sm90, backend_id::cuda_portable})
    for (const candidate& c : rows_of_backend(*many, gpu)) EXPECT_NE(c.reason.find("allowed is a CUDA device"), std::string::npos) << c.reason;
}

TEST(Plan, IsAFunctionOfItsArguments) {
  std::mt19937 random(7);
  const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
  for (int i = 0; i < 200; ++i) {
    problem p{.m = pick(0, 5000), .n = 8 * pick(1, 2000), .k = 8 * pick(0, 800)};
    p.layout = static_cast<weight_layout>(pick(0, 3));
    const device_facts d = device(i % 4 == 0 ? "h100" : i % 4 == 1 ? "h200" : i % 4 == 2 ? "a100" : "none");
    const auto a = plan(p, d), b = plan(p, d);
    ASSERT_TRUE(a.ok() && b.ok()) << a.error().text();
    EXPECT_EQ(explain(*a), explain(*b));
    EXPECT_EQ(a->workspace, b->workspace);
    EXPECT_EQ(a->problem, p);
    EXPECT_EQ(a->device, d);
  }
}

// ---- refusals, by their words ----

struct refusal {
  const char* title;
  const char* device;
  void (*change)(problem&, device_facts&);
  const char* kernel;  ///< a row or a kernel whose rows are all refused
  const char* words;
};

void PrintTo(const refusal& r, std::ostream* out) { *out << r.title; }

class Refuses : public ::testing::TestWithParam<refusal> {};

TEST_P(Refuses, InWords) {
  problem p{.m = 64, .n = 4864, .k = 896};
  device_facts d = device(GetParam().device);
  GetParam().change(p, d);
  // Left to the planner, another path computes it, and the refusal is in what was considered.
  const auto chosen = plan(p, d);
  ASSERT_TRUE(chosen.ok()) << chosen.error().text();
  const candidate& c = row_of(*chosen, GetParam().kernel);
  EXPECT_TRUE(c.refused);
  if (c.reason.find("CUTLASS's headers were not found") != std::string::npos) GTEST_SKIP() << "built without CUTLASS";
  EXPECT_NE(c.reason.find(GetParam().words), std::string::npos) << c.reason;
  // Forced, the same words are the error.
  plan_options options;
  options.kernel = c.row;
  const auto forced = plan(p, d, options);
  ASSERT_FALSE(forced.ok());
  EXPECT_EQ(forced.error().code(), status_code::unsupported);
  EXPECT_NE(forced.error().text().find(GetParam().words), std::string::npos) << forced.error().text();
}

const refusal refusals[] = {
    {"n_of_4", "h200", [](problem& p, device_facts&) { p.n = 100; }, "paired", "n is 100; allowed are multiples of 8"},
    {"k_of_4", "h200", [](problem& p, device_facts&) { p.k = 100; }, "paired", "k is 100; allowed are multiples of 8"},
    {"k_0", "h200", [](problem& p, device_facts&) { p.k = 0; }, "paired", "k is 0"},
    {"ldx", "h200", [](problem& p, device_facts&) { p.ldx = 897; }, "gate_first", "ldx is 897; allowed are multiples of 8"},
    {"ldw", "h200", [](problem& p, device_facts&) { p.ldw = 900; }, "paired", "ldw is 900; allowed are multiples of 8"},
    {"ldy", "h200", [](problem& p, device_facts&) { p.ldy = 4865; }, "paired", "ldy is 4865; allowed are multiples of 8"},
    {"m_huge", "h200", [](problem& p, device_facts&) { p.m = std::int64_t{1} << 32; }, "paired", "2^31 - 1"},
    {"decode_m", "h200", [](problem&, device_facts&) {}, "decode", "m is 64; allowed are 1 to"},
    {"plain_weights", "h200", [](problem&, device_facts&) {}, "interleaved", "layout is separate; allowed is interleaved"},
    {"old_driver", "h100", [](problem&, device_facts& d) { d.driver_version = 12080; }, "paired", "driver_version is 12080"},
    {"not_built", "h200", [](problem&, device_facts& d) { d.sm90_kernels_built = false; }, "paired", "no sm_90a code"},
    {"newer_gpu", "h200", [](problem&, device_facts& d) { d.compute_capability = 100; }, "paired", "compute capability 10.0; allowed is 9.0"},
    {"ampere", "a100", [](problem&, device_facts&) {}, "gate_first", "compute capability 8.0"},
    {"cpu_on_gpu", "h200", [](problem&, device_facts&) {}, "cpu_blocked", "allowed is a CPU"},
    {"stream_m", "none", [](problem&, device_facts&) {}, "cpu_stream", "m is 64; allowed are 1 to 4"},
    {"portable_on_cpu", "none", [](problem&, device_facts&) {}, "portable", "allowed is a CUDA device of compute capability 8.0"},
};
INSTANTIATE_TEST_SUITE_P(, Refuses, ::testing::ValuesIn(refusals), [](const auto& tested) { return std::string(tested.param.title); });

TEST(Plan, NothingForAGpuThatIsTooOld) {
  device_facts d = device("a100");
  d.compute_capability = 75;
  const auto chosen = plan({.m = 1, .n = 8, .k = 8}, d);
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code(), status_code::unsupported);
  EXPECT_NE(chosen.error().text().find("compute capability 7.5"), std::string::npos) << chosen.error().text();
}

TEST(Plan, AWorkspaceLimitIsKept) {
  const problem p{.m = 64, .n = 4864, .k = 896};
  const auto free = plan(p, device("a100"));
  ASSERT_TRUE(free.ok());
  ASSERT_GT(free->workspace, 0u);
  EXPECT_EQ(workspace_bytes(*free), free->workspace);
  plan_options options;
  options.workspace_limit = free->workspace;
  EXPECT_TRUE(plan(p, device("a100"), options).ok());
  options.workspace_limit = free->workspace - 1;
  const auto limited = plan(p, device("a100"), options);
  const std::string words = "options.workspace_limit allows " + std::to_string(free->workspace - 1);
  if (limited.ok())
    EXPECT_LT(limited->workspace, free->workspace);
  else
    EXPECT_NE(limited.error().text().find(words), std::string::npos) << limited.error().text();
}

TEST(Plan, AKernelIsForcedByNameAndByRow) {
  const problem p{.m = 4, .n = 4864, .k = 896};
  plan_options options;
  for (const char* kernel : {"decode", "paired", "gate_first", "portable"}) {
    options.kernel = kernel;
    const auto family = plan(p, device("h200"), options);
    ASSERT_TRUE(family.ok()) << family.error().text();
    EXPECT_EQ(family->row.rfind(kernel, 0), 0u) << family->row;
    options.kernel = family->row;
    const auto row = plan(p, device("h200"), options);
    ASSERT_TRUE(row.ok()) << row.error().text();
    EXPECT_EQ(row->row, family->row);
  }
  options.kernel = "";
  options.backend = backend_id::cuda_portable;
  EXPECT_EQ(plan(p, device("h200"), options)->backend, backend_id::cuda_portable);
  options.kernel = "paired";  // of another backend
  EXPECT_FALSE(plan(p, device("h200"), options).ok());
}

TEST(Plan, AnUnknownKernelListsTheKnownOnes) {
  plan_options options;
  options.kernel = "turbo";
  const auto chosen = plan({.m = 4, .n = 8, .k = 8}, device("h200"), options);
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code(), status_code::invalid_argument);
  EXPECT_NE(chosen.error().text().find("'turbo'"), std::string::npos);
  for (const std::string& known : kernel_names()) EXPECT_NE(chosen.error().text().find(known), std::string::npos) << known;
}

TEST(Plan, TheOracleIsNeverChosenUnasked) {
  const auto chosen = plan({.m = 1, .n = 1, .k = 1}, device("none"));
  ASSERT_TRUE(chosen.ok());
  EXPECT_NE(chosen->backend, backend_id::oracle);
  plan_options options;
  options.backend = backend_id::oracle;
  EXPECT_EQ(plan({.m = 1, .n = 1, .k = 1}, device("none"), options)->row, "oracle");
}

TEST(Plan, NamesOfDevices) {
  EXPECT_EQ(device("h100").compute_capability, 90);
  EXPECT_EQ(device("h200").compute_capability, 90);
  EXPECT_EQ(device("a100").compute_capability, 80);
  EXPECT_EQ(device("none").kind, device_kind::cpu);
  EXPECT_EQ(device("cpu"), this_cpu());
  for (const char* wrong : {"", "b200", "cuda:", "cuda:-1", "cuda:1x", "H100"}) {
    const auto none = device_by_name(wrong);
    ASSERT_FALSE(none.ok()) << wrong;
    EXPECT_EQ(none.error().code(), status_code::invalid_argument);
    EXPECT_NE(none.error().text().find("allowed are this, cpu"), std::string::npos) << none.error().text();
  }
}

}  // namespace
}  // namespace tileglu
