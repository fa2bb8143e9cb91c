// The time of a Hopper row: a wave model over tiles, and a stream of weights.
#pragma once

#include "plan/cost.hpp"

namespace tileglu::plan_detail {

cost_estimate sm90_cost(const kernel_row& row, const problem& p, const device_facts& device);

}  // namespace tileglu::plan_detail
