// The baseline: gate whole, up whole, then the activation, as three separate calls would do it.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/product.hpp"

namespace tileglu::cpu {

class unfused {
 public:
  virtual ~unfused() = default;
  /// `workspace`: 2 * m * n elements, for gate and up.
  virtual status run(const product_tensors& t, std::uint16_t* workspace) const noexcept = 0;
};

/// By the backend's own plain products.
std::shared_ptr<unfused> make_unfused(const product_shape& shape, const kernel_set& kernels);

/// Its last step: y = act(gate) * up of stored, dense gate and up.
void activate(const product_shape& shape, const kernel_set& kernels, const std::uint16_t* gate, const std::uint16_t* up, std::uint16_t* y) noexcept;

}  // namespace tileglu::cpu
