#include <algorithm>

#include "cuda/check.hpp"
#include "cuda/pack.cuh"
#include "layout/pairing.hpp"

namespace tileglu::cuda {
namespace {

/// A matrix pair in some layout, as rows of pieces of `Piece`.
template <class Piece>
struct piece_rows {
  Piece* gate;
  Piece* up;
  std::int64_t row_stride;  ///< pieces from one row of a half to the next
};

template <class Piece>
__global__ void move_rows(piece_rows<const Piece> from, piece_rows<Piece> to, std::int64_t n, std::int64_t pieces) {
  // One thread moves one piece at a time; neighbours move neighbours, so both sides are coalesced within a row.
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < 2 * n * pieces; i += step) {
    const std::int64_t row = i / pieces, at = i - row * pieces;
    if (row < n)
      to.gate[row * to.row_stride + at] = from.gate[row * from.row_stride + at];
    else
      to.up[(row - n) * to.row_stride + at] = from.up[(row - n) * from.row_stride + at];
  }
}

template <class Piece>
status launch(const layout::halves& from, const layout::halves& to, std::int64_t n, std::int64_t k, cudaStream_t stream) {
  constexpr int elements = sizeof(Piece) / sizeof(std::uint16_t);
  const auto source = [](const std::uint16_t* p) { return reinterpret_cast<const Piece*>(p); };
  const auto target = [](const std::uint16_t* p) { return reinterpret_cast<Piece*>(const_cast<std::uint16_t*>(p)); };
  piece_rows<const Piece> in{source(from.gate), source(from.up), from.row_stride / elements};
  piece_rows<Piece> out{target(to.gate), target(to.up), to.row_stride / elements};
  std::int64_t pieces = k / elements;
  constexpr int threads = 256;
  const std::int64_t blocks = std::min<std::int64_t>((2 * n * pieces + threads - 1) / threads, 1 << 16);
  void* arguments[] = {&in, &out, &n, &pieces};
  return check_launch(
      cudaLaunchKernel(reinterpret_cast<const void*>(&move_rows<Piece>), dim3(static_cast<unsigned>(blocks)), dim3(threads), arguments, 0, stream),
      "the pack kernel");
}

}  // namespace

status pack_on_device(const gate_up_weights& from, weight_layout layout, void* first, void* second, std::int64_t n, std::int64_t k,
                      cudaStream_t stream) {
  if (n == 0 || k == 0) return {};
  const layout::halves in = layout::resolve(from.layout(), from.first(), from.second(), n, k);
  const layout::halves out = layout::resolve(layout, first, second, n, k);
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const std::uintptr_t all =
      address(in.gate) | address(in.up) | address(out.gate) | address(out.up) | static_cast<std::uintptr_t>(k) * sizeof(std::uint16_t);
  if (all % sizeof(uint4) == 0) return launch<uint4>(in, out, n, k, stream);
  if (all % sizeof(std::uint32_t) == 0) return launch<std::uint32_t>(in, out, n, k, stream);
  return launch<std::uint16_t>(in, out, n, k, stream);
}

}  // namespace tileglu::cuda
