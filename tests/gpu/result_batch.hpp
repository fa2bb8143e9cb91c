// Results on the device that are fetched together: one round trip for each of thousands of small problems takes longer than the problems.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "gpu/device_array.hpp"

namespace tileglu::gpu_check {

template <class Result>
class result_batch {
 public:
  /// At most `capacity` results wait at a time; 1: each is waited for before the next is begun.
  result_batch(cudaStream_t on, std::size_t capacity) : on_(on), capacity_(capacity) {}

  /// Room for one more result, zeroed, for work that is queued on the stream. settle() hands it to `then`, in the order of these calls.
  Result* add(std::function<void(const Result&)> then) {
    if (waiting_.size() == capacity_) settle();
    if (waiting_.empty()) require(cudaMemsetAsync(block_.template as<Result>(capacity_), 0, capacity_ * sizeof(Result), on_), "clearing results");
    waiting_.push_back(std::move(then));
    return block_.template data<Result>() + (waiting_.size() - 1);
  }

  /// Waits for everything that was queued.
  void settle() {
    if (waiting_.empty()) return;
    std::vector<Result> results(waiting_.size());
    require(cudaMemcpyAsync(results.data(), block_.template data<Result>(), results.size() * sizeof(Result), cudaMemcpyDeviceToHost, on_),
            "fetching results");
    require(cudaStreamSynchronize(on_), results.size() == 1 ? "a kernel" : "one of several kernels (--tiny waits for each)");
    const auto told = std::exchange(waiting_, {});
    for (std::size_t i = 0; i < told.size(); ++i) told[i](results[i]);
  }

 private:
  cudaStream_t on_;
  std::size_t capacity_;
  device_block block_;
  std::vector<std::function<void(const Result&)>> waiting_;
};

}  // namespace tileglu::gpu_check
