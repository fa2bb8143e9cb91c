// Every row of the paired kernel gives the bits of every other: tile, cluster, and which operand the weights are decide nothing.
#include <algorithm>
#include <iterator>
#include <span>

#include "gpu/checker.hpp"
#include "plan/tables/paired_rows.hpp"

namespace tileglu::gpu_check {
namespace {

constexpr const char* check = "row_bits";
constexpr std::string_view judge_row = plan_detail::paired_rows[0].name;

struct extents {
  std::int64_t m, n, k;
};
constexpr extents shapes[] = {{1, 8, 8}, {45, 328, 200}, {161, 1000, 264}, {389, 712, 1032}};
/// For compute-sanitizer: more tiles than an H200 has multiprocessors, and more blocks of K than a row has stages, so that every buffer and barrier
/// is used again; and no reference, whose shared memory would take longer to watch than the kernels'.
constexpr extents used_again[] = {{600, 4608, 840}};

class row_comparer {
 public:
  row_comparer(context& c, const problem& p, value_class values) : c_(c), p_(p), values_(values) {
    const matrix_values of{p.x_type, values, p.k, 17, false};
    w_.fill(of, p, 0, half_values::random, half_values::random, c.on);
    for (call_memory* memory : {&expected_, &other_}) memory->fill_inputs(of, p, 0, c.on);
    computed_ = compute_row(c_, std::string(judge_row), check, p_, expected_, w_);
  }

  void run_row(const std::string& row) {
    if (!computed_ || !compute_row(c_, row, check, p_, other_, w_)) return;
    count_differences(expected_.y.block(), other_.y.block(), expected_.y.elements(), differences_.reset(c_.on), c_.on);
    const auto different = differences_.fetch(c_.on);
    if (different == 0) return c_.out.pass(label(row), check);
    c_.out.fail(label(row), check,
                describe(p_) + " " + std::string(name(values_)) + ": " + std::to_string(different) + " outputs have other bits than by " +
                    std::string(judge_row));
  }

 private:
  context& c_;
  problem p_;
  value_class values_;
  placed_weights w_;
  call_memory expected_, other_;
  device_counter differences_;
  bool computed_ = false;
};

}  // namespace

void check_row_bits(context& c) {
  const std::vector<epilogue> epilogues = every_epilogue();
  std::size_t next = 0;
  const auto is_paired = [](const std::string& row) {
    return std::any_of(plan_detail::paired_rows.begin(), plan_detail::paired_rows.end(), [&](const kernel_row& r) { return r.name == row; });
  };
  const bool tiny = c.of == amount::tiny;
  for (const extents& shape : tiny ? std::span<const extents>(used_again) : std::span<const extents>(shapes))
    for (const dtype type : {dtype::bf16, dtype::fp16})
      for (const value_class values : std::span(every_value_class).first(tiny ? 1 : std::size(every_value_class)))
        for (const bool plain : {true, false}) {  // silu's own epilogue, and the general one with something else in each turn
          problem p{.m = shape.m, .n = shape.n, .k = shape.k};
          p.x_type = p.w_type = p.y_type = type;
          if (!plain) {
            const epilogue& e = epilogues[(next += 7) % epilogues.size()];
            p.act = e.act, p.bias = e.bias, p.mode = e.mode;
          }
          row_comparer compare(c, p, values);
          for (const std::string& row : c.my_rows)
            if (is_paired(row)) compare.run_row(row);
        }
}

}  // namespace tileglu::gpu_check
