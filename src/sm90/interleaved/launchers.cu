// The rows of the interleaved kernel, ready to launch.
#include <array>
#include <utility>

#include "cuda/activation.cuh"
#include "sm90/driver.hpp"
#include "sm90/interleaved/instances.hpp"
#include "sm90/launch.hpp"

namespace tileglu::sm90 {
namespace {

using plan_detail::interleaved_rows;

const interleaved::instance& instance_of(std::size_t row, const problem& p) noexcept {
  const interleaved::instance_table& table = p.x_type == dtype::bf16 ? interleaved::instances_bf16() : interleaved::instances_fp16();
  return table[row][cuda::is_plain_silu(p.act, p.bias, p.mode) ? 0 : 1];
}

template <std::size_t Row>
status prepare(const execution_plan& plan) {
  const interleaved::instance& found = instance_of(Row, plan.problem);
  return allow_shared_bytes(found.kernel, found.shared_bytes);
}

template <std::size_t Row>
status launch(const execution_plan& plan, const tensors& t, stream_handle stream) noexcept {
  return instance_of(Row, plan.problem).launch(plan, t, stream);
}

template <std::size_t... Row>
constexpr std::array<launcher, sizeof...(Row)> list(std::index_sequence<Row...>) {
  return {launcher{interleaved_rows[Row].name, prepare<Row>, launch<Row>}...};
}

constexpr auto launchers = list(std::make_index_sequence<interleaved_rows.size()>{});

}  // namespace

std::span<const launcher> interleaved_launchers() noexcept { return launchers; }

}  // namespace tileglu::sm90
