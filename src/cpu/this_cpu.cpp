// What this machine's CPU offers.
#include <string>

#include "cpu/threads.hpp"
#include "tileglu/device.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__unix__)
#include <unistd.h>
#endif

namespace tileglu {
namespace {

#if defined(__x86_64__)
struct registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  registers r;
  if (!__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d)) return {};
  return r;
}

/// Leaf 7: EDX bit 22 is AMX-BF16, bit 24 its tiles. (Linux gives the tiles to a process that asks; oneDNN asks.)
bool has_amx_bf16() {
  const unsigned d = cpuid(7).d;
  return (d >> 22 & 1) && (d >> 24 & 1);
}

/// Leaves 0x80000002 to 4: the name, 48 bytes.
std::string brand() {
  std::string text;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const registers r = cpuid(leaf);
    for (const unsigned word : {r.a, r.b, r.c, r.d})
      for (int byte = 0; byte < 4; ++byte)
        if (const char c = static_cast<char>(word >> (8 * byte) & 0xff); c != 0) text += c;
  }
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "cpu" : text.substr(begin, end - begin + 1);
}
#endif

std::int64_t l2_bytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) return bytes;
#endif
  return 1 << 20;
}

}  // namespace

device_facts this_cpu() {
  device_facts d;
  d.kind = device_kind::cpu;
  d.threads = cpu::available_threads();
#if defined(__x86_64__)
  d.name = brand();
  d.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  d.avx512_bf16 = __builtin_cpu_supports("avx512bf16");
  d.amx_bf16 = has_amx_bf16();
#endif
  d.cache_bytes = l2_bytes();
#ifdef TILEGLU_HAS_ONEDNN
  d.onednn = true;
#endif
  return d;
}

}  // namespace tileglu
