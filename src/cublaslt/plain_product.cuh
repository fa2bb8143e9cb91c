// The product that is always right: any shape, any stride, any alignment, k = 0 included. Slow, and used where cuBLASLt has nothing.
#pragma once

#include "cublaslt/product.hpp"

namespace tileglu::cublaslt {

/// Load its code onto the current device, which a launch inside a graph capture may not do.
status prepare_plain_product(const product_shape& shape);

/// Queue it.
status launch_plain_product(const product_shape& shape, const product_pointers& at, stream_handle on);

}  // namespace tileglu::cublaslt
