#include "made_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "memory_left.hpp"

namespace tileglu::cli {
namespace {

constexpr std::int64_t guard = 128;  // elements: 256 bytes keep y aligned
constexpr std::uint16_t mark = 0xA5C3;

constexpr std::uint16_t nan_of(dtype type) { return type == dtype::bf16 ? 0x7fc1 : 0x7e01; }

std::uint64_t mix(std::uint64_t z) {  // splitmix64 (Steele, Lea, Flood 2014)
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// 64 Ki normal values (Box and Muller), rounded to the element type: an element costs one hash, and 68 million weights half a second.
std::vector<std::uint16_t> normals(dtype type, double scale) {
  std::vector<std::uint16_t> values(1 << 16);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const double u = (static_cast<double>(mix(2 * i) >> 11) + 0.5) * 0x1p-53;
    const double angle = 2 * std::numbers::pi * static_cast<double>(mix(2 * i + 1) >> 11) * 0x1p-53;
    const double radius = scale * std::sqrt(-2 * std::log(u));
    values[i] = from_double(type, radius * std::cos(angle));
    values[i + 1] = from_double(type, radius * std::sin(angle));
  }
  return values;
}

std::vector<std::uint16_t> fill(dtype type, std::int64_t rows, std::int64_t width, std::int64_t stride, double scale, std::uint64_t seed) {
  const auto values = normals(type, scale);
  std::vector<std::uint16_t> out(static_cast<std::size_t>(rows * stride), nan_of(type));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < width; ++j)
      out[static_cast<std::size_t>(i * stride + j)] = values[mix(seed + static_cast<std::uint64_t>(i * width + j)) >> 48];
  return out;
}

tensors point(const problem& p, const void* x, const void* w, const void* bias_gate, const void* bias_up, void* y) {
  const auto* rows = static_cast<const std::uint16_t*>(w);
  const auto weights = p.layout == weight_layout::separate          ? gate_up_weights::separate(rows, rows + p.n * row_stride_w(p))
                       : p.layout == weight_layout::stacked_gate_up ? gate_up_weights::stacked_gate_up(w)
                       : p.layout == weight_layout::stacked_up_gate ? gate_up_weights::stacked_up_gate(w)
                                                                    : gate_up_weights::interleaved(w);
  return {.x = x, .w = weights, .y = y, .bias_gate = bias_gate, .bias_up = bias_up};
}

std::size_t y_elements(const problem& p) { return static_cast<std::size_t>(p.m * row_stride_y(p) + 2 * guard); }

status upload(result<buffer>& made, const std::vector<std::uint16_t>& from) {
  if (!made) return made.error();
  return made->upload(from.data(), from.size() * sizeof from[0]);
}

struct row_range {
  std::int64_t begin, end;
};

/// All rows, or three runs of them: at the beginning, in the middle, at the end.
std::vector<row_range> sample(const problem& p, double budget) {
  // An output of a short product costs its memory, three float64, more than its multiplications.
  const double per_row = std::max(1.0, static_cast<double>(p.n) * std::max(16.0, 2.0 * static_cast<double>(p.k)));
  const auto rows = static_cast<std::int64_t>(std::max(1.0, budget / per_row));
  if (rows >= p.m) return {{0, p.m}};
  const std::int64_t run = std::max<std::int64_t>(1, rows / 3), middle = (p.m - run) / 2;
  if (rows < 3 || p.m < 3 * run) return {{p.m - rows, p.m}};
  return {{0, run}, {middle, middle + run}, {p.m - run, p.m}};
}

}  // namespace

status fits_memory(const problem& p, const device_facts& device, std::int64_t sets) {
  const std::int64_t copies = device.kind == device_kind::cpu ? sets : 0;
  const auto elements = [](std::int64_t rows, std::int64_t stride) { return static_cast<double>(rows) * static_cast<double>(stride); };
  const double inputs = elements(p.m, row_stride_x(p)) + elements(2 * p.n, row_stride_w(p)), output = elements(p.m, row_stride_y(p));
  const double needed = 2 * (inputs * (1 + static_cast<double>(copies)) + output * (2 + static_cast<double>(copies)));
  return enough_memory(needed, describe(p) + " with its inputs, output and reference");
}

made_problem::made_problem(const problem& of, std::uint64_t seed)
    : p(of),
      x(fill(p.x_type, p.m, p.k, row_stride_x(p), 1, mix(seed))),
      w(fill(p.w_type, 2 * p.n, p.k, row_stride_w(p), p.k ? 1 / std::sqrt(static_cast<double>(p.k)) : 1, mix(seed + 1))),
      bias_gate(fill(p.x_type, p.bias ? 1 : 0, p.n, p.n, 1, mix(seed + 2))),
      bias_up(fill(p.x_type, p.bias ? 1 : 0, p.n, p.n, 1, mix(seed + 3))) {}

tensors made_problem::memory(void* y) const { return point(p, x.data(), w.data(), bias_gate.data(), bias_up.data(), y); }

result<device_copy> device_copy::make(const made_problem& from, const device_facts& device, std::size_t workspace_bytes) {
  device_copy c;
  c.p_ = from.p;
  c.workspace_bytes_ = workspace_bytes;
  const std::array inputs = {std::pair{&c.x_, &from.x}, std::pair{&c.w_, &from.w}, std::pair{&c.bias_gate_, &from.bias_gate},
                             std::pair{&c.bias_up_, &from.bias_up}};
  for (const auto& [target, values] : inputs) {
    auto made = buffer::allocate(device, values->size() * sizeof(std::uint16_t));
    if (status s = upload(made, *values); !s.ok()) return s;
    *target = *made;
  }
  const auto y = buffer::allocate(device, y_elements(from.p) * sizeof(std::uint16_t));
  if (!y) return y.error();
  c.y_ = *y;
  const auto workspace = buffer::allocate(device, workspace_bytes);
  if (!workspace) return workspace.error();
  c.workspace_ = *workspace;
  return c;
}

tensors device_copy::memory() const {
  tensors t = point(p_, x_.data(), w_.data(), bias_gate_.data(), bias_up_.data(), static_cast<std::uint16_t*>(y_.data()) + guard);
  t.workspace = workspace_.data();
  t.workspace_bytes = workspace_bytes_;
  return t;
}

status device_copy::poison() {
  std::vector<std::uint16_t> bits(y_elements(p_), mark);
  for (std::int64_t i = 0; i < p_.m; ++i) std::fill_n(bits.begin() + guard + i * row_stride_y(p_), p_.n, nan_of(p_.y_type));
  return y_.upload(bits.data(), bits.size() * sizeof bits[0]);
}

result<std::vector<std::uint16_t>> device_copy::download() const {
  std::vector<std::uint16_t> bits(y_elements(p_));
  if (status s = y_.download(bits.data(), bits.size() * sizeof bits[0]); !s.ok()) return s;
  return bits;
}

result<verdict> judge(const made_problem& made, const device_copy& ran, double budget) {
  const problem& p = made.p;
  const auto bits = ran.download();
  if (!bits) return bits.error();
  verdict v;
  const auto at = [&](std::int64_t i, std::int64_t j) { return (*bits)[static_cast<std::size_t>(guard + i * row_stride_y(p) + j)]; };
  std::int64_t unwritten = 0, outside = 0;
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) unwritten += at(i, j) == nan_of(p.y_type);
    for (std::int64_t j = p.n; j < row_stride_y(p); ++j) outside += at(i, j) != mark;
  }
  for (std::int64_t i = 0; i < guard; ++i) {
    const auto at_end = bits->size() - 1 - static_cast<std::size_t>(i);
    outside += ((*bits)[static_cast<std::size_t>(i)] != mark) + ((*bits)[at_end] != mark);
  }

  std::vector<double> got, exact, plain;
  for (const row_range rows : sample(p, budget)) {
    const auto reference = reference_gated_linear(p, made.memory(nullptr), rows.begin, rows.end);
    if (!reference) return reference.error();
    const auto once = float32_gated_linear(p, made.memory(nullptr), rows.begin, rows.end);
    if (!once) return once.error();
    exact.insert(exact.end(), reference->begin(), reference->end());
    plain.insert(plain.end(), once->begin(), once->end());
    for (std::int64_t i = rows.begin; i < rows.end; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) got.push_back(to_double(p.y_type, at(i, j)));
    v.rows += rows.end - rows.begin;
  }
  v.error = relative_error(got, exact);
  const double ratio = largest_error_ratio + few_outputs_allowance(static_cast<double>(got.size()));
  v.allowed = std::max(ratio * relative_error(plain, exact), negligible_error(p.y_type));
  if (unwritten) v.fault = fmt::format("{} elements of y were not written", unwritten);
  else if (outside) v.fault = fmt::format("{} elements outside of y were written", outside);
  else if (!(v.error <= v.allowed)) v.fault = fmt::format("the error is {:.3g}, and {:.3g} is allowed", v.error, v.allowed);
  v.right = v.fault.empty();
  return v;
}

}  // namespace tileglu::cli
