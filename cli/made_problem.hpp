// Random inputs for a problem, on the host and on a device, and the judgement of what a kernel made of them.
#pragma once

#include <cstdint>
#include <vector>

#include "tileglu/tileglu.hpp"

namespace tileglu::cli {

/// out_of_memory where made_problem, what judge() makes of an output, and on a CPU `sets` of device_copy are more than this machine has left.
status fits_memory(const problem& p, const device_facts& device, std::int64_t sets);

/// Host inputs: x and biases ~ N(0, 1), weights ~ N(0, 1/k), NaN in the padding between rows. A seed gives the same bits everywhere.
struct made_problem {
  problem p;
  std::vector<std::uint16_t> x, w, bias_gate, bias_up;  ///< w: [2n, k]; of `separate` the gate matrix, then the up matrix

  made_problem(const problem& of, std::uint64_t seed);
  /// Host pointers, with this output.
  tensors memory(void* y) const;
};

/// The same inputs in a device's memory, with an output between guard zones.
class device_copy {
 public:
  static result<device_copy> make(const made_problem& from, const device_facts& device, std::size_t workspace_bytes);
  tensors memory() const;
  /// The weights as one dense matrix [2n, k], for the bare product; only where ldx and ldw are dense.
  const void* weights() const { return w_.data(); }
  const void* x() const { return x_.data(); }

  /// Every element of y NaN, every byte around it a mark.
  status poison();
  /// y, the guard zones and the padding: [guard, m * ldy, guard] elements.
  result<std::vector<std::uint16_t>> download() const;

 private:
  problem p_;
  buffer x_, w_, bias_gate_, bias_up_, y_, workspace_;
  std::size_t workspace_bytes_ = 0;
};

/// What a run made, compared with the oracle.
struct verdict {
  bool right = false;
  double error = 0;      ///< relative Frobenius error against float64
  double allowed = 0;    ///< what reference.hpp's rule makes of the plain float32 computation's error
  std::int64_t rows = 0;  ///< rows that were compared; all were searched for elements that were not written
  std::string fault;     ///< what is wrong; empty where it is right
};

/// Compare with the oracle, on as many rows as `budget` multiplications allow (evenly from the first to the last), at least one.
result<verdict> judge(const made_problem& made, const device_copy& ran, double budget);

}  // namespace tileglu::cli
