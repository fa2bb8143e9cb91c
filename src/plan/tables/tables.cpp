#include "plan/tables/tables.hpp"

#include <array>

#include "plan/tables/row_timings.hpp"
#include "plan/tables/sm90_rows.hpp"

namespace tileglu {

std::string_view name(kernel_family family) noexcept {
  switch (family) {
    case kernel_family::oracle: return "oracle";
    case kernel_family::cpu_stream: return "cpu_stream";
    case kernel_family::cpu_blocked: return "cpu_blocked";
    case kernel_family::cpu_onednn: return "cpu_onednn";
    case kernel_family::cpu_unfused: return "cpu_unfused";
    case kernel_family::cuda_portable: return "portable";
    case kernel_family::gate_first: return "gate_first";
    case kernel_family::interleaved: return "interleaved";
    case kernel_family::paired: return "paired";
    case kernel_family::decode: return "decode";
  }
  return "unknown kernel";
}

namespace plan_detail {
namespace {

constexpr std::array general_rows = {
    kernel_row{"cpu_stream", kernel_family::cpu_stream, backend_id::cpu, {}, "each weight is read once: few rows are bound by memory"},
    kernel_row{"cpu_blocked", kernel_family::cpu_blocked, backend_id::cpu, {}, "blocks that stay in cache, weights read in place"},
    kernel_row{"cpu_onednn", kernel_family::cpu_onednn, backend_id::cpu, {}, "oneDNN products of blocks that stay in cache"},
    kernel_row{"cpu_unfused", kernel_family::cpu_unfused, backend_id::cpu, {}, "the baseline: gate whole, up whole, then the activation"},
    kernel_row{"portable", kernel_family::cuda_portable, backend_id::cuda_portable, {}, "cuBLASLt, then one activation kernel"},
    kernel_row{"oracle", kernel_family::oracle, backend_id::oracle, {}, "the reference: float64, never chosen unless asked for"},
};

/// The row with its measured cost and the evidence for it, where there are such.
constexpr kernel_row with_timing(kernel_row row) {
  for (const measured_row& measured : row_timings)
    if (measured.row == row.name) {
      row.timing = measured.timing;
      row.evidence = measured.evidence;
    }
  return row;
}

constexpr auto all_rows = [] {
  std::array<kernel_row, sm90_rows.size() + general_rows.size()> all{};
  std::size_t i = 0;
  for (const kernel_row& row : sm90_rows) all[i++] = with_timing(row);
  for (const kernel_row& row : general_rows) all[i++] = row;
  return all;
}();

}  // namespace

std::span<const kernel_row> rows() noexcept { return all_rows; }

const kernel_row* find_row(std::string_view name) noexcept {
  for (const kernel_row& row : all_rows)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace plan_detail

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const kernel_row& row : plan_detail::rows()) names.emplace_back(row.name);
  return names;
}

}  // namespace tileglu
