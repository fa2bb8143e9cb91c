// The part of an MLP plan that its public header does not show.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "backend/port.hpp"
#include "tileglu/mlp.hpp"

namespace tileglu {

struct prepared_mlp {
  // Made by plan().
  const backend* down_by = nullptr;  ///< null where this build has none for the device
  linear_problem down;
  std::size_t y_bytes = 0;  ///< Y comes first in the workspace; what follows serves gate-up, then down
  std::size_t down_workspace = 0;

  // Made by prepare(), once.
  std::once_flag once;
  status outcome;
  std::shared_ptr<void> down_state;
};

}  // namespace tileglu
