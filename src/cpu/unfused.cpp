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
    const finish_rule rule{shape_.type, shape_.mode, shape_.act, true, nullptr, nullptr};
#pragma omp parallel for num_threads(shape_.threads) schedule(static)
    for (std::int64_t i = 0; i < shape_.m; ++i) kernels_.finish_stored(rule, gate + i * shape_.n, up + i * shape_.n, shape_.n, t.y + i * shape_.ldy);
    return {};
  }

 private:
  product_shape shape_;
  const kernel_set& kernels_;
  std::unique_ptr<product> half_;
};

}  // namespace

std::shared_ptr<unfused> make_unfused(const product_shape& shape) { return std::make_shared<by_products>(shape, this_machine()); }

}  // namespace tileglu::cpu
