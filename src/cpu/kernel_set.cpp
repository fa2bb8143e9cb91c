#include "cpu/kernel_set.hpp"

namespace tileglu::cpu {

extern const kernel_set portable_kernels;  // simd/portable.cpp
#ifdef TILEGLU_X86_KERNELS
extern const kernel_set avx2_kernels;         // simd/avx2.cpp
extern const kernel_set avx512_kernels;       // simd/avx512.cpp
extern const kernel_set avx512_bf16_kernels;  // simd/avx512_bf16.cpp
#endif

namespace {

#ifdef TILEGLU_X86_KERNELS
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"); }
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}
#endif

}  // namespace

const kernel_set* find_kernel_set(std::string_view name) noexcept {
#ifdef TILEGLU_X86_KERNELS
  if (name == "avx512_bf16") return has_avx512() && __builtin_cpu_supports("avx512bf16") ? &avx512_bf16_kernels : nullptr;
  if (name == "avx512") return has_avx512() ? &avx512_kernels : nullptr;
  if (name == "avx2") return has_avx2() ? &avx2_kernels : nullptr;
#endif
  return name == "portable" ? &portable_kernels : nullptr;
}

const kernel_set& this_machine() noexcept {
  static const kernel_set& best = [] () -> const kernel_set& {
    for (const char* name : {"avx512_bf16", "avx512", "avx2"})
      if (const kernel_set* set = find_kernel_set(name)) return *set;
    return portable_kernels;
  }();
  return best;
}

}  // namespace tileglu::cpu
