// The bare product that every ratio of a benchmark is against: D[m,n] = X[m,k] W[n,k]^T, no activation. For the gated product
// n is 2N and W the stacked weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tileglu/device.hpp"
#include "tileglu/export.h"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu {

/// cuBLASLt's product on a CUDA device, oneDNN's on a CPU, as their own heuristics choose it. Dense row-major matrices of one type.
class TILEGLU_API bare_product {
 public:
  /// Plans and prepares. Errors: invalid_argument (a size below 0 or too large), not_available (no such library or device).
  static result<bare_product> make(const device_facts& device, dtype type, std::int64_t m, std::int64_t n, std::int64_t k);

  /// Bytes that run() must be handed, 256-byte aligned.
  std::size_t workspace_bytes() const noexcept;

  /// Queue it on a CUDA stream; on the CPU it is done at the return. Neither allocates nor synchronises.
  status run(const void* x, const void* w, void* d, void* workspace, std::size_t workspace_bytes, stream_handle stream = nullptr) const noexcept;

 private:
  struct state;
  std::shared_ptr<const state> state_;
};

}  // namespace tileglu
