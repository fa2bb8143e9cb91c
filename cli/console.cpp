#include "console.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <fmt/core.h>

namespace tileglu::cli {

exit_code exit_code_of(const status& s) {
  switch (s.code()) {
    case status_code::ok: return success;
    case status_code::invalid_argument:
    case status_code::unsupported:
    case status_code::bad_file: return bad_usage;
    default: return environment;
  }
}

int fail(const status& s) {
  fmt::print(stderr, "tileglu: {}: {}\n", name(s.code()), s.text().empty() ? "no more is known" : s.text());
  return exit_code_of(s);
}

namespace {

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.+-eEx%") == std::string::npos && cell.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

std::string table::text() const {
  std::vector<std::size_t> width;
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == width.size()) width.push_back(0);
      width[i] = std::max(width[i], row[i].size());
    }
  std::vector<bool> right(width.size(), rows_.size() > 1);
  for (std::size_t r = 1; r < rows_.size(); ++r)
    for (std::size_t i = 0; i < rows_[r].size(); ++i)
      if (!rows_[r][i].empty() && !is_number(rows_[r][i])) right[i] = false;
  std::string all;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i ? "  " : "") + (right[i] ? fmt::format("{:>{}}", row[i], width[i]) : fmt::format("{:<{}}", row[i], width[i]));
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  }
  return all;
}

progress::progress(std::string title, std::size_t total)
    : title_(std::move(title)), total_(std::max<std::size_t>(total, 1)), terminal_(isatty(STDERR_FILENO) != 0), begin_(std::chrono::steady_clock::now()) {}

progress::~progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void progress::step(std::string_view what) {
  ++done_;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (!terminal_ || seconds < 0.5) return;
  constexpr std::size_t cells = 24;
  const std::size_t filled = std::min(cells, done_ * cells / total_);
  const double left = seconds / static_cast<double>(done_) * static_cast<double>(total_ - std::min(done_, total_));
  fmt::print(stderr, "\r\033[K{} [{:=<{}}{:{}}] {}/{}, {:.0f} s left  {}", title_, "", filled, "", cells - filled, done_, total_, left, what);
  std::fflush(stderr);
  drawn_ = true;
}

nlohmann::ordered_json to_json(const device_facts& d) {
  nlohmann::ordered_json j;
  j["name"] = d.name;
  j["kind"] = d.kind == device_kind::cuda ? "cuda" : "cpu";
  if (d.kind == device_kind::cuda) {
    j["ordinal"] = d.ordinal;
    j["compute_capability"] = d.compute_capability;
    j["sm_count"] = d.sm_count;
    j["l2_bytes"] = d.l2_bytes;
    j["shared_bytes_per_block"] = d.shared_bytes_per_block;
    j["driver_version"] = d.driver_version;
    j["memory_bytes_per_second"] = d.memory_bytes_per_second;
    j["sm90_kernels_built"] = d.sm90_kernels_built;
  } else {
    j["threads"] = d.threads;
    j["avx2"] = d.avx2;
    j["avx512_bf16"] = d.avx512_bf16;
    j["amx_bf16"] = d.amx_bf16;
    j["cache_bytes"] = d.cache_bytes;
    j["onednn"] = d.onednn;
  }
  return j;
}

status emit(const nlohmann::ordered_json& value, const std::string& path) {
  const std::string text = value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (path.empty()) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
    return {status_code::io_error, "standard output could not be written"};
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return {status_code::io_error, "'" + path + "' could not be written"};
  return {};
}

}  // namespace tileglu::cli
