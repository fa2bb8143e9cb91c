// Facts of this machine.
#include "tileglu/device.hpp"

#include <charconv>
#include <string>

#include "backend/port.hpp"
#include "plan/device_presets.hpp"

namespace tileglu {

result<device_facts> device_by_name(std::string_view name) {
  if (name == "this") return this_device();
  if (name == "cpu") return this_cpu();
  if (name == "cuda") return this_cuda_device(0);
  if (constexpr std::string_view prefix = "cuda:"; name.substr(0, prefix.size()) == prefix) {
    int ordinal = -1;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + prefix.size(), end, ordinal);
    if (parsed.ec == std::errc{} && parsed.ptr == end && ordinal >= 0) return this_cuda_device(ordinal);
  }
  return plan_detail::preset(name);
}

result<device_facts> this_cuda_device(int ordinal) {
  const cuda_services* cuda = find_cuda_services();
  if (cuda == nullptr) return status(status_code::not_available, "this build of tileglu has no CUDA backend: " TILEGLU_CUDA_REASON);
  auto facts = cuda->facts(ordinal);
  if (facts) facts->sm90_kernels_built = find_backend(backend_id::sm90) != nullptr;
  return facts;
}

device_facts this_device() {
  auto gpu = this_cuda_device(0);
  if (gpu && gpu->compute_capability >= 80) return *gpu;
  return this_cpu();
}

}  // namespace tileglu
