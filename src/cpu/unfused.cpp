#include "cpu/unfused.hpp"

namespace tileglu::cpu {
namespace {

/// Gate and up are rounded when they are stored, as with match_unfused; with fp32_through act(gate) then stays float32.
class by_products final : public unfused {
 public:
  by_products(const product_shape& shape, const kernel_set& kernels) : shape_(shape), kernels_(kernels) {
    product_shape half = shape;
    half.pair = false;
    half.ldy = shape.n;
    half_ = shape.m <= stream_most_rows ? make_stream(half, kernels) : make_blocked(half, kernels);
  }

  status run(const product_tensors& t, std::uint16_t* workspace) const noexcept override {
    std::uint16_t* gate = workspace;
    std::uint16_t* up = workspace + shape_.m * shape_.n;
    if (status s = half_->run({t.x, {t.w.gate, nullptr, t.w.row_stride}, t.bias_gate, nullptr, gate}); !s.ok()) return s;
    if (status s = half_->run({t.x, {t.w.up, nullptr, t.w.row_stride}, t.bias_up, nullptr, up}); !s.ok()) return s;
    activate(shape_, kernels_, gate, up, t.y);
    return {};
  }

 private:
  product_shape shape_;
  const kernel_set& kernels_;
  std::unique_ptr<product> half_;
};

}  // namespace

void activate(const product_shape& shape, const kernel_set& kernels, const std::uint16_t* gate, const std::uint16_t* up, std::uint16_t* y) noexcept {
  const finish_rule rule{shape.type, shape.mode, shape.act, true, nullptr, nullptr};
  // By pieces of rows, so that one row of many columns is shared too.
  constexpr std::int64_t piece = 1024;
  const std::int64_t pieces = (shape.n + piece - 1) / piece;
#pragma omp parallel for num_threads(shape.threads) schedule(static)
  for (std::int64_t at = 0; at < shape.m * pieces; ++at) {
    const std::int64_t i = at / pieces, j = at % pieces * piece;
    kernels.finish_stored(rule, gate + i * shape.n + j, up + i * shape.n + j, shape.n - j < piece ? shape.n - j : piece, y + i * shape.ldy + j);
  }
}

std::shared_ptr<unfused> make_unfused(const product_shape& shape, const kernel_set& kernels) { return std::make_shared<by_products>(shape, kernels); }

}  // namespace tileglu::cpu
