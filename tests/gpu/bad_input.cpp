// What goes wrong on a device, and what the caller is told.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "gpu/checker.hpp"
#include "tileglu/memory.hpp"

namespace tileglu::gpu_check {
namespace {

constexpr const char* check = "bad_input";

class bad_input_checker {
 public:
  explicit bad_input_checker(context& c) : c_(c) {
    p_ = {.m = 16, .n = 256, .k = 128};
    const matrix_values values{p_.x_type, value_class::normal, p_.k, 8, false};
    w_.fill(values, p_, 0, half_values::random, half_values::random, c.on);
    memory_.fill_inputs(values, p_, 0, c.on);
  }

  void run_all(const char* program) {
    forced_kernels();
    fallbacks();
    small_workspace();
    other_gpus();
    error_left_behind();
    one_line_call();
    broken_context(program);
  }

 private:
  void expect(bool holds, const std::string& what, const status& s) {
    if (holds)
      c_.out.pass("errors", check);
    else
      c_.out.fail("errors", check, what + "; got " + std::string(name(s.code())) + ": " + s.text());
  }
  void expect(const status& s, status_code code, const std::string& words) {
    expect(s.code() == code && s.text().find(words) != std::string::npos, "expected " + std::string(name(code)) + " with '" + words + "'", s);
  }

  result<execution_plan> plan_with(const problem& p, const device_facts& device, const std::string& kernel) {
    plan_options options;
    options.kernel = kernel;
    return plan(p, device, options);
  }

  void forced_kernels() {
    for (const std::string& row : c_.rows) {
      if (row.empty() || row == "portable") continue;
      problem odd = p_;
      odd.k = 124, odd.layout = row.rfind("interleaved", 0) == 0 ? weight_layout::interleaved : weight_layout::separate;
      if (row.rfind("decode", 0) == 0) odd.m = 1;
      expect(plan_with(odd, c_.device, row).error(), status_code::unsupported, "k is 124; allowed are multiples of 8");
      device_facts other = c_.device;
      other.compute_capability = 80;
      expect(plan_with(p_, other, row).error(), status_code::unsupported, "compute capability 8.0");
      other = c_.device;
      other.driver_version = 12040;
      expect(plan_with(p_, other, row).error(), status_code::unsupported, "driver_version is 12040");
    }
  }

  void fallbacks() {
    problem odd = p_;
    odd.n = 250;
    device_facts old_driver = c_.device, other = c_.device;
    old_driver.driver_version = 12040;
    other.compute_capability = 80;
    for (const auto& chosen : {plan_with(odd, c_.device, ""), plan_with(p_, old_driver, ""), plan_with(p_, other, "")})
      expect(chosen.ok() && chosen->row == "portable", "expected the portable path", chosen.error());
  }

  void small_workspace() {
    const auto chosen = plan_with(p_, c_.device, "portable");
    if (!chosen) return expect(false, "expected a plan", chosen.error());
    memory_.clear_outputs(p_, chosen->workspace, 0, c_.on);
    tensors t = memory_.get(p_, w_, chosen->workspace);
    t.workspace_bytes -= 1;
    expect(run(*chosen, t, c_.on), status_code::workspace_too_small, "this plan needs " + std::to_string(chosen->workspace));
    t.workspace = nullptr, t.workspace_bytes = chosen->workspace;
    expect(run(*chosen, t, c_.on), status_code::invalid_argument, "workspace is null");
  }

  void other_gpus() {
    for (const std::string& row : c_.rows) {
      device_facts other = c_.device;
      other.name = "a GPU with fewer SMs";
      other.sm_count = c_.device.sm_count - 2;
      const auto chosen = plan_with(p_, other, row);
      if (!chosen) continue;
      const bool fused = chosen->backend == backend_id::sm90;  // the portable path sizes nothing by SMs
      expect(prepare(*chosen), fused ? status_code::wrong_device : status_code::ok, fused ? "a GPU with fewer SMs" : "");
    }
    for (const char* preset : {"h100", "h200", "a100"})  // of the GPU that is here: every row; the portable path from any
      for (const std::string& row : c_.rows) {
        device_facts other = *device_by_name(preset);
        other.ordinal = c_.device.ordinal;
        const bool same = other.sm_count == c_.device.sm_count && other.compute_capability == c_.device.compute_capability;
        const auto chosen = plan_with(p_, other, row);
        if (!chosen || (chosen->backend == backend_id::sm90 && !same)) continue;
        memory_.clear_outputs(p_, chosen->workspace, 0, c_.on);
        expect(run(*chosen, memory_.get(p_, w_, chosen->workspace), c_.on), status_code::ok, "");
      }
    int count = 0;
    require(cudaGetDeviceCount(&count), "counting devices");
    const auto chosen = plan_with(p_, c_.device, "");
    if (count < 2 || !chosen) return;
    expect(prepare(*chosen), status_code::ok, "");
    memory_.clear_outputs(p_, chosen->workspace, 0, c_.on);
    require(cudaStreamSynchronize(c_.on), "poisoning");
    require(cudaSetDevice(1), "cudaSetDevice");
    expect(run(*chosen, memory_.get(p_, w_, chosen->workspace), nullptr), status_code::wrong_device, "current device is 1");
    require(cudaSetDevice(c_.device.ordinal), "cudaSetDevice");
  }

  /// An error that the caller's own work left in the runtime: told as theirs, and left for them to find.
  void error_left_behind() {
    for (const std::string& row : c_.rows) {
      const auto chosen = plan_with(p_, c_.device, row);
      if (!chosen) continue;
      memory_.clear_outputs(p_, chosen->workspace, 0, c_.on);
      const tensors t = memory_.get(p_, w_, chosen->workspace);
      expect(prepare(*chosen), status_code::ok, "");
      (void)cudaSetDevice(1 << 20);
      expect(run(*chosen, t, c_.on), status_code::device_error, "before this call");
      const cudaError_t left = cudaGetLastError();
      expect(left == cudaErrorInvalidDevice, label(row) + ": the caller's error was taken away", {});
      expect(run(*chosen, t, c_.on), status_code::ok, "");
    }
    require(cudaStreamSynchronize(c_.on), "a kernel");
  }

  /// The one-line call: the planner's choice, with workspace of its own; and on a stream in capture that it has not met.
  void one_line_call() {
    for (const std::int64_t n : {std::int64_t{256}, std::int64_t{251}}) {  // 251: the portable path
      problem p = p_;
      p.n = n;
      const auto chosen = plan_with(p, c_.device, "");
      if (!chosen) return expect(false, "expected a plan", chosen.error());
      const matrix_values values{p.x_type, value_class::normal, p.k, 8, false};
      call_memory a, b;
      for (call_memory* each : {&a, &b}) each->fill_inputs(values, p, 0, c_.on), each->clear_outputs(p, chosen->workspace, 0, c_.on);
      placed_weights w;
      w.fill(values, p, 0, half_values::random, half_values::random, c_.on);
      require(cudaStreamSynchronize(c_.on), "filling inputs");
      const auto fresh = stream::create(c_.device);
      if (!fresh) return expect(false, "expected a stream", fresh.error());
      const auto call = [&] { return gated_linear(p, a.get(p, w, 0), fresh->handle()); };
      if (chosen->workspace > 0)
        expect(recorded_work::record(c_.device, *fresh, call).error(), status_code::invalid_argument, "call once on this stream before capturing");
      expect(call(), status_code::ok, "");
      const auto graph = recorded_work::record(c_.device, *fresh, call);
      expect(graph.ok(), "expected a graph", graph.error());
      if (graph.ok()) expect(graph->replay(*fresh), status_code::ok, "");
      expect(fresh->synchronize(), status_code::ok, "");
      expect(run(*chosen, b.get(p, w, chosen->workspace), c_.on), status_code::ok, "");
      device_counter differences;
      count_differences(a.y.block(), b.y.block(), a.y.elements(), differences.reset(c_.on), c_.on);
      expect(differences.fetch(c_.on) == 0, "the one-line call has other bits than its plan", {});
    }
  }

  /// A kernel of the caller's has faulted: a process of its own, for nothing heals its context.
  void broken_context(const char* program) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", program, "--break-context", static_cast<char*>(nullptr));
      _exit(127);
    }
    int exit_status = -1;
    const bool ended = child > 0 && waitpid(child, &exit_status, 0) == child;
    expect(ended && WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0, "a broken context was not told as the caller's", {});
  }

  context& c_;
  problem p_;
  placed_weights w_;
  call_memory memory_;
};

}  // namespace

void check_bad_input(context& c, const char* program) { bad_input_checker(c).run_all(program); }

int break_the_context(const device_facts& device) {
  int wrong = 0;
  report nothing;
  context c{.device = device, .rows = {}, .my_rows = {}, .out = nothing, .of = amount::tiny};
  require(cudaStreamCreateWithFlags(&c.on, cudaStreamNonBlocking), "cudaStreamCreate");
  const problem p{.m = 16, .n = 256, .k = 128};
  const matrix_values values{p.x_type, value_class::normal, p.k, 8, false};
  placed_weights w;
  w.fill(values, p, 0, half_values::random, half_values::random, c.on);
  call_memory memory;
  memory.fill_inputs(values, p, 0, c.on);
  std::vector<execution_plan> plans;
  for (const char* kernel : {"", "portable", "paired", "decode"}) {
    plan_options options;
    options.kernel = kernel;
    auto chosen = plan(p, device, options);
    if (chosen && prepare(*chosen).ok()) plans.push_back(*std::move(chosen));
  }
  std::size_t workspace = 0;
  for (const execution_plan& each : plans) workspace = std::max(workspace, each.workspace);
  memory.clear_outputs(p, workspace, 0, c.on);
  require(cudaStreamSynchronize(c.on), "filling inputs");
  store_to_null(c.on);
  usleep(500000);  // no call of ours meets the fault before the library does
  for (const execution_plan& each : plans) {
    const status s = run(each, memory.get(p, w, workspace), c.on);
    const bool told = s.code() == status_code::device_error && s.text().find("before this call") != std::string::npos;
    if (!told)
      std::fprintf(stderr, "after a fault of the caller's, %s says %s: %s\n", each.row.c_str(), std::string(name(s.code())).c_str(),
                   s.text().c_str());
    wrong += !told;
  }
  if (plans.empty()) std::fprintf(stderr, "no kernel could be prepared\n");
  std::fflush(stderr);
  _exit(wrong == 0 && !plans.empty() ? 0 : 1);  // destructors would meet the broken context
}

}  // namespace tileglu::gpu_check
