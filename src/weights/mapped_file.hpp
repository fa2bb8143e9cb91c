// A whole file, read-only in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tileglu/status.hpp"

namespace tileglu::weights {

class mapped_file {
 public:
  static result<mapped_file> open(const std::string& path);
  std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte*>(memory_.get()), size_}; }

 private:
  std::shared_ptr<const void> memory_;
  std::size_t size_ = 0;
};

/// "cannot open PATH: No such file or directory", of the current errno.
status io_failure(const char* verb, const std::string& path);

}  // namespace tileglu::weights
