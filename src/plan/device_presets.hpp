// Devices by name, as values.
#pragma once

#include <string_view>

#include "tileglu/device.hpp"

namespace tileglu::plan_detail {

/// "h100", "h200", "a100", "none"; the error lists them. "this" is the facade's to answer: it needs hardware.
result<device_facts> preset(std::string_view name);

}  // namespace tileglu::plan_detail
