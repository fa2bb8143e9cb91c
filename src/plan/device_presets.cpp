#include "plan/device_presets.hpp"

#include <string>

namespace tileglu::plan_detail {
namespace {

// Vendor datasheets, but the H200's bandwidth: 4.18e12 B/s read, measured on an NVIDIA H200 (2026-11-29). The H100's is
// scaled from its datasheet by the same share (0.87).
device_facts h200() {
  device_facts d;
  d.kind = device_kind::cuda;
  d.name = "NVIDIA H200";
  d.compute_capability = 90;
  d.sm_count = 132;
  d.l2_bytes = 60 << 20;
  d.shared_bytes_per_block = 232448;
  d.driver_version = 13000;
  d.memory_bytes_per_second = 4.18e12;
  d.sm90_kernels_built = true;
  return d;
}

device_facts h100() {
  device_facts d = h200();
  d.name = "NVIDIA H100 80GB HBM3";
  d.l2_bytes = 50 << 20;
  d.memory_bytes_per_second = 2.9e12;
  return d;
}

device_facts a100() {
  device_facts d = h200();
  d.name = "NVIDIA A100-SXM4-80GB";
  d.compute_capability = 80;
  d.sm_count = 108;
  d.l2_bytes = 40 << 20;
  d.shared_bytes_per_block = 166912;
  d.memory_bytes_per_second = 1.75e12;
  return d;
}

device_facts none() {
  device_facts d;
  d.name = "a CPU with AVX2";
  d.threads = 8;
  d.avx2 = true;
  d.cache_bytes = 1 << 20;
  return d;
}

}  // namespace

result<device_facts> preset(std::string_view name) {
  if (name == "h100") return h100();
  if (name == "h200") return h200();
  if (name == "a100") return a100();
  if (name == "none") return none();
  return status(status_code::invalid_argument,
                "device is '" + std::string(name) + "'; allowed are this, cpu, cuda, cuda:N, h100, h200, a100 and none");
}

}  // namespace tileglu::plan_detail
