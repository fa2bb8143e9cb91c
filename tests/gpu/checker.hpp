// The memory of a case on the device, and one run of it judged.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "gpu/cases.hpp"
#include "gpu/compare.cuh"
#include "gpu/device_array.hpp"
#include "gpu/inputs.cuh"
#include "gpu/parts.hpp"
#include "gpu/report.hpp"
#include "gpu/result_batch.hpp"
#include "tileglu/plan.hpp"
#include "tileglu/run.hpp"

namespace tileglu::gpu_check {

/// A matrix in the middle of NaNs.
class guarded_matrix {
 public:
  static constexpr std::int64_t guard = 4096;  ///< elements on either side: more than a tile reads past an edge

  /// Poisons a block for `rows` rows of `stride` elements, `misaligned` elements past 16 bytes.
  void* reserve(std::int64_t rows, std::int64_t stride, int misaligned, cudaStream_t on);
  void* data() const { return static_cast<std::uint16_t*>(block_.data<void>()) + begin_; }
  void poison_again(cudaStream_t on) { poison(block_.data<void>(), static_cast<std::size_t>(elements_) * 2, on); }

  const void* block() const { return block_.data<void>(); }
  std::int64_t elements() const { return elements_; }
  std::int64_t begin() const { return begin_; }

 private:
  device_block block_;
  std::int64_t elements_ = 0, begin_ = 0;
};

/// Weights in one placement.
struct placed_weights {
  guarded_matrix first, second;
  weight_layout layout = weight_layout::separate;

  void fill(const matrix_values& of, const problem& p, int misaligned, half_values gate, half_values up, cudaStream_t on);
  gate_up_weights get() const;
};

/// Everything that one call reads and writes, apart from the weights.
struct call_memory {
  static constexpr std::size_t after_workspace = 256;  ///< bytes behind it that nothing may write

  guarded_matrix x, y, bias_gate, bias_up;
  device_block workspace;

  void fill_inputs(const matrix_values& of, const problem& p, int misaligned, cudaStream_t on);
  /// Poisons Y, and the workspace with what is behind it.
  void clear_outputs(const problem& p, std::size_t workspace_bytes, int misaligned, cudaStream_t on);
  tensors get(const problem& p, const placed_weights& w, std::size_t workspace_bytes) const;
  guarded_output output(const problem& p) const { return {y.block(), y.begin(), y.elements(), p.m, p.n, row_stride_y(p)}; }
};

/// Dense float64 and float32 pre-activations of a problem's random matrices.
class reference_products {
 public:
  void weights(const matrix_values& of, std::int64_t n, cudaStream_t on);
  void rows(const matrix_values& of, std::int64_t m, std::int64_t n, cudaStream_t on);
  preactivations get() const { return {gate64_.data<double>(), up64_.data<double>(), gate32_.data<float>(), up32_.data<float>()}; }

 private:
  device_block x_, gate_, up_, gate64_, up64_, gate32_, up32_;
};

/// What every check needs.
struct context {
  device_facts device;
  std::vector<std::string> rows;     ///< names of rows of the tables; "" is the planner's choice
  std::vector<std::string> my_rows;  ///< of them what this part takes, where a check is cut by rows
  report& out;
  amount of = amount::whole;
  part share{};
  double limit = 0;  ///< seconds since `begin` after which nothing is begun any more; 0: none
  cudaStream_t on = nullptr;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
  bool late() const { return limit > 0 && seconds() > limit; }
  /// Results that may wait for each other: under a sanitizer none, so that what it says is about one run.
  std::size_t batch() const { return of == amount::tiny ? 1 : 512; }
};

/// The name in the report.
inline std::string label(const std::string& row) { return row.empty() ? "(the planner's choice)" : row; }

/// Plans with the row forced. Refusals are counted, and no plan comes back.
std::vector<execution_plan> plan_row(context& c, const std::string& row, const std::string& check, const problem& p);

/// The outputs of one run with the row forced, on c.on, into cleared `memory`. False where the row refuses or fails, which is reported.
bool compute_row(context& c, const std::string& row, const std::string& check, const problem& p, call_memory& memory, const placed_weights& w);

/// Runs that are judged on the device, and reported together.
class judged_runs {
 public:
  explicit judged_runs(context& c) : c_(c), verdicts_(c.on, c.batch()) {}

  /// Queues a run and its judgement. All that is handed in may be filled anew on the same stream.
  void add(const std::string& row, const std::string& check, const execution_plan& plan, call_memory& memory, const placed_weights& w,
           const reference_products& reference, value_class values, int misaligned);
  /// Waits, and reports.
  void settle() { verdicts_.settle(); }

 private:
  context& c_;
  result_batch<verdict> verdicts_;
};

/// Why a verdict is bad; empty where it is good. `ratio`: the error over the honest one, 0 where it says nothing (values.hpp).
std::string judge_words(const verdict& v, dtype type, value_class values, double outputs, double& ratio);

/// A verdict on the device, zeroed and fetched.
class device_verdict {
 public:
  verdict* reset(cudaStream_t on);
  verdict fetch(cudaStream_t on) const;

 private:
  device_block block_;
};

/// A counter on the device.
class device_counter {
 public:
  unsigned long long* reset(cudaStream_t on);
  unsigned long long fetch(cudaStream_t on) const;

 private:
  device_block block_;
};

// The checks, one file each.
void sweep(context& c);
void check_repeats(context& c);
void check_row_bits(context& c);
void check_unfused_bits(context& c);
void check_whole_mlp(context& c);
void check_packing(context& c);
void check_bad_input(context& c, const char* program);
/// Runs one problem by one row, once, for a profiler; the exit status of the program.
int profile_once(context& c, const std::string& row, std::int64_t m, std::int64_t n, std::int64_t k);
/// The body of the child process that breaks its own CUDA context; the exit status of the program.
int break_the_context(const device_facts& device);

}  // namespace tileglu::gpu_check
