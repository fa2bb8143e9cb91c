#include "gpu/report.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "tileglu/version.hpp"

namespace tileglu::gpu_check {
namespace {

constexpr std::size_t most_words = 200, most_printed = 25;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

void report::pass(const std::string& row, const std::string& check, double ratio) {
  tally& t = rows_[row][check];
  ++t.passed, ++passed_;
  t.worst_ratio = std::max(t.worst_ratio, ratio);
}

void report::fail(const std::string& row, const std::string& check, const std::string& why) {
  ++rows_[row][check].failed, ++failed_;
  if (words_.size() < most_words) words_.push_back(row + ": " + check + ": " + why);
}

void report::refuse(const std::string& row, const std::string& check) { ++rows_[row][check].refused; }

void report::took(const std::string& check, double seconds) {
  for (coverage& kind : coverage_)
    if (kind.check == check) kind.seconds += seconds;
}

void report::print() const {
  for (std::size_t i = 0; i < std::min(words_.size(), most_printed); ++i) std::printf("FAILED %s\n", words_[i].c_str());
  if (words_.size() > most_printed) std::printf("... and %d more\n", failed_ - static_cast<int>(most_printed));
  std::printf("%-30s %8s %7s %8s %12s\n", "row", "passed", "failed", "refused", "worst error");
  for (const auto& [row, checks] : rows_) {
    tally sum;
    for (const auto& [check, t] : checks) {
      sum.passed += t.passed, sum.failed += t.failed, sum.refused += t.refused;
      sum.worst_ratio = std::max(sum.worst_ratio, t.worst_ratio);
    }
    std::printf("%-30s %8d %7d %8d %11.4fx\n", row.c_str(), sum.passed, sum.failed, sum.refused, sum.worst_ratio);
  }
}

bool report::write_json(const std::string& path, const device_facts& device, double seconds, const std::string& command, const part& share) const {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), [](std::FILE* f) { return f ? std::fclose(f) : 0; });
  if (!file) return false;
  std::FILE* f = file.get();
  std::fprintf(f, "{\n  \"tileglu\": %s,\n  \"command\": %s,\n  \"seconds\": %.1f,\n", quoted(std::string(version())).c_str(),
               quoted(command).c_str(), seconds);
  std::fprintf(f, "  \"device\": {\"name\": %s, \"compute_capability\": %d, \"sm_count\": %d, \"driver_version\": %d},\n",
               quoted(device.name).c_str(), device.compute_capability, device.sm_count, device.driver_version);
  std::fprintf(f, "  \"part\": %d,\n  \"parts\": %d,\n", share.number, share.of);
  std::fprintf(f, "  \"passed\": %d,\n  \"failed\": %d,\n  \"sweep\": [", passed_, failed_);
  const char* between = "\n";
  for (const coverage& kind : coverage_) {
    std::fprintf(f, "%s    {\"check\": %s, \"groups\": %zu, \"of\": %zu, \"m\": %s, \"rows\": %s, ", between, quoted(kind.check).c_str(), kind.groups,
                 kind.of, quoted(kind.m).c_str(), quoted(kind.rows).c_str());
    std::fprintf(f, "\"placements\": %s, \"epilogues\": %s, \"seconds\": %.1f}", quoted(kind.placements).c_str(), quoted(kind.epilogues).c_str(),
                 kind.seconds);
    between = ",\n";
  }
  std::fprintf(f, "\n  ],\n  \"rows\": [");
  between = "\n";
  for (const auto& [row, checks] : rows_)
    for (const auto& [check, t] : checks) {
      std::fprintf(f, "%s    {\"row\": %s, \"check\": %s, \"passed\": %d, \"failed\": %d, \"refused\": %d, \"worst_error_ratio\": %.4f}", between,
                   quoted(row).c_str(), quoted(check).c_str(), t.passed, t.failed, t.refused, t.worst_ratio);
      between = ",\n";
    }
  std::fprintf(f, "\n  ],\n  \"failures\": [");
  between = "\n";
  for (const std::string& words : words_) {
    std::fprintf(f, "%s    %s", between, quoted(words).c_str());
    between = ",\n";
  }
  std::fprintf(f, "\n  ]\n}\n");
  return std::ferror(f) == 0;
}

}  // namespace tileglu::gpu_check
