// AVX-512 with BF16: 32 registers of 16 floats, and two bf16 products added to a float32 sum in one instruction (which treats
// subnormal inputs and results as zero).
#include <immintrin.h>

#include "cpu/simd/make_kernel_set.hpp"

namespace tileglu::cpu {
namespace {

struct avx512_bf16 : vector_isa<avx512_bf16, 16> {
  static constexpr bool has_dot_pairs = true;
  static constexpr int panel_vectors = 4;
  static constexpr int columns_of(int vectors) { return vectors == 1 ? 12 : vectors == 2 ? 12 : vectors == 3 ? 8 : 6; }
  static f dot_pairs(f sum, f x, f w) { return (f)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)w); }
  static f fp16_to_float(h bits) { return (f)_mm512_cvtph_ps((__m256i)bits); }
  static h float_to_fp16(f value) { return (h)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
};

}  // namespace

extern const kernel_set avx512_bf16_kernels = make_kernel_set<avx512_bf16>("avx512_bf16");

}  // namespace tileglu::cpu
