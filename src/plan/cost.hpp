// What a row costs on a device: the model behind the planner's choice.
#pragma once

#include <string>

#include "plan/config/kernel_row.hpp"

namespace tileglu::plan_detail {

struct cost_estimate {
  double us = 0;
  int split = 1;
  int raster_group = 1;
  std::size_t workspace = 0;
  std::string reason;  ///< what the time consists of
};

/// The estimate of a row that is not refused.
cost_estimate estimate(const kernel_row& row, const problem& p, const device_facts& device);

}  // namespace tileglu::plan_detail
