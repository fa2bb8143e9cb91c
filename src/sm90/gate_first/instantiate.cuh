// Instantiates the gate_first kernel for every row: what a file of instances/ consists of.
#pragma once

#include <utility>
#include <variant>

#include "sm90/gate_first/instances.hpp"
#include "sm90/gate_first/kernel.cuh"

namespace tileglu::sm90::gate_first {

/// A row as a type: nvcc 13.0 can't take the configuration itself as a template value of a __global__.
template <std::size_t Index>
struct row {
  static constexpr gate_first_config config = std::get<gate_first_config>(plan_detail::gate_first_rows[Index].config);
  static_assert(is_buildable(config));
};

/// A function of its own: GCC can't expand a pack inside the kernel names that nvcc writes for it.
template <class Row, class Element, bool General>
const void* address() noexcept {
  return reinterpret_cast<const void*>(&kernel<Row, Element, General>);
}

template <class Element, std::size_t... Index>
kernel_table instantiate(std::index_sequence<Index...>) noexcept {
  return {{{address<row<Index>, Element, false>(), address<row<Index>, Element, true>()}...}};
}

template <class Element>
kernel_table instantiate() noexcept {
  return instantiate<Element>(std::make_index_sequence<plan_detail::gate_first_rows.size()>{});
}

}  // namespace tileglu::sm90::gate_first
