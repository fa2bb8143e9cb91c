// Instantiates the paired kernel for the rows of one kind: what a file of instances/ consists of.
#pragma once

#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "plan/tables/paired_rows.hpp"
#include "sm90/paired/instances.hpp"
#include "sm90/paired/kernel.cuh"

namespace tileglu::sm90 {

/// A row as a type: nvcc 13.0 can't take the configuration itself as a template value of a __global__.
template <std::size_t Index>
struct paired_row {
  static constexpr paired_config config = std::get<paired_config>(plan_detail::paired_rows[Index].config);
};

/// `extent`: the rows of a tile; where operands are swapped, its columns.
constexpr bool is_kind(std::size_t index, schedule kind, int extent) {
  const auto& c = std::get<paired_config>(plan_detail::paired_rows[index].config);
  return c.schedule == kind && (c.is_swapped() ? c.pair_width : c.tile_rows()) == extent;
}

/// The rows of one kind, as indices.
template <schedule Kind, int Extent>
struct rows_of_kind {
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < plan_detail::paired_rows.size(); ++i) n += is_kind(i, Kind, Extent);
    return n;
  }();
  static constexpr std::array<std::size_t, count> rows = [] {
    std::array<std::size_t, count> chosen{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < plan_detail::paired_rows.size(); ++i)
      if (is_kind(i, Kind, Extent)) chosen[n++] = i;
    return chosen;
  }();
};

template <class Element, epilogue_kind Kind, std::size_t Row>
paired_instance instance() noexcept {
  const auto kernel = &paired_kernel<paired_row<Row>, Element, Kind>;
  return {Row, std::is_same_v<Element, __half> ? dtype::fp16 : dtype::bf16, Kind, reinterpret_cast<const void*>(kernel)};
}

template <class Element, class Rows, std::size_t... I>
std::span<const paired_instance> instances_of(std::index_sequence<I...>) noexcept {
  static const paired_instance all[] = {instance<Element, epilogue_kind::silu, Rows::rows[I]>()...,
                                        instance<Element, epilogue_kind::general, Rows::rows[I]>()...};
  return all;
}

template <class Element, schedule Kind, int Extent>
std::span<const paired_instance> paired_instances() noexcept {
  using rows = rows_of_kind<Kind, Extent>;
  return instances_of<Element, rows>(std::make_index_sequence<rows::count>{});
}

}  // namespace tileglu::sm90
