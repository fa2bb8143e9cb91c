// The CPU's products on oneDNN. Only in builds that have it (TILEGLU_HAS_ONEDNN).
#pragma once

#include <memory>

#include "cpu/product.hpp"
#include "cpu/unfused.hpp"

namespace tileglu::cpu {

/// Any m: blocks of columns whose sums are finished in cache. Throws std::bad_alloc; null where oneDNN can't compute the shape.
std::unique_ptr<product> make_onednn_blocked(const product_shape& shape, const kernel_set& kernels);

/// Gate whole, up whole by oneDNN's own parallel product, as a framework calls it, then the activation. Null where oneDNN can't.
std::shared_ptr<unfused> make_onednn_unfused(const product_shape& shape, const kernel_set& kernels, bool bias);

}  // namespace tileglu::cpu
