// What commands share: words on stdout that are known to have arrived, errors on stderr with their exit code, tables, JSON, progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "tileglu/device.hpp"
#include "tileglu/status.hpp"

namespace tileglu::cli {

/// The exit code that an error stands for.
exit_code exit_code_of(const status& s);

/// Before anything else: a closed stdin, stdout or stderr may not be reopened as a file of ours, and a reader that has gone or a full
/// disk is an error to be told, not the end of the process.
void prepare_standard_streams();

/// Write to stdout. What did not arrive is remembered for finish().
void put(std::string_view text);
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  put(fmt::format(format, std::forward<Values>(values)...));
}

/// Write to stderr, as far as it can be written.
void complain(std::string_view text) noexcept;

/// Says on stderr what went wrong; returns its exit code.
int fail(const status& s);

/// The last words of the program: `code`, or where stdout could not be written and all else went well, file_trouble (said on stderr); of a
/// pipe whose reader has gone 128 + SIGPIPE, silently, as shells know it.
int finish(int code);

/// Columns as wide as their widest cell; numbers to the right. The first row is the header.
class table {
 public:
  explicit table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// A bar on stderr for work of `total` steps; silent where stderr is no terminal, and for the first half second.
class progress {
 public:
  progress(std::string title, std::size_t total);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  void step(std::string_view what);

 private:
  std::string title_;
  std::size_t total_, done_ = 0;
  bool terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point begin_;
};

/// The facts of a device as JSON.
nlohmann::ordered_json to_json(const device_facts& d);

/// As text that ends with a new line.
std::string to_text(const nlohmann::ordered_json& value);

}  // namespace tileglu::cli
