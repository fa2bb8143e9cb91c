#include <algorithm>

#include "cublaslt/activate.cuh"
#include "cuda/activation.cuh"
#include "cuda/check.hpp"

namespace tileglu::cublaslt {
namespace {

/// Gate and up of a row: `step` elements from column to column.
struct kernel_arguments {
  const void* gate;
  const void* up;
  void* y;
  std::int64_t rows, n;
  std::int64_t intermediate_stride, y_stride;
  cuda::epilogue_params finish;
  bool plain_silu;
};

/// `Count` neighbouring values of one half, as float32; 16-byte loads where Count is 8.
template <int Count, class Intermediate>
__device__ __forceinline__ void load(const Intermediate* from, float (&to)[Count]) {
  if constexpr (Count == 1) {
    if constexpr (sizeof(Intermediate) == sizeof(float))
      to[0] = *from;
    else
      to[0] = cuda::to_float<Intermediate>(*from);
  } else if constexpr (sizeof(Intermediate) == sizeof(float)) {
#pragma unroll
    for (int i = 0; i < Count; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(from + i);
      to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < Count; i += 8) {
      const uint4 v = *reinterpret_cast<const uint4*>(from + i);
      const auto* element = reinterpret_cast<const Intermediate*>(&v);
#pragma unroll
      for (int j = 0; j < 8; ++j) to[i + j] = cuda::to_float<Intermediate>(element[j]);
    }
  }
}

/// One thread: `Width` neighbouring outputs of a row. Reads 2 * Width intermediates, writes 2 * Width bytes: bound by memory.
template <class Element, class Intermediate, int Width, bool Alternating>
__global__ void activate_rows(kernel_arguments a) {
  const auto* gates = static_cast<const Intermediate*>(a.gate);
  const auto* ups = static_cast<const Intermediate*>(a.up);
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * Width;
  for (std::int64_t row = blockIdx.y; row < a.rows; row += gridDim.y) {
    for (std::int64_t column = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Width; column < a.n; column += stride) {
      float gate[Width] = {}, up[Width] = {};
      if (gates != nullptr) {
        const std::int64_t row_begin = row * a.intermediate_stride;
        if constexpr (Alternating) {
          float both[2 * Width];
          if constexpr (Width == 1) {
            load<1>(gates + row_begin + 2 * column, gate);
            load<1>(ups + row_begin + 2 * column, up);
          } else {
            load<2 * Width>(gates + row_begin + 2 * column, both);
#pragma unroll
            for (int i = 0; i < Width; ++i) gate[i] = both[2 * i], up[i] = both[2 * i + 1];
          }
        } else {
          load<Width>(gates + row_begin + column, gate);
          load<Width>(ups + row_begin + column, up);
        }
      }
      float y[Width];
      if (a.plain_silu) {
#pragma unroll
        for (int i = 0; i < Width; ++i) y[i] = cuda::finish_silu(gate[i], up[i]);
      } else {
#pragma unroll
        for (int i = 0; i < Width; ++i)
          y[i] = cuda::finish_general<Element>(a.finish, gate[i], up[i], cuda::load_bias<Element>(a.finish, a.finish.bias_gate, column + i, a.n),
                                               cuda::load_bias<Element>(a.finish, a.finish.bias_up, column + i, a.n));
      }
      Element* out = static_cast<Element*>(a.y) + row * a.y_stride + column;
      if constexpr (Width == 8)
        *reinterpret_cast<uint4*>(out) = {cuda::pack_two<Element>(y[0], y[1]), cuda::pack_two<Element>(y[2], y[3]),
                                          cuda::pack_two<Element>(y[4], y[5]), cuda::pack_two<Element>(y[6], y[7])};
      else
        *out = cuda::from_float<Element>(y[0]);
    }
  }
}

template <class Element, class Intermediate, int Width>
const void* kernel_of(int step) {
  return step == 2 ? reinterpret_cast<const void*>(&activate_rows<Element, Intermediate, Width, true>)
                   : reinterpret_cast<const void*>(&activate_rows<Element, Intermediate, Width, false>);
}

template <class Element>
const void* kernel_of(const plan_detail::portable_intermediates& l, int width) {
  if (l.element_bytes == sizeof(float)) return width == 8 ? kernel_of<Element, float, 8>(l.step) : kernel_of<Element, float, 1>(l.step);
  return width == 8 ? kernel_of<Element, Element, 8>(l.step) : kernel_of<Element, Element, 1>(l.step);
}

const void* kernel_of(dtype type, const plan_detail::portable_intermediates& l, int width) {
  return type == dtype::bf16 ? kernel_of<__nv_bfloat16>(l, width) : kernel_of<__half>(l, width);
}

}  // namespace

status prepare_activate(const problem& p) {
  for (const int width : {1, 8}) {
    cudaFuncAttributes attributes{};
    const void* kernel = kernel_of(p.y_type, plan_detail::portable_layout(p), width);
    if (status s = cuda::check(cudaFuncGetAttributes(&attributes, kernel), "loading the activation kernel"); !s.ok()) return s;
  }
  return {};
}

status launch_activate(const activate_call& call, stream_handle on) {
  const problem& p = *call.of;
  const plan_detail::portable_intermediates& l = call.layout;
  const auto* base = static_cast<const char*>(call.intermediates);
  const auto at = [&](std::int64_t offset) -> const void* { return base == nullptr ? nullptr : base + offset * l.element_bytes; };
  kernel_arguments a{at(l.gate_offset),
                     at(l.up_offset),
                     call.y,
                     call.rows,
                     p.n,
                     l.row_stride,
                     row_stride_y(p),
                     {p.act, p.mode == numerics::match_unfused, p.bias, call.bias_gate, call.bias_up},
                     cuda::is_plain_silu(p.act, p.bias, p.mode)};
  const bool by_eight = p.n % 8 == 0 && a.y_stride % 8 == 0 && reinterpret_cast<std::uintptr_t>(call.y) % 16 == 0;
  const int width = by_eight ? 8 : 1;
  const std::int64_t threads_needed = (p.n + width - 1) / width;
  const int threads = static_cast<int>(std::min<std::int64_t>(256, (threads_needed + 31) / 32 * 32));
  const dim3 grid(static_cast<unsigned>(std::min<std::int64_t>((threads_needed + threads - 1) / threads, 65535)),
                  static_cast<unsigned>(std::min<std::int64_t>(call.rows, 65535)));
  void* arguments[] = {&a};
  return cuda::check_launch(
      cudaLaunchKernel(kernel_of(p.y_type, l, width), grid, dim3(static_cast<unsigned>(threads)), arguments, 0, cuda::to_stream(on)),
      "the activation kernel");
}

}  // namespace tileglu::cublaslt
