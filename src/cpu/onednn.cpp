// The blocked product on oneDNN. A block is computed turned round: sums[column][row] = W_block X^T, with the plain weights as the left
// operand, which oneDNN reads where they lie, and X^T as the right one, which it wants packed: once for 512 rows, not once a block. Sums of
// gate and up stay in a core's cache and are finished there.
//
// Allocations: prepare() makes primitives, memory objects and scratchpads. What one execution itself puts on the heap is oneDNN's bookkeeping,
// a few hundred bytes whatever the size of the problem.
#include "cpu/onednn.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "cpu/onednn_call.hpp"
#include "cpu/reuse_pool.hpp"

namespace tileglu::cpu {
namespace {

using dnnl::memory;

constexpr std::int64_t chunk_rows = 512;

std::int64_t up_to(std::int64_t a, std::int64_t multiple) { return (a + multiple - 1) / multiple * multiple; }

/// What one thread of one run works with.
struct lane {
  dnnl::stream stream{cpu_engine()};
  memory w, x, sums[2], scratchpad;
  std::unique_ptr<aligned_bytes> sums_bytes, widened_bytes, scratchpad_bytes;
};

struct run_memory {
  std::unique_ptr<aligned_bytes> packed_bytes, plain_bytes, scratchpad_bytes;
  memory packed, plain, scratchpad;
  std::vector<lane> lanes;
};

class onednn_blocked final : public product {
 public:
  onednn_blocked(const product_shape& shape, const kernel_set& kernels, bool widens) : shape_(shape), kernels_(kernels), widens_(widens) {
    // Chunks and blocks all have one size, so that one primitive does: the last ones overlap those before, and only what is new is finished.
    const std::int64_t chunks = (shape.m + chunk_rows - 1) / chunk_rows;
    rows_ = (shape.m + chunks - 1) / chunks;
    columns_ = std::min<std::int64_t>(shape.n, shape.pair ? 64 : 128);
    while (columns_ > 16 && (shape.n + columns_ - 1) / columns_ < 4 * shape.threads) columns_ /= 2;
    padded_rows_ = up_to(rows_, kernels.lanes);

    const auto type = widens ? memory::data_type::f32 : memory::data_type::bf16;
    const memory::desc sums = rows_of(columns_, rows_, memory::data_type::f32, padded_rows_);
    const memory::desc right({shape.k, rows_}, type, memory::format_tag::any);
    {
      const made_for_threads one(1);  // each thread computes blocks of its own
      const auto description = describe_product(w_desc(type, widens ? shape.k : shape.ldw), right, sums);
      packed_desc_ = description.weights_desc();
      scratchpad_desc_ = description.scratchpad_desc();
      multiply_ = dnnl::matmul(description);
    }
    const made_for_threads all(shape.threads);
    plain_desc_ = memory::desc({shape.k, rows_}, type, memory::dims{1, widens ? shape.k : shape.ldx});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc pack(cpu_engine(), plain_desc_, cpu_engine(), packed_desc_, attributes);
    pack_scratchpad_desc_ = pack.scratchpad_desc();
    pack_ = dnnl::reorder(pack);
    pool_.prepare([this] { return make_memory(); });
  }

  status run(const product_tensors& t) const noexcept override {
    auto piece = pool_.take();
    if (piece == nullptr) return {status_code::out_of_memory, {}};
    std::atomic<bool> failed{false};
    for (std::int64_t done = 0; done < shape_.m && !failed; done += rows_) {
      const std::int64_t first = std::min(done, shape_.m - rows_);
      if (!pack(t, first, *piece)) failed = true;
      const std::int64_t blocks = (shape_.n + columns_ - 1) / columns_;
#pragma omp parallel for num_threads(shape_.threads) schedule(dynamic)
      for (std::int64_t b = 0; b < blocks; ++b)
        if (!failed && !compute(t, first, done - first, b * columns_, piece->lanes[static_cast<std::size_t>(thread_number())])) failed = true;
    }
    pool_.give(std::move(piece));
    if (failed) return {status_code::internal, {}};
    return {};
  }

 private:
  memory::desc w_desc(memory::data_type type, std::int64_t stride) const { return rows_of(columns_, shape_.k, type, stride); }

  std::unique_ptr<run_memory> make_memory() const {
    const auto bytes = [](const memory::desc& desc) { return std::make_unique<aligned_bytes>(std::max<std::size_t>(desc.get_size(), 64)); };
    auto made = std::make_unique<run_memory>();
    made->packed_bytes = bytes(packed_desc_);
    made->packed = memory(packed_desc_, cpu_engine(), made->packed_bytes->data());
    made->scratchpad_bytes = bytes(pack_scratchpad_desc_);
    made->scratchpad = memory(pack_scratchpad_desc_, cpu_engine(), made->scratchpad_bytes->data());
    if (widens_) made->plain_bytes = bytes(plain_desc_);
    made->plain = memory(plain_desc_, cpu_engine(), widens_ ? made->plain_bytes->data() : nullptr);
    const auto sums_bytes = static_cast<std::size_t>(columns_ * padded_rows_) * sizeof(float);
    for (int i = 0; i < shape_.threads; ++i) {
      lane& l = made->lanes.emplace_back();
      const auto type = widens_ ? memory::data_type::f32 : memory::data_type::bf16;
      const memory::desc w = w_desc(type, widens_ ? shape_.k : shape_.ldw);
      if (widens_) l.widened_bytes = bytes(w);
      l.w = memory(w, cpu_engine(), widens_ ? l.widened_bytes->data() : nullptr);
      l.x = memory(packed_desc_, cpu_engine(), made->packed_bytes->data());
      l.sums_bytes = std::make_unique<aligned_bytes>(2 * sums_bytes + 64);  // the last vector of a chunk that overlaps may begin late
      for (std::size_t half = 0; half < 2; ++half)
        l.sums[half] = memory(rows_of(columns_, rows_, memory::data_type::f32, padded_rows_), cpu_engine(), l.sums_bytes->data() + half * sums_bytes);
      l.scratchpad_bytes = bytes(scratchpad_desc_);
      l.scratchpad = memory(scratchpad_desc_, cpu_engine(), l.scratchpad_bytes->data());
    }
    return made;
  }

  bool pack(const product_tensors& t, std::int64_t first, run_memory& mine) const noexcept {
    const std::uint16_t* x = t.x + first * shape_.ldx;
    if (widens_) {
      auto* plain = reinterpret_cast<float*>(mine.plain_bytes->data());
#pragma omp parallel for num_threads(shape_.threads) schedule(static)
      for (std::int64_t i = 0; i < rows_; ++i) {
        const std::uint16_t* row = x + i * shape_.ldx;
        kernels_.widen_rows(shape_.type, &row, 1, shape_.k, plain + i * shape_.k, shape_.k);
      }
    } else if (dnnl_memory_set_data_handle(mine.plain.get(), const_cast<std::uint16_t*>(x)) != dnnl_success) {
      return false;
    }
    return execute(pack_, mine.lanes[0].stream,
                   {{DNNL_ARG_FROM, mine.plain.get()}, {DNNL_ARG_TO, mine.packed.get()}, {DNNL_ARG_SCRATCHPAD, mine.scratchpad.get()}});
  }

  /// Rows from `skip` on and columns from `column` on are new.
  bool compute(const product_tensors& t, std::int64_t first, std::int64_t skip, std::int64_t column, lane& l) const noexcept {
    const std::int64_t from = std::min(column, shape_.n - columns_);
    const std::uint16_t* const halves[2] = {t.w.gate, t.w.up};
    for (std::size_t half = 0; half < static_cast<std::size_t>(shape_.halves()); ++half) {
      const std::uint16_t* w = halves[half] + from * t.w.row_stride;
      if (widens_) {
        auto* widened = reinterpret_cast<float*>(l.widened_bytes->data());
        for (std::int64_t j = 0; j < columns_; ++j) {
          const std::uint16_t* row = w + j * t.w.row_stride;
          kernels_.widen_rows(shape_.type, &row, 1, shape_.k, widened + j * shape_.k, shape_.k);
        }
      } else if (dnnl_memory_set_data_handle(l.w.get(), const_cast<std::uint16_t*>(w)) != dnnl_success) {
        return false;
      }
      const bool multiplied = execute(multiply_, l.stream,
                                      {{DNNL_ARG_SRC, l.w.get()},
                                       {DNNL_ARG_WEIGHTS, l.x.get()},
                                       {DNNL_ARG_DST, l.sums[half].get()},
                                       {DNNL_ARG_SCRATCHPAD, l.scratchpad.get()}});
      if (!multiplied) return false;
    }
    const finish_rule rule = rule_from(shape_, t, column);
    const auto* gate = reinterpret_cast<const float*>(l.sums_bytes->data()) + (column - from) * padded_rows_;
    const float* up = gate + columns_ * padded_rows_;
    const std::int64_t panel = std::int64_t{kernels_.lanes} * kernels_.panel_vectors;
    for (std::int64_t i = skip / kernels_.lanes * kernels_.lanes; i < rows_; i += panel) {
      const std::int64_t i0 = std::max(i, skip);  // loads of vectors may begin between multiples: they are unaligned ones
      const std::int64_t count = std::min(i + panel, rows_) - i0;
      std::uint16_t* y = t.y + (first + i0) * shape_.ldy + column;
      kernels_.finish_panel(rule, gate + i0, up + i0, padded_rows_, count, columns_ - (column - from), y, shape_.ldy);
    }
    return true;
  }

  product_shape shape_;
  const kernel_set& kernels_;
  bool widens_;  // to float32: fp16, and bf16 where oneDNN has no product of it on this machine
  std::int64_t rows_ = 0, padded_rows_ = 0, columns_ = 0;
  dnnl::matmul multiply_;
  dnnl::reorder pack_;
  memory::desc packed_desc_, plain_desc_, scratchpad_desc_, pack_scratchpad_desc_;
  mutable reuse_pool<run_memory> pool_;
};

/// Is there a product of bf16 on this machine?
bool multiplies_bf16() {
  static const bool answer = [] {
    try {
      const auto bf16 = memory::data_type::bf16;
      describe_product(rows_of(16, 16, bf16, 16), rows_of(16, 16, bf16, 16), rows_of(16, 16, memory::data_type::f32, 16));
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }();
  return answer;
}

}  // namespace

std::unique_ptr<product> make_onednn_blocked(const product_shape& shape, const kernel_set& kernels) try {
  if (shape.k == 0) return nullptr;  // oneDNN has no empty products
  return std::make_unique<onednn_blocked>(shape, kernels, shape.type != dtype::bf16 || !multiplies_bf16());
} catch (const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
  return nullptr;
}

}  // namespace tileglu::cpu
