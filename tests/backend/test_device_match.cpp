// Which device a plan may run on, as values: presets, other machines' facts, a GPU that is another one.
#include <gtest/gtest.h>

#include "backend/device_match.hpp"

namespace tileglu {
namespace {

/// A GPU of this machine as the runtime describes it: what a preset cannot know differs.
device_facts real_h200() {
  device_facts d = *device_by_name("h200");
  d.name = "NVIDIA H200 of this machine";
  d.l2_bytes -= 1 << 20;
  d.driver_version = 13010;
  d.memory_bytes_per_second = 4.28e12;
  return d;
}

TEST(DeviceMatch, APresetOfTheGpuThatIsThereRunsEveryKernel) {
  for (const char* preset : {"h200", "h100"})  // the H100 SXM has the same SMs
    for (const device_bond bond : {device_bond::capability_8, device_bond::multiprocessors}) {
      const status s = check_device(*device_by_name(preset), real_h200(), bond);
      EXPECT_TRUE(s.ok()) << preset << ": " << s.text();
    }
}

TEST(DeviceMatch, ThePortablePathNeedsNoMoreThanACapability) {
  device_facts real = real_h200();
  EXPECT_TRUE(check_device(*device_by_name("a100"), real, device_bond::capability_8).ok());
  real.sm_count = 114;
  EXPECT_TRUE(check_device(*device_by_name("h200"), real, device_bond::capability_8).ok());
  real.compute_capability = 75;
  const status s = check_device(*device_by_name("h200"), real, device_bond::capability_8);
  EXPECT_EQ(s.code(), status_code::wrong_device);
  const char* words = "compute capability 7.5, 114 SMs); allowed is a CUDA device of compute capability 8.0 or more";
  EXPECT_NE(s.text().find(words), std::string::npos) << s.text();
}

TEST(DeviceMatch, FusedKernelsNeedTheSameSMs) {
  device_facts real = real_h200();
  real.sm_count = 114;  // an H100 PCIe
  status s = check_device(*device_by_name("h200"), real, device_bond::multiprocessors);
  EXPECT_EQ(s.code(), status_code::wrong_device);
  for (const char* words :
       {"made for NVIDIA H200 (compute capability 9.0, 132 SMs)", "device 0 is NVIDIA H200 of this machine", "114 SMs", "as many SMs"})
    EXPECT_NE(s.text().find(words), std::string::npos) << s.text();
  real.sm_count = 132, real.compute_capability = 100;
  EXPECT_EQ(check_device(*device_by_name("h200"), real, device_bond::multiprocessors).code(), status_code::wrong_device);
}

TEST(DeviceMatch, ACpuIsNoGpu) {
  for (const device_bond bond : {device_bond::capability_8, device_bond::multiprocessors}) {
    EXPECT_EQ(check_device(*device_by_name("none"), real_h200(), bond).code(), status_code::wrong_device);
    EXPECT_EQ(check_device(*device_by_name("none"), *device_by_name("none"), bond).code(), status_code::wrong_device);
  }
}

}  // namespace
}  // namespace tileglu
