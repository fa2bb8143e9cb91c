// What commands share: errors on stderr with their exit code, tables and JSON on stdout, progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "tileglu/device.hpp"
#include "tileglu/status.hpp"

namespace tileglu::cli {

/// The exit code that an error stands for.
exit_code exit_code_of(const status& s);

/// Says on stderr what went wrong; returns its exit code.
int fail(const status& s);

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

/// Print JSON, or write it to `path` where that is not empty; io_error where it can't be written.
status emit(const nlohmann::ordered_json& value, const std::string& path = {});

}  // namespace tileglu::cli
