// Copies of weights from one layout to another: whole halves where they are contiguous, else row by row.
#include "tileglu/pack.hpp"

#include <cstring>
#include <string>

#include "backend/port.hpp"
#include "layout/pairing.hpp"

namespace tileglu {
namespace {

constexpr std::int64_t largest_extent = std::int64_t{1} << 40;
constexpr std::int64_t largest_bytes = std::int64_t{1} << 60;

status bad(std::string text) { return {status_code::invalid_argument, std::move(text)}; }

struct extent {
  const char* argument;
  std::uintptr_t begin, end;
};

extent matrix(const char* argument, const void* data, std::int64_t elements) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  return {argument, begin, begin + static_cast<std::uintptr_t>(elements) * sizeof(std::uint16_t)};
}

bool overlap(const extent& a, const extent& b) { return a.begin < b.end && b.begin < a.end; }

bool known(weight_layout layout) { return static_cast<int>(layout) >= 0 && static_cast<int>(layout) < 4; }

status check_size(const char* argument, std::int64_t value) {
  if (value >= 0 && value <= largest_extent) return {};
  return bad(std::string(argument) + " is " + std::to_string(value) + "; allowed are 0 to " + std::to_string(largest_extent));
}

status check_one_matrix(const char* argument, weight_layout layout, const void* second) {
  if (!known(layout)) return bad(std::string(argument) + ".layout is " + std::to_string(static_cast<int>(layout)) + "; allowed are 0 to 3");
  if (layout == weight_layout::separate || second == nullptr) return {};
  return bad(std::string(argument) + " holds two matrices; allowed is one for layout " + std::string(name(layout)));
}

status check(const gate_up_weights& from, const packed_weights& to, std::int64_t n, std::int64_t k) {
  if (status s = check_size("n", n); !s.ok()) return s;
  if (status s = check_size("k", k); !s.ok()) return s;
  if (n > 0 && k > largest_bytes / 4 / n)
    return bad("n = " + std::to_string(n) + " times k = " + std::to_string(k) + " is too large to address; at most 2^60 bytes are allowed");
  if (status s = check_one_matrix("from", from.layout(), from.second()); !s.ok()) return s;
  if (status s = check_one_matrix("to", to.layout, to.second); !s.ok()) return s;

  const std::int64_t half = n * k;
  const bool from_two = from.layout() == weight_layout::separate, to_two = to.layout == weight_layout::separate;
  const extent sources[] = {matrix(from_two ? "from.gate" : "from", from.first(), from_two ? half : 2 * half),
                            matrix("from.up", from.second(), from_two ? half : 0)};
  const extent targets[] = {matrix("to.first", to.first, to_two ? half : 2 * half), matrix("to.second", to.second, to_two ? half : 0)};
  for (const extent* side : {sources, targets}) {
    for (int i = 0; i < 2; ++i) {
      const extent& e = side[i];
      if (e.begin == e.end) continue;
      if (e.begin == 0) return bad(std::string(e.argument) + " is null; allowed is a pointer to " + std::to_string(e.end - e.begin) + " bytes");
      if (e.begin % sizeof(std::uint16_t)) return bad(std::string(e.argument) + " is at an odd address; allowed are multiples of 2");
    }
  }
  for (const extent& target : targets)
    for (const extent& source : sources)
      if (overlap(target, source)) return bad(std::string(target.argument) + " overlaps " + source.argument + "; allowed is memory of its own");
  if (overlap(targets[0], targets[1])) return bad("to.first overlaps to.second; allowed are two matrices apart");
  return {};
}

void copy_half(const std::uint16_t* from, std::int64_t from_stride, std::uint16_t* to, std::int64_t to_stride, std::int64_t n, std::int64_t k) {
  const auto row_bytes = static_cast<std::size_t>(k) * sizeof(std::uint16_t);
  if (from_stride == k && to_stride == k) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * row_bytes);
    return;
  }
  for (std::int64_t j = 0; j < n; ++j) std::memcpy(to + j * to_stride, from + j * from_stride, row_bytes);
}

}  // namespace

status pack(const gate_up_weights& from, const packed_weights& to, std::int64_t n, std::int64_t k, const device_facts& device, stream_handle stream) {
  if (status s = check(from, to, n, k); !s.ok()) return s;
  if (n == 0 || k == 0) return {};
  if (device.kind == device_kind::cuda) {
    const cuda_services* cuda = find_cuda_services();
    if (cuda == nullptr) return {status_code::not_available, "device is " + device.name + ", but this build of tileglu has no CUDA backend"};
    return cuda->pack(from, to.layout, to.first, to.second, n, k, stream);
  }
  const layout::halves source = layout::resolve(from.layout(), from.first(), from.second(), n, k);
  const layout::halves target = layout::resolve(to.layout, to.first, to.second, n, k);
  copy_half(source.gate, source.row_stride, const_cast<std::uint16_t*>(target.gate), target.row_stride, n, k);
  copy_half(source.up, source.row_stride, const_cast<std::uint16_t*>(target.up), target.row_stride, n, k);
  return {};
}

}  // namespace tileglu
