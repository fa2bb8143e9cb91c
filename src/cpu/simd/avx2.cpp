// AVX2 with FMA and F16C: 16 registers of 8 floats.
#include <immintrin.h>

#include "cpu/simd/make_kernel_set.hpp"

namespace tileglu::cpu {
namespace {

struct avx2 : vector_isa<avx2, 8> {
  static constexpr bool has_dot_pairs = false;
  static constexpr int panel_vectors = 2;
  static constexpr int columns_of(int vectors) { return vectors == 1 ? 12 : 6; }
  static f fp16_to_float(h bits) { return (f)_mm256_cvtph_ps((__m128i)bits); }
  static h float_to_fp16(f value) { return (h)_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
};

}  // namespace

extern const kernel_set avx2_kernels = make_kernel_set<avx2>("avx2");

}  // namespace tileglu::cpu
