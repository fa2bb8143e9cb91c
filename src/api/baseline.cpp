#include "tileglu/baseline.hpp"

#include <string>

#include "backend/port.hpp"

namespace tileglu {

struct bare_product::state {
  const backend* by = nullptr;
  linear_problem problem;
  std::size_t workspace = 0;
  std::shared_ptr<void> prepared;
};

result<bare_product> bare_product::make(const device_facts& device, dtype type, std::int64_t m, std::int64_t n, std::int64_t k) {
  // The gated problem with these extents has the same limits.
  if (status s = validate(problem{.m = m, .n = n, .k = k, .x_type = type, .w_type = type, .y_type = type}); !s.ok()) return s;
  const backend_id id = device.kind == device_kind::cuda ? backend_id::cuda_portable : backend_id::cpu;
  const backend* by = find_backend(id);
  if (by == nullptr || by->run_linear == nullptr)
    return status(status_code::not_available, "backend " + std::string(name(id)) + " is not in this build of tileglu, or has no bare product");
  if (std::string why = by->missing(); !why.empty())
    return status(status_code::not_available, "backend " + std::string(name(id)) + " can't run here: " + why);
  auto made = std::make_shared<state>();
  made->by = by;
  made->problem = {.m = m, .n = n, .k = k, .type = type, .ldx = k, .ldw = k, .ldy = n};
  made->workspace = by->linear_workspace(made->problem, device);
  if (status s = by->prepare_linear(made->problem, device, made->prepared); !s.ok()) return s;
  bare_product p;
  p.state_ = std::move(made);
  return p;
}

std::size_t bare_product::workspace_bytes() const noexcept { return state_ ? state_->workspace : 0; }

status bare_product::run(const void* x, const void* w, void* d, void* workspace, std::size_t workspace_bytes, stream_handle stream) const noexcept
    try {
  if (!state_) return {status_code::invalid_argument, "the product is empty; allowed is what make() returned"};
  if (state_->problem.m == 0 || state_->problem.n == 0) return {};
  if (workspace_bytes < state_->workspace)
    return {status_code::workspace_too_small,
            "workspace_bytes is " + std::to_string(workspace_bytes) + "; this product needs " + std::to_string(state_->workspace)};
  for (const auto& [argument, pointer] : {std::pair{"x", x}, std::pair{"w", w}, std::pair{"d", static_cast<const void*>(d)}})
    if (pointer == nullptr && (state_->problem.k > 0 || argument[0] == 'd'))
      return {status_code::invalid_argument, std::string(argument) + " is null; allowed is a pointer to the matrix"};
  return state_->by->run_linear(state_->problem, state_->prepared,
                                {.x = x, .w = w, .y = d, .workspace = workspace, .workspace_bytes = workspace_bytes}, stream);
} catch (...) {
  return {status_code::out_of_memory, {}};
}

}  // namespace tileglu
