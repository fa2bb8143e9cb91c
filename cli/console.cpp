#include "console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace tileglu::cli {
namespace {

int unwritten = 0;  // the errno of the first write to stdout that failed

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.+-eEx%") == std::string::npos && cell.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

exit_code exit_code_of(const status& s) {
  switch (s.code()) {
    case status_code::ok: return success;
    case status_code::invalid_argument:
    case status_code::bad_file: return bad_usage;
    case status_code::unsupported:
    case status_code::not_available:
    case status_code::wrong_device:
    case status_code::device_error:
    case status_code::out_of_memory: return cannot;
    case status_code::io_error: return file_trouble;
    case status_code::workspace_too_small:  // the commands bring their own
    case status_code::internal: break;
  }
  return defect;
}

void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);  // takes the lowest number that is free; writing to it fails
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && unwritten == 0) unwritten = errno;
}

void complain(std::string_view text) noexcept { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

int fail(const status& s) {
  std::string text = s.text().empty() ? "no more is known" : s.text();
  std::ranges::replace_if(text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');  // a typed or stored word may command a terminal
  complain(fmt::format("tileglu: {}: {}\n", name(s.code()), text));
  return exit_code_of(s);
}

int finish(int code) {
  if (std::fflush(stdout) != 0 && unwritten == 0) unwritten = errno;
  if (unwritten == 0 || code != success) return code;
  if (unwritten == EPIPE) return 128 + SIGPIPE;
  return fail({status_code::io_error, std::string("standard output could not be written: ") + std::strerror(unwritten)});
}

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
    for (std::size_t i = 0; i < row.size(); ++i)
      line += (i ? "  " : "") + (right[i] ? fmt::format("{:>{}}", row[i], width[i]) : fmt::format("{:<{}}", row[i], width[i]));
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  }
  return all;
}

progress::progress(std::string title, std::size_t total)
    : title_(std::move(title)),
      total_(std::max<std::size_t>(total, 1)),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(std::chrono::steady_clock::now()) {}

progress::~progress() {
  if (drawn_) complain("\r\033[K");
}

void progress::step(std::string_view what) {
  ++done_;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (!terminal_ || seconds < 0.5) return;
  constexpr std::size_t cells = 24;
  const std::size_t filled = std::min(cells, done_ * cells / total_);
  const double left = seconds / static_cast<double>(done_) * static_cast<double>(total_ - std::min(done_, total_));
  complain(fmt::format("\r\033[K{} [{:=<{}}{:{}}] {}/{}, {:.0f} s left  {}", title_, "", filled, "", cells - filled, done_, total_, left, what));
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

std::string to_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tileglu::cli
