// May a plan run here? Plain host code, so that a machine without a GPU can test it.
#pragma once

#include "tileglu/device.hpp"
#include "tileglu/status.hpp"

namespace tileglu {

/// What a plan took from the facts of a CUDA device. The rest (name, bandwidth, cache) made its cost, which is an estimate anywhere.
enum class device_bond {
  capability_8,     ///< the portable path: products and one kernel that every device of compute capability 8.0 or more runs
  multiprocessors,  ///< the fused kernels: code for one compute capability, and a grid for a number of SMs
};

/// ok where what was planned for `planned` may run on `real`, be it made from a preset (h200) or from another machine's facts; else
/// wrong_device, which names both and what must agree.
status check_device(const device_facts& planned, const device_facts& real, device_bond bond);

}  // namespace tileglu
