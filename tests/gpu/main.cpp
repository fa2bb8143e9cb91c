// gpu_check: every CUDA kernel of tileglu against float64. Exit status: 0 all passed, 1 a check failed, 2 nothing could be checked.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "gpu/checker.hpp"
#include "plan/tables/tables.hpp"

namespace {

using namespace tileglu;
using namespace tileglu::gpu_check;

constexpr const char* usage =
    "gpu_check [--kernels NAME,...] [--checks NAME,...] [--full | --quick | --tiny] [--seconds N] [--json FILE]\n"
    "  --kernels  rows or kernels of the planner's tables (paired, decode, portable, ...); default: every CUDA row, and the planner's choice\n"
    "  --checks   of sweep, repeats, row_bits, unfused_bits, whole_mlp, packing, bad_input; default: all\n"
    "  --full     every row of the tables in every case, about 15 minutes; default: a share of them that rotates, about a minute\n"
    "  --quick    a tenth of the cases\n"
    "  --tiny     a few small ones, for compute-sanitizer\n"
    "  --seconds  the sweep stops after N seconds, and fails\n"
    "gpu_check --profile ROW,M,N,K    runs a row once between cudaProfilerStart and Stop (ncu --profile-from-start off)\n";

struct arguments {
  std::vector<std::string> kernels, checks, profile;
  std::string json, command = "gpu_check";
  double seconds = 0;
  amount of = amount::whole;
  bool break_context = false;
};

std::vector<std::string> split(const char* text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

bool parse(int argc, char** argv, arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* option) { return std::strcmp(argv[i], option) == 0; };
    const bool says_where = is("--json");  // the file's place says nothing about the run
    if (!says_where) a.command += std::string(" ") + argv[i];
    if (is("--full")) {
      a.of = amount::full;
    } else if (is("--quick")) {
      a.of = amount::quick;
    } else if (is("--tiny")) {
      a.of = amount::tiny;
    } else if (is("--break-context")) {
      a.break_context = true;
    } else if (i + 1 < argc && (is("--kernels") || is("--checks") || is("--seconds") || is("--profile") || is("--json"))) {
      if (is("--kernels")) a.kernels = split(argv[i + 1]);
      if (is("--checks")) a.checks = split(argv[i + 1]);
      if (is("--seconds")) a.seconds = std::atof(argv[i + 1]);
      if (is("--profile")) a.profile = split(argv[i + 1]);
      if (is("--json")) a.json = argv[i + 1];
      ++i;
      if (!says_where) a.command += std::string(" ") + argv[i];
    } else {
      return false;
    }
  }
  return a.profile.empty() || a.profile.size() == 4;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  for (const std::string& each : list)
    if (each == word) return true;
  return list.empty();
}

/// The CUDA rows that the arguments name; the planner's choice, as "", where they name none.
std::vector<std::string> rows_of(const arguments& a) {
  std::vector<std::string> rows;
  for (const kernel_row& row : plan_detail::rows()) {
    if (row.backend != backend_id::sm90 && row.backend != backend_id::cuda_portable) continue;
    if (contains(a.kernels, row.name) || contains(a.kernels, name(row.family))) rows.emplace_back(row.name);
  }
  if (a.kernels.empty()) rows.emplace_back();
  return rows;
}

int check_all(const arguments& a, const device_facts& device, const char* program) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  report out;
  context c{device, rows_of(a), out, a.of, a.seconds, nullptr};
  if (c.rows.empty()) {
    std::fprintf(stderr, "--kernels names no CUDA row of the planner's tables\n");
    return 2;
  }
  require(cudaSetDevice(device.ordinal), "cudaSetDevice");
  require(cudaStreamCreateWithFlags(&c.on, cudaStreamNonBlocking), "cudaStreamCreate");
  if (a.profile.size() == 4)
    return profile_once(c, a.profile[0], std::atoll(a.profile[1].c_str()), std::atoll(a.profile[2].c_str()), std::atoll(a.profile[3].c_str()));
  const auto timed = [&](const char* check, const auto& body) {
    if (!contains(a.checks, check)) return;
    const double before = seconds();
    body();
    std::printf("%-14s %6.1f s\n", check, seconds() - before);
    std::fflush(stdout);
  };
  try {
    timed("packing", [&] { check_packing(c); });
    timed("bad_input", [&] { check_bad_input(c, program); });
    timed("repeats", [&] { check_repeats(c); });
    timed("row_bits", [&] { check_row_bits(c); });
    timed("unfused_bits", [&] { check_unfused_bits(c); });
    timed("whole_mlp", [&] { check_whole_mlp(c); });
    timed("sweep", [&] { sweep(c); });
  } catch (const harness_error& e) {
    out.fail("(the harness)", "all", std::string("stopped: ") + e.what());
  }
  out.print();
  std::printf("%d checks on %s in %.1f s, %d failed\n", out.checks(), device.name.c_str(), seconds(), out.failures());
  if (!a.json.empty() && !out.write_json(a.json, device, seconds(), a.command)) {
    std::fprintf(stderr, "%s can't be written\n", a.json.c_str());
    return 2;
  }
  return out.failures() > 0 || out.checks() == 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments a;
  if (!parse(argc, argv, a)) {
    std::fputs(usage, stderr);
    return 2;
  }
  const auto device = this_cuda_device(0);
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().text().c_str());
    return 2;
  }
  try {
    return a.break_context ? break_the_context(*device) : check_all(a, *device, argv[0]);
  } catch (const harness_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
