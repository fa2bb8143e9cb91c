// The built instances of the interleaved kernel: which files of instances/ hold them, and what they are. No CUTLASS header here.
#pragma once

#include <array>

#include "plan/tables/paper_rows.hpp"
#include "tileglu/plan.hpp"
#include "tileglu/run.hpp"

namespace tileglu::sm90::interleaved {

struct instance {
  const void* kernel = nullptr;
  int shared_bytes = 0;
  /// Build the kernel's parameters on the host and queue it.
  status (*launch)(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept = nullptr;
};

/// One element type's instances, by row: [row of interleaved_rows][0: plain silu, 1: general].
using instance_table = std::array<std::array<instance, 2>, plan_detail::interleaved_rows.size()>;

const instance_table& instances_bf16() noexcept;
const instance_table& instances_fp16() noexcept;

}  // namespace tileglu::sm90::interleaved
