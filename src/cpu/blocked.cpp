// The blocked product. A block is `columns` outputs, that is twice as many rows of weights, by up to 512 rows of X:
//   X     packed once per 512 rows into panels of 64 (lanes along rows), shared by all threads
//   W     read where it lies; 96 rows by a block of K, about 200 KB, stay in a core's L2 while all panels pass over them
//   sums  gate and up of the block in float32, 64-row panel by panel, in L2; they are finished there, so neither gate nor up is ever whole
#include <cstddef>

#include "cpu/product.hpp"
#include "cpu/reuse_pool.hpp"
#include "cpu/threads.hpp"

namespace tileglu::cpu {
namespace {

constexpr std::int64_t chunk_rows = 512;    // rows of X that are packed at once; weights are read from memory once for each
constexpr std::int64_t block_weights = 96;  // rows of weights of a block
constexpr std::int64_t most_weights = block_weights + 2 * column_group;

std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t up_to(std::int64_t a, std::int64_t multiple) { return (a + multiple - 1) / multiple * multiple; }

class blocked final : public product {
 public:
  blocked(const product_shape& shape, const kernel_set& kernels) : shape_(shape), kernels_(kernels) {
    element_ = kernels.packed_bytes(shape.type);
    panel_rows_ = std::int64_t{kernels.lanes} * kernels.panel_vectors;
    const std::int64_t rows = smaller(up_to(shape.m, kernels.lanes), chunk_rows);
    // A single panel takes all of K at once while it fits in half of a 1 MB L2; several need shorter blocks of K, so that weights stay too.
    const std::int64_t fitting = (512 << 10) / (smaller(rows, panel_rows_) * element_);
    const std::int64_t shared = 2048 / element_;
    block_k_ = smaller(up_to(shape.k, 64), rows <= panel_rows_ && element_ == 2 ? up_to(fitting, 64) : shared);
    if (block_k_ == 0) block_k_ = 64;
    // At least four blocks a thread, for an even share of the work.
    columns_ = block_weights / shape.halves();
    while (columns_ > 6 && (shape.n + columns_ - 1) / columns_ < 4 * shape.threads) columns_ /= 2;

    packed_bytes_ = static_cast<std::size_t>(rows * up_to(shape.k, 2) * element_ + 64);
    sums_bytes_ = static_cast<std::size_t>(rows * most_weights) * sizeof(float);
    widened_bytes_ = element_ == 4 ? static_cast<std::size_t>(most_weights * block_k_) * sizeof(float) : 0;
    packed_bytes_ = (packed_bytes_ + 63) / 64 * 64;
    const std::size_t bytes = packed_bytes_ + static_cast<std::size_t>(shape.threads) * (sums_bytes_ + widened_bytes_);
    scratch_.prepare([bytes] { return std::make_unique<aligned_bytes>(bytes); });
  }

  status run(const product_tensors& t) const noexcept override {
    auto piece = scratch_.take();
    if (piece == nullptr) return {status_code::out_of_memory, {}};
    char* const memory = piece->data();
    const std::int64_t blocks = (shape_.n + columns_ - 1) / columns_;
#pragma omp parallel num_threads(shape_.threads)
    {
      char* mine = memory + packed_bytes_ + static_cast<std::size_t>(thread_number()) * (sums_bytes_ + widened_bytes_);
      for (std::int64_t first = 0; first < shape_.m; first += chunk_rows) {
        const std::int64_t rows = smaller(shape_.m - first, chunk_rows);
#pragma omp for schedule(static)
        for (std::int64_t p = 0; p < (rows + panel_rows_ - 1) / panel_rows_; ++p) pack(t, first, rows, p, memory);
#pragma omp for schedule(dynamic)
        for (std::int64_t b = 0; b < blocks; ++b) compute(t, first, rows, b * columns_, memory, mine);
      }
    }
    scratch_.give(std::move(piece));
    return {};
  }

 private:
  /// Vectors of rows in panel p.
  int vectors(std::int64_t rows, std::int64_t p) const {
    const std::int64_t left = smaller(rows - p * panel_rows_, panel_rows_);
    return static_cast<int>((left + kernels_.lanes - 1) / kernels_.lanes);
  }

  /// Panels before p are full, so all begin at a multiple.
  char* panel(char* packed, std::int64_t p, std::int64_t at_k, int width) const {
    return packed + (p * panel_rows_ * up_to(shape_.k, 2) + at_k * width * kernels_.lanes) * element_;
  }

  void pack(const product_tensors& t, std::int64_t first, std::int64_t rows, std::int64_t p, char* packed) const {
    if (shape_.k == 0) return;
    const std::int64_t row = p * panel_rows_;
    kernels_.pack_panel(shape_.type, t.x + (first + row) * shape_.ldx, shape_.ldx, smaller(rows - row, panel_rows_), shape_.k, vectors(rows, p),
                        panel(packed, p, 0, 0));
  }

  void compute(const product_tensors& t, std::int64_t first, std::int64_t rows, std::int64_t column, char* packed, char* mine) const {
    auto* sums = reinterpret_cast<float*>(mine);
    auto* widened = reinterpret_cast<float*>(mine + sums_bytes_);
    const std::int64_t columns = smaller(shape_.n - column, columns_), weights = columns * shape_.halves();
    const std::int64_t panels = (rows + panel_rows_ - 1) / panel_rows_;
    const bool pairs = element_ == 2;
    for (std::int64_t k0 = 0; k0 == 0 || k0 < shape_.k; k0 += block_k_) {
      const std::int64_t width = smaller(shape_.k - k0, block_k_);
      const void* w[most_weights];
      point_at_rows(t, column, columns, k0, w);
      if (!pairs) {
        kernels_.widen_rows(shape_.type, reinterpret_cast<const std::uint16_t* const*>(w), weights, width, widened, block_k_);
        for (std::int64_t j = 0; j < most_weights; ++j) w[j] = widened + smaller(j, weights - 1) * block_k_;
      }
      for (std::int64_t p = 0; p < panels; ++p) {
        const int height = vectors(rows, p);
        kernels_.product(pairs, panel(packed, p, k0, height), height, w, weights, width, sums + p * panel_rows_ * most_weights, k0 > 0);
      }
    }
    const finish_rule rule = rule_from(shape_, t, column);
    for (std::int64_t p = 0; p < panels; ++p) {
      const std::int64_t stride = std::int64_t{vectors(rows, p)} * kernels_.lanes;
      const float* gate = sums + p * panel_rows_ * most_weights;
      kernels_.finish_panel(rule, gate, gate + columns * stride, stride, smaller(rows - p * panel_rows_, panel_rows_), columns,
                            t.y + (first + p * panel_rows_) * shape_.ldy + column, shape_.ldy);
    }
  }

  /// The gate rows of the block, its up rows, and its last row again as filling.
  void point_at_rows(const product_tensors& t, std::int64_t column, std::int64_t columns, std::int64_t k0, const void** w) const {
    const std::int64_t stride = shape_.k == 0 ? 0 : t.w.row_stride;
    const std::uint16_t* const half[2] = {t.w.gate, t.w.up};
    for (std::int64_t j = 0; j < most_weights; ++j) {
      const std::int64_t at = smaller(j, columns * shape_.halves() - 1);
      w[j] = half[at / columns] + (column + at % columns) * stride + k0;
    }
  }

  product_shape shape_;
  const kernel_set& kernels_;
  int element_ = 2;  // bytes of a packed element
  std::int64_t panel_rows_ = 0, block_k_ = 0, columns_ = 0;
  std::size_t packed_bytes_ = 0, sums_bytes_ = 0, widened_bytes_ = 0;
  mutable reuse_pool<aligned_bytes> scratch_;
};

}  // namespace

std::unique_ptr<product> make_blocked(const product_shape& shape, const kernel_set& kernels) { return std::make_unique<blocked>(shape, kernels); }

}  // namespace tileglu::cpu
