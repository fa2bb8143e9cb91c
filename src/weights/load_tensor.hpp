// A stored tensor as elements of a 2-byte type: a view where it is one, else a rounded copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tileglu/safetensors.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu::weights {

/// Memory that a set of loaded tensors needs besides the mapped file.
using owned_copies = std::vector<std::vector<std::uint16_t>>;

/// Elements of `tensor` (BF16, F16 or F32) as `type`; no element may be a NaN or an infinity. `file` is for errors.
result<const std::uint16_t*> load_tensor(const stored_tensor& tensor, dtype type, const std::string& file, owned_copies& copies);

}  // namespace tileglu::weights
