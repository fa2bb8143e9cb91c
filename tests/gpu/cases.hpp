// The cases as data: groups of problems that share weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/values.hpp"
#include "tileglu/problem.hpp"

namespace tileglu::gpu_check {

/// How matrices lie in memory.
struct placement {
  weight_layout layout = weight_layout::separate;
  int padding = 0;       ///< elements between the end of a row and the next, in X, W and Y
  int misaligned = 0;    ///< elements by which every matrix begins past 16 bytes
};

/// What is computed from gate and up.
struct epilogue {
  activation act;
  bool bias = false;
  numerics mode = numerics::fp32_through;
};

struct case_group {
  std::string name;  ///< of the kind of check
  std::int64_t n = 0, k = 0;
  dtype type = dtype::bf16;
  value_class values = value_class::normal;
  std::vector<std::int64_t> rows;     ///< every m
  std::vector<placement> placements;
  std::size_t epilogues = 1;          ///< how many of them for each (m, placement, row), in turn
  bool one_placement = false;         ///< for each m one of them in turn, and every interleaved one
  std::size_t share = 1;              ///< each row of the tables takes every `share`-th of the m's, in turn
};

/// Every activation with and without a clamp, bias, and both numerics.
std::vector<epilogue> every_epilogue();

enum class amount {
  full,   ///< every row of the tables in every case
  whole,  ///< every case, each by a share of the rows that rotates
  quick,  ///< a tenth
  tiny,   ///< each kernel, layout and type a few times: for compute-sanitizer, which is a hundred times slower
};

std::vector<case_group> every_group(amount of);

problem make_problem(const case_group& g, std::int64_t m, const placement& at, const epilogue& e);

}  // namespace tileglu::gpu_check
