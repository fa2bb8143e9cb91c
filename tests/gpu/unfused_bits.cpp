// numerics::match_unfused, bit for bit: round(round(act(gate)) * up) of the gate and up that the same kernel rounds.
//
// The kernel itself tells them: column 0 of X is 1, so weight rows (1, 0, 0, ...) make a half that is exactly 1 in any order of
// accumulation, and identity(gate) * 1 is the rounded gate, identity(1) * up the rounded up.
#include "gpu/checker.hpp"

namespace tileglu::gpu_check {
namespace {

constexpr const char* check = "unfused_bits";

struct extents {
  std::int64_t m, n, k;
};
constexpr extents shapes[] = {{1, 1232, 792}, {5, 200, 136}, {16, 1024, 896}, {300, 520, 576}};

/// Share of gates that may be another element than the float32 product rounded once: one whose sum is off by 2^-20 of its size, in
/// whatever order it was made, rounds the other way in 2^-9 of all cases of fp16. Sums rounded twice do so in a tenth.
constexpr double other_roundings = 0.02;

class bits_checker {
 public:
  bits_checker(context& c, result_batch<unsigned long long>& counts, const problem& p)
      : c_(c), counts_(counts), base_(p), values_{p.x_type, value_class::normal, p.k, 99, true} {
    both_.fill(values_, p, 0, half_values::random, half_values::random, c.on);
    gate_only_.fill(values_, p, 0, half_values::random, half_values::unit, c.on);
    up_only_.fill(values_, p, 0, half_values::unit, half_values::random, c.on);
    for (call_memory* memory : {&whole_, &gate_, &up_}) memory->fill_inputs(values_, p, 0, c.on);
    reference_.weights(values_, p.n, c.on);
    reference_.rows(values_, p.m, p.n, c.on);
    clear_bias(gate_.bias_up);
    clear_bias(up_.bias_gate);
  }

  void run_row(const std::string& row) {
    problem identity = base_;
    identity.act = {activation_kind::identity};
    if (!compute_row(c_, row, check, identity, gate_, gate_only_)) return;
    if (!compute_row(c_, row, check, identity, up_, up_only_)) return;
    check_rounding(row, gate_, reference_.get().gate32, base_.bias ? gate_.bias_gate.data() : nullptr);
    check_rounding(row, up_, reference_.get().up32, base_.bias ? up_.bias_up.data() : nullptr);
    for (const epilogue& e : every_epilogue()) {
      if (e.mode != base_.mode || e.bias != base_.bias) continue;
      problem p = base_;
      p.act = e.act;
      if (!compute_row(c_, row, check, p, whole_, both_)) continue;
      const std::int64_t elements = p.m * p.n;
      unfused_formula(p, gate_.y.data(), up_.y.data(), expected_.as<std::uint16_t>(static_cast<std::size_t>(elements)), elements, c_.on);
      const auto tell = [this, row, p, elements](unsigned long long different) {
        if (different == 0) return c_.out.pass(label(row), check);
        c_.out.fail(label(row), check,
                    describe(p) + ": " + std::to_string(different) + " of " + std::to_string(elements) + " outputs differ from the formula");
      };
      count_differences(whole_.y.data(), expected_.data<void>(), elements, counts_.add(tell), c_.on);
    }
  }

 private:
  /// Gate and up are rounded once, from float32.
  void check_rounding(const std::string& row, const call_memory& half, const float* product, const void* bias) {
    const auto tell = [this, row](unsigned long long unlike) {
      const double share = static_cast<double>(unlike) / static_cast<double>(base_.m * base_.n);
      if (share <= other_roundings) return c_.out.pass(label(row), check);
      c_.out.fail(label(row), check,
                  describe(base_) + ": " + std::to_string(100 * share) + " % of the gates or ups are not the float32 product rounded once");
    };
    count_unlike(base_.y_type, product, bias, half.y.data(), base_.m, base_.n, counts_.add(tell), c_.on);
  }

  void clear_bias(guarded_matrix& bias) { require(cudaMemsetAsync(bias.data(), 0, static_cast<std::size_t>(base_.n) * 2, c_.on), "clearing a bias"); }

  context& c_;
  result_batch<unsigned long long>& counts_;
  problem base_;
  matrix_values values_;
  placed_weights both_, gate_only_, up_only_;
  reference_products reference_;
  call_memory whole_, gate_, up_;
  device_block expected_;
};

}  // namespace

void check_unfused_bits(context& c) {
  result_batch<unsigned long long> counts(c.on, c.batch());
  for (const dtype type : {dtype::bf16, dtype::fp16})
    for (const extents& shape : shapes)
      for (const weight_layout layout : {weight_layout::separate, weight_layout::stacked_up_gate, weight_layout::interleaved})
        for (const bool bias : {false, true}) {
          problem p{.m = shape.m, .n = shape.n, .k = shape.k};
          p.x_type = p.w_type = p.y_type = type;
          p.layout = layout, p.bias = bias, p.mode = numerics::match_unfused;
          bits_checker checker(c, counts, p);
          for (const std::string& row : c.my_rows)
            if (!row.empty()) checker.run_row(row);  // the planner's choice may be another row for another activation
          counts.settle();
        }
}

}  // namespace tileglu::gpu_check
