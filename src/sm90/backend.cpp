// The fused Hopper kernels as a backend: find the row's launcher, check the device, launch.
#include <array>
#include <string>

#include "backend/port.hpp"
#include "plan/config/kernel_row.hpp"
#include "sm90/driver.hpp"
#include "sm90/launch.hpp"

namespace tileglu {
namespace {

constexpr std::array families = {sm90::decode_launchers, sm90::paired_launchers};

const sm90::launcher* find_launcher(std::string_view row) noexcept {
  for (const auto family : families)
    for (const sm90::launcher& l : family())
      if (l.row == row) return &l;
  return nullptr;
}

constexpr int oldest_driver = 13000;

std::string version_words(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

std::string missing() {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) return "no CUDA driver is installed";
  if (driver < oldest_driver) return "the driver is of CUDA " + version_words(driver) + "; allowed are CUDA " + version_words(oldest_driver) + " and newer";
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    cudaGetLastError();
    return "this machine has no CUDA device";
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal);
    if (major == 9 && minor == 0) return {};
  }
  return "no device of this machine has compute capability 9.0; sm_90a code runs nowhere else";
}

/// Is the current device the one the plan was made for?
status check_device(const execution_plan& plan) {
  int current = -1;
  if (const cudaError_t error = cudaGetDevice(&current); error != cudaSuccess)
    return {status_code::device_error, std::string("cudaGetDevice failed: ") + cudaGetErrorString(error)};
  if (current == plan.device.ordinal) return {};
  return {status_code::wrong_device, "the plan is for CUDA device " + std::to_string(plan.device.ordinal) + ", and the current device is " + std::to_string(current)};
}

status prepare(const execution_plan& plan, prepared_plan& out) {
  if (status s = check_device(plan); !s.ok()) return s;
  int major = 0, minor = 0, sm_count = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, plan.device.ordinal);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, plan.device.ordinal);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, plan.device.ordinal);
  if (major * 10 + minor != plan.device.compute_capability || sm_count != plan.device.sm_count)
    return {status_code::wrong_device, "the plan is for " + plan.device.name + " (compute capability " + std::to_string(plan.device.compute_capability) + ", " +
                                           std::to_string(plan.device.sm_count) + " SMs), and device " + std::to_string(plan.device.ordinal) +
                                           " of this machine has compute capability " + std::to_string(major * 10 + minor) + ", " + std::to_string(sm_count) + " SMs"};
  const sm90::launcher* found = find_launcher(plan.row);
  if (found == nullptr) return {status_code::not_available, "row " + plan.row + " has no kernel in this build of tileglu"};
  if (status s = found->prepare(plan); !s.ok()) return s;
  out.state = std::shared_ptr<void>(const_cast<sm90::launcher*>(found), [](void*) {});  // static storage: nothing to free
  return {};
}

status run(const execution_plan& plan, const prepared_plan& prepared, const tensors& t, stream_handle stream) noexcept try {
  if (status s = check_device(plan); !s.ok()) return s;
  return static_cast<const sm90::launcher*>(prepared.state.get())->launch(plan, t, stream);
} catch (...) {
  return {status_code::device_error, {}};
}

}  // namespace

extern const backend sm90_backend{backend_id::sm90, "fused kernels for Hopper (sm_90a)", missing, prepare, run};

}  // namespace tileglu
