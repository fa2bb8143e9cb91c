// Any machine: vectors of 4 floats, which every 64-bit target of GCC and Clang has.
#include "cpu/simd/make_kernel_set.hpp"

namespace tileglu::cpu {
namespace {

struct portable : vector_isa<portable, 4> {
  static constexpr bool has_dot_pairs = false;
  static constexpr int panel_vectors = 2;
  static constexpr int columns_of(int vectors) { return vectors == 1 ? 12 : 6; }
};

}  // namespace

extern const kernel_set portable_kernels = make_kernel_set<portable>("portable");

}  // namespace tileglu::cpu
