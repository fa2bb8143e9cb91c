// The fused Hopper kernels as a backend: find the row's launcher, check the device, launch.
#include <array>
#include <string>

#include "backend/port.hpp"
#include "cuda/check.hpp"
#include "plan/config/kernel_row.hpp"
#include "sm90/driver.hpp"
#include "sm90/launch.hpp"

namespace tileglu {
namespace {

constexpr std::array families = {sm90::decode_launchers, sm90::paired_launchers, sm90::gate_first_launchers, sm90::interleaved_launchers};

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
  if (driver < oldest_driver)
    return "the driver is of CUDA " + version_words(driver) + "; allowed are CUDA " + version_words(oldest_driver) + " and newer";
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

status prepare(const execution_plan& plan, prepared_plan& out) {
  if (status s = cuda::check_device_of(plan.device, device_bond::multiprocessors); !s.ok()) return s;
  const cuda::current_device device(plan.device.ordinal);
  if (!device.outcome().ok()) return device.outcome();
  const sm90::launcher* found = find_launcher(plan.row);
  if (found == nullptr) return {status_code::not_available, "row " + plan.row + " has no kernel in this build of tileglu"};
  if (status s = found->prepare(plan); !s.ok()) return s;
  out.state = std::shared_ptr<void>(const_cast<sm90::launcher*>(found), [](void*) {});  // static storage: nothing to free
  return {};
}

status run(const execution_plan& plan, const prepared_plan& prepared, const tensors& t, stream_handle stream) noexcept try {
  if (status s = cuda::ready_to_launch(plan.device, stream); !s.ok()) return s;
  return static_cast<const sm90::launcher*>(prepared.state.get())->launch(plan, t, stream);
} catch (...) {
  return {status_code::device_error, {}};
}

}  // namespace

extern const backend sm90_backend{backend_id::sm90, "fused kernels for Hopper (sm_90a)", missing, prepare, run};

}  // namespace tileglu
