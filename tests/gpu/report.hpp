// What the checks found: a table by kernel row, the failures in words, and JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/parts.hpp"
#include "tileglu/device.hpp"

namespace tileglu::gpu_check {

/// Of one row of the planner's tables and one kind of check.
struct tally {
  int passed = 0;
  int failed = 0;
  int refused = 0;         ///< by the planner, which gave a reason
  double worst_ratio = 0;  ///< error against float64, over that of a float32 product rounded once
};

class report {
 public:
  void pass(const std::string& row, const std::string& check, double ratio = 0);
  void fail(const std::string& row, const std::string& check, const std::string& why);
  void refuse(const std::string& row, const std::string& check);
  /// Says what the sweep is made of.
  void covers(const coverage& kind) { coverage_.push_back(kind); }
  /// Adds the time of a group of this kind.
  void took(const std::string& check, double seconds);

  int failures() const { return failed_; }
  int checks() const { return passed_ + failed_; }

  void print() const;
  /// False where the file can't be written.
  bool write_json(const std::string& path, const device_facts& device, double seconds, const std::string& command, const part& share) const;

 private:
  std::map<std::string, std::map<std::string, tally>> rows_;  ///< row -> check -> tally
  std::vector<std::string> words_;                            ///< of the first failures
  std::vector<coverage> coverage_;
  int passed_ = 0, failed_ = 0;
};

}  // namespace tileglu::gpu_check
