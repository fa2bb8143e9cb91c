// Facts about a device, as plain values: the planner sees nothing else of the hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tileglu/export.h"
#include "tileglu/status.hpp"

namespace tileglu {

enum class device_kind : std::int32_t { cpu = 0, cuda = 1 };

/// What a plan may depend on. An H100, an H200 and a machine with no GPU are three such values.
struct device_facts {
  device_kind kind = device_kind::cpu;
  std::string name = "cpu";
  int ordinal = 0;  ///< CUDA device number

  // CUDA
  int compute_capability = 0;  ///< 90 for sm_90
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  ///< the opt-in limit
  int driver_version = 0;                   ///< as cuDriverGetVersion: 13000 for CUDA 13.0
  double memory_bytes_per_second = 0;       ///< sustained read bandwidth
  bool sm90_kernels_built = false;          ///< this build holds sm_90a code

  // CPU
  int threads = 1;
  bool avx2 = false;
  bool avx512_bf16 = false;
  bool amx_bf16 = false;
  std::int64_t cache_bytes = 0;  ///< private cache of a core (L2)
  bool onednn = false;           ///< this build has oneDNN

  friend bool operator==(const device_facts&, const device_facts&) = default;
};

/// Facts by name: "this" (the best device of this machine), "cpu", "cuda", "cuda:1" (of this machine); "h100", "h200", "a100" or
/// "none" (a machine with no GPU) to plan for a machine that is not here.
TILEGLU_API result<device_facts> device_by_name(std::string_view name);

/// The CPU of this machine, with the threads that OpenMP would use.
TILEGLU_API device_facts this_cpu();

/// CUDA device `ordinal` of this machine; not_available says why there is none.
TILEGLU_API result<device_facts> this_cuda_device(int ordinal = 0);

/// The best device of this machine: the first CUDA device of compute capability >= 8.0, else the CPU.
TILEGLU_API device_facts this_device();

}  // namespace tileglu
