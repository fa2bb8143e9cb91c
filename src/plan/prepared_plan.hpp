// The slot of a plan that prepare() fills once; copies of the plan share it.
#pragma once

#include <memory>
#include <mutex>

#include "tileglu/status.hpp"

namespace tileglu {

struct prepared_plan {
  std::once_flag once;
  status outcome;               ///< of the one call to backend::prepare
  std::shared_ptr<void> state;  ///< the backend's own; null where it needs none
};

}  // namespace tileglu
