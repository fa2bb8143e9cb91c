// tileglu info: the machine, the build, the backends, and why one is missing.
#include <memory>

#include "console.hpp"
#include "option_checks.hpp"
#include "tileglu/info.hpp"
#include "tileglu/tileglu.hpp"

namespace tileglu::cli {
namespace {

nlohmann::ordered_json facts() {
  nlohmann::ordered_json j;
  const build_info build = this_build();
  j["version"] = build.version;
  j["compiler"] = build.compiler;
  j["cuda"] = build.cuda;
  j["cuda_reason"] = build.cuda_reason;
  j["cpu"] = to_json(this_cpu());
  j["gpus"] = nlohmann::ordered_json::array();
  for (int ordinal = 0;; ++ordinal) {
    const auto gpu = this_cuda_device(ordinal);
    if (!gpu) {
      if (ordinal == 0) j["gpu_reason"] = gpu.error().text();
      break;
    }
    j["gpus"].push_back(to_json(*gpu));
  }
  j["chosen"] = to_json(this_device())["name"];
  for (const backend_info& b : list_backends()) {
    nlohmann::ordered_json row;
    row["name"] = name(b.id);
    row["available"] = b.missing.empty();
    row["summary"] = b.summary;
    row["missing"] = b.missing;
    j["backends"].push_back(row);
  }
  j["kernels"] = kernel_names();
  return j;
}

std::string cpu_line(const nlohmann::ordered_json& cpu) {
  std::string features;
  for (const char* feature : {"avx2", "avx512_bf16", "amx_bf16"})
    if (cpu[feature].get<bool>()) features += std::string(features.empty() ? "" : ", ") + feature;
  return fmt::format("{}, {} threads, {}", cpu["name"].get<std::string>(), cpu["threads"].get<int>(),
                     features.empty() ? "no vector extension that is used" : features);
}

int run(bool json) {
  const auto j = facts();
  if (json) {
    put(to_text(j));
    return success;
  }
  const auto text = [&](const char* key) { return j[key].get<std::string>(); };
  say("tileglu  {} ({})\n", text("version"), text("compiler"));
  say("CUDA     {}\n", text("cuda").empty() ? "not built: " + text("cuda_reason") : "built with " + text("cuda"));
  say("CPU      {}\n", cpu_line(j["cpu"]));
  if (j["gpus"].empty()) say("GPU      none: {}\n", text("gpu_reason"));
  for (const auto& gpu : j["gpus"])
    say("GPU {}    {}, sm_{}, {} SMs, driver {}\n", gpu["ordinal"].get<int>(), gpu["name"].get<std::string>(),
        gpu["compute_capability"].get<int>(), gpu["sm_count"].get<int>(), gpu["driver_version"].get<int>());
  say("default  {}\n\n", text("chosen"));
  table backends({"backend", "here", "what it is, or why it is missing"});
  for (const auto& b : j["backends"])
    backends.add({b["name"].get<std::string>(), b["available"].get<bool>() ? "yes" : "no",
                  b["available"].get<bool>() ? b["summary"].get<std::string>() : b["missing"].get<std::string>()});
  put(backends.text());
  return success;
}

}  // namespace

void add_info(CLI::App& app, action& chosen) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("info", "Say what this machine and this build can run, and why a backend is missing");
  add_switch(*command, "--json", *json, "print JSON");
  command->footer("Examples:\n  tileglu info\n  tileglu info --json\n");
  command->callback([json, &chosen] { chosen = [json] { return run(*json); }; });
}

}  // namespace tileglu::cli
