// Plans by problem, kept for the life of the process: planning costs tens of microseconds, finding a plan again well under one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tileglu/plan.hpp"
#include "tileglu/status.hpp"

namespace tileglu::torch_extension {

/// What a plan depends on, beside the hardware.
struct plan_key {
  tileglu::problem problem;
  plan_options options;
  bool cuda = false;
  std::int32_t device_index = 0;  ///< of CUDA

  friend bool operator==(const plan_key&, const plan_key&) = default;
};

struct cached_plan {
  plan_key key;
  execution_plan plan;
  status outcome;  ///< of planning; an error where no kernel of the library computes the problem here
};

/// The plan for `key`, made (and prepared) where it is new. Thread-safe; never null.
std::shared_ptr<const cached_plan> find_plan(const plan_key& key);

}  // namespace tileglu::torch_extension
