// Facts of this machine.
#include "tileglu/device.hpp"

#include <string>

#include "backend/port.hpp"
#include "plan/device_presets.hpp"

namespace tileglu {

result<device_facts> device_by_name(std::string_view name) {
  if (name == "this") return this_device();
  return plan_detail::preset(name);
}

result<device_facts> this_cuda_device(int ordinal) {
  const cuda_services* cuda = find_cuda_services();
  if (cuda == nullptr) return status(status_code::not_available, "this build of tileglu has no CUDA backend: " TILEGLU_CUDA_REASON);
  return cuda->facts(ordinal);
}

device_facts this_device() {
  auto gpu = this_cuda_device(0);
  if (gpu && gpu->compute_capability >= 80) return *gpu;
  return this_cpu();
}

}  // namespace tileglu
