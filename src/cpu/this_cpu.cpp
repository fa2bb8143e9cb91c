// What this machine's CPU offers.
#include <thread>

#include "tileglu/device.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tileglu {

device_facts this_cpu() {
  device_facts d;
  d.kind = device_kind::cpu;
  d.name = "cpu";
#ifdef _OPENMP
  d.threads = omp_get_max_threads();
#else
  d.threads = static_cast<int>(std::thread::hardware_concurrency());
#endif
#if defined(__x86_64__)
  d.avx2 = __builtin_cpu_supports("avx2");
  d.avx512_bf16 = __builtin_cpu_supports("avx512bf16");
#endif
  d.cache_bytes = 1 << 20;
  return d;
}

}  // namespace tileglu
