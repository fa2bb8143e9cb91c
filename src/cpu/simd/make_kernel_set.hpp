// The table of functions of one instruction set, instantiated in that set's source file.
#pragma once

#include "cpu/kernel_set.hpp"
#include "cpu/simd/epilogue.hpp"
#include "cpu/simd/stream.hpp"
#include "cpu/simd/tile.hpp"

namespace tileglu::cpu {

template <class Isa>
constexpr kernel_set make_kernel_set(const char* name) {
  return {name,         Isa::lanes,        Isa::panel_vectors, Isa::has_dot_pairs, pack_panel<Isa>, widen_rows<Isa>,
          product<Isa>, finish_panel<Isa>, finish_row<Isa>,    finish_stored<Isa>, stage_row<Isa>,  stream_two<Isa>};
}

}  // namespace tileglu::cpu
