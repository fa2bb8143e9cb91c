// The built instances of the paired kernel: which files of instances/ hold them, and what they are.
#pragma once

#include <cstddef>
#include <span>

#include "sm90/paired/arguments.hpp"

namespace tileglu::sm90 {

struct paired_instance {
  std::size_t row;  ///< of paired_rows
  dtype element;
  epilogue_kind kind;
  const void* kernel;
};

std::span<const paired_instance> paired_pingpong_128_bf16() noexcept;
std::span<const paired_instance> paired_pingpong_128_fp16() noexcept;
std::span<const paired_instance> paired_pingpong_64_bf16() noexcept;
std::span<const paired_instance> paired_pingpong_64_fp16() noexcept;
std::span<const paired_instance> paired_cooperative_128_bf16() noexcept;
std::span<const paired_instance> paired_cooperative_128_fp16() noexcept;
std::span<const paired_instance> paired_cooperative_192_bf16() noexcept;
std::span<const paired_instance> paired_cooperative_192_fp16() noexcept;
std::span<const paired_instance> paired_cooperative_256_bf16() noexcept;
std::span<const paired_instance> paired_cooperative_256_fp16() noexcept;
std::span<const paired_instance> paired_swapped_64_bf16() noexcept;
std::span<const paired_instance> paired_swapped_64_fp16() noexcept;
std::span<const paired_instance> paired_swapped_128_bf16() noexcept;
std::span<const paired_instance> paired_swapped_128_fp16() noexcept;

}  // namespace tileglu::sm90
