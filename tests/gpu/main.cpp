// gpu_check: every CUDA kernel of tileglu against float64. Exit status: 0 all passed, 1 a check failed, 2 nothing could be checked.
#include <cstdio>

#include "gpu/arguments.hpp"
#include "gpu/checker.hpp"
#include "plan/tables/tables.hpp"

namespace {

using namespace tileglu;
using namespace tileglu::gpu_check;

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
  report out;
  context c{.device = device, .rows = rows_of(a), .my_rows = {}, .out = out, .of = a.of, .share = a.share, .limit = a.seconds};
  if (c.rows.empty()) {
    std::fprintf(stderr, "--kernels names no CUDA row of the planner's tables\n");
    return 2;
  }
  for (std::size_t i = 0; i < c.rows.size(); ++i)
    if (takes(a.share, i)) c.my_rows.push_back(c.rows[i]);
  require(cudaSetDevice(device.ordinal), "cudaSetDevice");
  require(cudaStreamCreateWithFlags(&c.on, cudaStreamNonBlocking), "cudaStreamCreate");
  if (!a.profiled_row.empty()) return profile_once(c, a.profiled_row, a.profiled_size[0], a.profiled_size[1], a.profiled_size[2]);
  const auto timed = [&](const char* check, const auto& body) {
    if (!contains(a.checks, check)) return;
    if (c.late()) return out.fail("(the harness)", check, "not begun: " + std::to_string(c.seconds()) + " s are over");
    const double before = c.seconds();
    body();
    std::printf("%-14s %6.1f s\n", check, c.seconds() - before);
    std::fflush(stdout);
  };
  try {
    if (takes(a.share, 0)) {  // they aren't about rows
      timed("packing", [&] { check_packing(c); });
      timed("bad_input", [&] { check_bad_input(c, program); });
    }
    timed("repeats", [&] { check_repeats(c); });
    timed("row_bits", [&] { check_row_bits(c); });
    timed("unfused_bits", [&] { check_unfused_bits(c); });
    timed("whole_mlp", [&] { check_whole_mlp(c); });
    timed("sweep", [&] { sweep(c); });
  } catch (const harness_error& e) {
    out.fail("(the harness)", "all", std::string("stopped: ") + e.what());
  }
  out.print();
  std::printf("%d checks on %s in %.1f s, %d failed\n", out.checks(), device.name.c_str(), c.seconds(), out.failures());
  if (!a.json.empty() && !out.write_json(a.json, device, c.seconds(), a.command, a.share)) {
    std::fprintf(stderr, "%s can't be written\n", a.json.c_str());
    return 2;
  }
  return out.failures() > 0 || out.checks() == 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments a;
  if (const std::string wrong = parse(argc, argv, a); !wrong.empty()) {
    std::fprintf(stderr, "%s\n%s", wrong.c_str(), usage);
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
