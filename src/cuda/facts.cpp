#include "cuda/facts.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include "cuda/check.hpp"

namespace tileglu::cuda {
namespace {

/// What HBM and GDDR sustain of clock x width: 4.28e12 of 4.92e12 bytes/s on an H200 (read and write together, 2026-11-29).
constexpr double sustained_share = 0.87;

status not_available(std::string why) { return {status_code::not_available, "no CUDA device can be used: " + std::move(why)}; }

status check_ordinal(int ordinal) {
  int driver = 0;
  // 0 means that there is no driver library at all, which cudaGetDeviceCount reports as one that is too old.
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return not_available("this machine has no NVIDIA driver (libcuda.so.1)");
  int count = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&count); e != cudaSuccess) {
    (void)cudaGetLastError();
    if (e == cudaErrorInsufficientDriver)
      return not_available("the NVIDIA driver knows CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
                           "; needed is " + std::to_string(CUDART_VERSION / 1000) + ".0 or newer");
    return not_available(std::string(cudaGetErrorName(e)) + " (" + cudaGetErrorString(e) + ")");
  }
  if (count == 0) return not_available("the driver sees none");
  if (ordinal < 0 || ordinal >= count)
    return not_available("device is " + std::to_string(ordinal) + "; allowed are 0 to " + std::to_string(count - 1));
  return {};
}

}  // namespace

result<device_facts> device_of(int ordinal) {
  if (status s = check_ordinal(ordinal); !s.ok()) return s;
  device_facts d;
  d.kind = device_kind::cuda;
  d.ordinal = ordinal;
  status failed;
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    if (status s = check(cudaDeviceGetAttribute(&value, which, ordinal), "cudaDeviceGetAttribute"); !s.ok() && failed.ok()) failed = s;
    return value;
  };
  d.compute_capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  d.sm_count = attribute(cudaDevAttrMultiProcessorCount);
  d.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  d.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const double kilohertz = attribute(cudaDevAttrMemoryClockRate), bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  d.memory_bytes_per_second = sustained_share * 2 * kilohertz * 1e3 * bits / 8;  // two transfers a clock
  if (!failed.ok()) return failed;
  if (status s = check(cudaDriverGetVersion(&d.driver_version), "cudaDriverGetVersion"); !s.ok()) return s;
  cudaDeviceProp properties{};
  if (status s = check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties"); !s.ok()) return s;
  d.name = properties.name;
  return d;
}

}  // namespace tileglu::cuda
