// A run cut in parts, each a process of its own (scripts/gpu_tests --full); and what of the cases a run covers, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/cases.hpp"

namespace tileglu::gpu_check {

/// The `number`-th, from 1, `of` so many.
struct part {
  int number = 1;
  int of = 1;
};

/// About how long a group takes on an H200, in seconds, with so many rows.
double estimated_seconds(const case_group& g, std::size_t rows);

/// Indices of the part's groups, ascending: the longest first, each to the part that has least to do. Every group is in one part.
std::vector<std::size_t> groups_of(const part& share, const std::vector<case_group>& all, std::size_t rows);

/// Is this part the one that takes the `index`-th of things that cost alike?
constexpr bool takes(const part& share, std::size_t index) {
  return index % static_cast<std::size_t>(share.of) + 1 == static_cast<std::size_t>(share.number);
}

/// What is run of one kind of groups.
struct coverage {
  std::string check;
  std::size_t groups = 0;    ///< that this part takes
  std::size_t of = 0;        ///< that there are
  std::string m, rows, placements, epilogues;
  double seconds = 0;        ///< that its groups have taken
};

std::vector<coverage> coverage_of(const std::vector<case_group>& all, const std::vector<std::size_t>& taken);

}  // namespace tileglu::gpu_check
