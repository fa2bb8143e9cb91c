// The whole MLP: Z = (act(X Wg^T) * (X Wu^T)) Wd^T.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tileglu/export.h"
#include "tileglu/plan.hpp"
#include "tileglu/run.hpp"

namespace tileglu {

/// A gated product and its down projection. Y [m, n] lives in the workspace.
struct mlp_problem {
  problem gate_up;             ///< its ldy is the library's to choose: leave it 0
  std::int64_t hidden_out = 0;  ///< columns of Z
  std::int64_t ldd = 0;         ///< elements from one row of Wd [hidden_out, n] to the next, 0: dense
  std::int64_t ldz = 0;         ///< elements from one row of Z [m, hidden_out] to the next, 0: dense
  bool down_bias = false;

  friend bool operator==(const mlp_problem&, const mlp_problem&) = default;
};

struct prepared_mlp;

struct mlp_plan {
  mlp_problem problem;
  execution_plan gate_up;
  std::size_t workspace = 0;  ///< bytes, with Y
  std::shared_ptr<prepared_mlp> prepared;
};

struct mlp_tensors {
  tensors gate_up;                 ///< its y and workspace are ignored
  const void* w_down = nullptr;    ///< [hidden_out, n]
  const void* bias_down = nullptr;  ///< [hidden_out], where down_bias
  void* z = nullptr;               ///< [m, hidden_out]
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

TILEGLU_API result<mlp_plan> plan(const mlp_problem& p, const device_facts& device, const plan_options& options = {});
TILEGLU_API status prepare(const mlp_plan& plan);
/// The same promises as run(execution_plan).
TILEGLU_API status run(const mlp_plan& plan, const mlp_tensors& t, stream_handle stream = nullptr) noexcept;

}  // namespace tileglu
