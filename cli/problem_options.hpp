// Problems on the command line: shapes as words ("1,16x4864x896"), the rest as options, or a JSON file; and who computes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tileglu/tileglu.hpp"

namespace tileglu::cli {

/// A problem but its shape, as it was typed.
struct problem_words {
  std::string dtype = "bf16", layout = "separate", activation = "silu", numerics = "fp32_through";
  std::optional<float> alpha, limit;  ///< empty: the activation's own
  bool bias = false;
  std::int64_t ldx = 0, ldw = 0, ldy = 0;

  /// Errors: invalid_argument lists the words that are known.
  result<problem> without_shape() const;
};

/// The options that describe problems.
struct problem_options {
  std::vector<std::string> shapes;  ///< MxNxK; each part may be a list: 1,16x4864x896
  std::string file;
  problem_words words;

  void add_to(CLI::App& command);
  /// Every problem, validated, in the order typed. Errors: invalid_argument, io_error, bad_file.
  result<std::vector<problem>> problems() const;
};

/// The options that choose who computes.
struct choice_options {
  std::string device = "this", backend = "automatic", kernel;

  void add_to(CLI::App& command);
  result<plan_options> options() const;
};

/// What check, plan and bench start from.
struct request {
  std::vector<problem> problems;
  device_facts device;
  plan_options options;
};

result<request> read_request(const problem_options& what, const choice_options& who);

/// Append a problem like `like` for every m of every (n, k), in that order. invalid_argument where that makes more than a hundred thousand.
status add_shapes(const std::vector<std::int64_t>& ms, const std::vector<std::int64_t>& ns, const std::vector<std::int64_t>& ks,
                  const problem& like, std::vector<problem>& all);

nlohmann::ordered_json to_json(const problem& p);

}  // namespace tileglu::cli
