// The port that a backend implements. Backends know this file and nothing of each other; registry.cpp alone names them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/linear.hpp"
#include "plan/prepared_plan.hpp"
#include "tileglu/plan.hpp"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"

namespace tileglu {

struct backend {
  backend_id id;
  std::string_view summary;
  /// Why this machine or this build can't run it; empty where it can.
  std::string (*missing)();
  /// Make handles and primitives into `out.state`. May allocate.
  status (*prepare)(const execution_plan& plan, prepared_plan& out);
  /// Compute. `t` has been checked against the plan; m, n > 0. Neither allocates nor synchronises.
  status (*run)(const execution_plan& plan, const prepared_plan& prepared, const tensors& t, stream_handle stream) noexcept;

  // The down projection of an MLP. Null, all three, where the backend has none of its own.
  /// Bytes of workspace that run_linear is handed.
  std::size_t (*linear_workspace)(const linear_problem& p, const device_facts& device) = nullptr;
  /// Make handles and primitives into `state`, which may stay null. May allocate.
  status (*prepare_linear)(const linear_problem& p, const device_facts& device, std::shared_ptr<void>& state) = nullptr;
  /// Compute. `t` has been checked; m, n > 0, k >= 0. The same promises as run.
  status (*run_linear)(const linear_problem& p, const std::shared_ptr<void>& state, const linear_tensors& t, stream_handle stream) noexcept = nullptr;
};

/// Every backend of this build, in the planner's order.
std::span<const backend* const> backends() noexcept;

/// The backend with this id, or null where the build lacks it.
const backend* find_backend(backend_id id) noexcept;

/// Memory, streams and clocks of CUDA devices for memory.hpp and pack.hpp; null in a build without CUDA.
struct cuda_services {
  result<device_facts> (*facts)(int ordinal);
  result<void*> (*allocate)(int ordinal, std::size_t bytes);
  void (*release)(int ordinal, void* data) noexcept;
  status (*copy)(int ordinal, void* to, const void* from, std::size_t bytes);  ///< either side may be host memory; blocking
  status (*fill)(int ordinal, void* data, unsigned char byte, std::size_t bytes);
  result<stream_handle> (*make_stream)(int ordinal);
  void (*drop_stream)(int ordinal, stream_handle stream) noexcept;
  status (*synchronize)(int ordinal, stream_handle stream);
  int (*current)();                                 ///< the calling thread's current device
  result<bool> (*capturing)(stream_handle stream);  ///< is work on this stream recorded into a graph?
  status (*begin_capture)(stream_handle stream);
  result<void*> (*end_capture)(stream_handle stream);  ///< an executable graph
  status (*launch_graph)(void* graph, stream_handle stream);
  void (*drop_graph)(void* graph) noexcept;
  result<double> (*time_us)(int ordinal, stream_handle stream, const std::function<status()>& work);
  status (*pack)(const gate_up_weights& from, weight_layout layout, void* first, void* second, std::int64_t n, std::int64_t k, stream_handle stream);
};

const cuda_services* find_cuda_services() noexcept;

}  // namespace tileglu
