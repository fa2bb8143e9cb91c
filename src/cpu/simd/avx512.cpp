// AVX-512: 32 registers of 16 floats.
#include <immintrin.h>

#include "cpu/simd/make_kernel_set.hpp"

namespace tileglu::cpu {
namespace {

struct avx512 : vector_isa<avx512, 16> {
  static constexpr bool has_dot_pairs = false;
  static constexpr int panel_vectors = 4;
  static constexpr int columns_of(int vectors) { return vectors == 1 ? 12 : vectors == 2 ? 12 : vectors == 3 ? 8 : 6; }
  static f fp16_to_float(h bits) { return (f)_mm512_cvtph_ps((__m256i)bits); }
  static h float_to_fp16(f value) { return (h)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
};

}  // namespace

extern const kernel_set avx512_kernels = make_kernel_set<avx512>("avx512");

}  // namespace tileglu::cpu
