// Facts about the CUDA devices of this machine.
#pragma once

#include "tileglu/device.hpp"

namespace tileglu::cuda {

/// What the driver says about device `ordinal`; not_available where there is no driver, no device, or none of that number.
result<device_facts> device_of(int ordinal);

}  // namespace tileglu::cuda
