// Problems on the command line: shapes as words ("1,16x4864x896"), the rest as options, or a JSON file.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tileglu/tileglu.hpp"

namespace tileglu::cli {

/// The options that describe problems, as they were typed.
struct problem_options {
  std::vector<std::string> shapes;  ///< MxNxK; each part may be a list: 1,16x4864x896
  std::string file;
  std::string dtype = "bf16", layout = "separate", activation = "silu", numerics = "fp32_through";
  float alpha = 0, limit = 0;  ///< 0: the activation's own
  bool bias = false;
  std::int64_t ldx = 0, ldw = 0, ldy = 0;

  void add_to(CLI::App& command);
  /// Every problem, validated, in the order typed. Errors: invalid_argument, io_error, bad_file.
  result<std::vector<problem>> problems() const;
};

/// The options that choose who computes.
struct choice_options {
  std::string device = "this", backend = "automatic", kernel;

  void add_to(CLI::App& command);
  result<device_facts> facts() const { return device_by_name(device); }
  result<plan_options> options() const;
};

nlohmann::ordered_json to_json(const problem& p);

}  // namespace tileglu::cli
