// Few rows: bound by the reading of weights, so each is read once, in order, by one thread, and everything else stays in cache.
#include <cstddef>

#include "cpu/product.hpp"
#include "cpu/reuse_pool.hpp"

namespace tileglu::cpu {
namespace {

constexpr std::int64_t block_columns = 32;  // outputs that a thread takes at once: 2 x 32 rows of 1.8 to 7 KB for K = 896 to 3584

class stream final : public product {
 public:
  stream(const product_shape& shape, const kernel_set& kernels) : shape_(shape), kernels_(kernels) {
    row_bytes_ = (shape.k + stream_step - 1) / stream_step * stream_step * kernels.packed_bytes(shape.type);
    const auto bytes = static_cast<std::size_t>(shape.m * row_bytes_ + 64);
    scratch_.prepare([bytes] { return std::make_unique<aligned_bytes>(bytes); });
  }

  status run(const product_tensors& t) const noexcept override {
    auto piece = scratch_.take();
    if (piece == nullptr) return {status_code::out_of_memory, {}};
    char* const staged = piece->data();
    if (shape_.k > 0)
      for (std::int64_t i = 0; i < shape_.m; ++i) kernels_.stage_row(shape_.type, t.x + i * shape_.ldx, shape_.k, staged + i * row_bytes_);
    const std::int64_t blocks = (shape_.n + block_columns - 1) / block_columns;
#pragma omp parallel for num_threads(shape_.threads) schedule(dynamic)
    for (std::int64_t b = 0; b < blocks; ++b) compute(t, staged, b * block_columns);
    scratch_.give(std::move(piece));
    return {};
  }

 private:
  void compute(const product_tensors& t, const char* staged, std::int64_t first) const {
    const std::int64_t columns = shape_.n - first < block_columns ? shape_.n - first : block_columns;
    const std::int64_t stride = shape_.k == 0 ? 0 : t.w.row_stride;
    const int m = static_cast<int>(shape_.m);
    float gate[stream_most_rows][block_columns + 1], up[stream_most_rows][block_columns + 1], sums[2][4];
    // A pair's two rows are the gate and the up row of a column; a plain product takes two columns at once.
    for (std::int64_t j = 0; j < columns; j += shape_.pair ? 1 : 2) {
      const std::uint16_t* w0 = t.w.gate + (first + j) * stride;
      const std::uint16_t* w1 = shape_.pair ? t.w.up + (first + j) * stride : j + 1 < columns ? w0 + stride : w0;
      kernels_.stream_two(shape_.type, staged, row_bytes_, m, w0, w1, shape_.k, sums);
      for (int i = 0; i < m; ++i) {
        gate[i][j] = sums[0][i];
        (shape_.pair ? up[i][j] : gate[i][j + 1]) = sums[1][i];
      }
    }
    const finish_rule rule = rule_from(shape_, t, first);
    for (int i = 0; i < m; ++i) kernels_.finish_row(rule, gate[i], up[i], columns, t.y + i * shape_.ldy + first);
  }

  product_shape shape_;
  const kernel_set& kernels_;
  std::int64_t row_bytes_ = 0;
  mutable reuse_pool<aligned_bytes> scratch_;
};

}  // namespace

std::unique_ptr<product> make_stream(const product_shape& shape, const kernel_set& kernels) { return std::make_unique<stream>(shape, kernels); }

}  // namespace tileglu::cpu
