// Host time of one launch, by parts, in microseconds: what CUDA itself takes on this machine, and what tileglu's run() adds. Prints a
// table; with a file name as its argument also JSON. bench/host_cost.py measures the same above, in Python.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "tileglu/tileglu.hpp"

namespace {

struct parameters {
  char bytes[640];  // as many as the paired kernel's: four tensor maps and a few numbers
};
__global__ void nothing() {}
__global__ void nothing_with(const __grid_constant__ parameters) {}

void require(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "launch_cost: %s\n", what.c_str());
  std::exit(1);
}
void require(cudaError_t error) { require(error == cudaSuccess, cudaGetErrorString(error)); }
void require(const tileglu::status& s) { require(s.ok(), s.text()); }

double now(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

struct cost {
  std::string name;
  double least, median, processor;  ///< of a call: wall time (least and median of the batches), processor time of the thread (median)
};

/// Batches of 100 calls on an idle device: fewer than a launch queue holds (1024), so that no call waits for the device.
cost measure(const std::string& name, const std::function<void()>& call) {
  constexpr int calls = 100, batches = 60;
  std::vector<double> wall, processor;
  for (int batch = -3; batch < batches; ++batch) {
    require(cudaDeviceSynchronize());
    const double processor_start = now(CLOCK_THREAD_CPUTIME_ID), start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < calls; ++i) call();
    const double took = now(CLOCK_MONOTONIC) - start, worked = now(CLOCK_THREAD_CPUTIME_ID) - processor_start;
    if (batch < 0) continue;  // warms up
    wall.push_back(took / calls);
    processor.push_back(worked / calls);
  }
  require(cudaDeviceSynchronize());
  std::sort(wall.begin(), wall.end());
  std::sort(processor.begin(), processor.end());
  const cost c{name, wall.front(), wall[wall.size() / 2], processor[processor.size() / 2]};
  std::printf("%-44s least %6.2f  median %6.2f  processor %6.2f us\n", name.c_str(), c.least, c.median, c.processor);
  return c;
}

std::function<void()> launch(bool overlap, int cluster, cudaStream_t stream) {
  return [=] {
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = attributes;
    if (cluster > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs++].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    }
    if (overlap) {
      attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    parameters p{};
    void* arguments[] = {&p};
    require(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(nothing_with), arguments));
  };
}

/// run() of the planner's choice for m x n x k, on weights that may be read early or not.
cost measure_run(int m, int n, int k, bool prefetch_weights, cudaStream_t stream) {
  const tileglu::problem p{.m = m, .n = n, .k = k};
  tileglu::plan_options options;
  options.prefetch_weights = prefetch_weights;
  auto facts = tileglu::this_cuda_device();
  require(facts.error());
  auto plan = tileglu::plan(p, *facts, options);
  require(plan.error());
  require(tileglu::prepare(*plan));
  const std::size_t bytes = 2 * (static_cast<std::size_t>(m) * (n + k) + 2 * static_cast<std::size_t>(n) * k);
  char* memory = nullptr;
  require(cudaMalloc(&memory, bytes + 1024 + plan->workspace));
  require(cudaMemset(memory, 0, bytes));
  auto aligned = [at = memory](std::size_t size) mutable {
    char* const here = at;
    at += (size + 255) / 256 * 256;
    return static_cast<void*>(here);
  };
  void* const x = aligned(2 * static_cast<std::size_t>(m) * k);
  void* const gate = aligned(2 * static_cast<std::size_t>(n) * k);
  void* const up = aligned(2 * static_cast<std::size_t>(n) * k);
  tileglu::tensors t{.x = x, .w = tileglu::gate_up_weights::separate(gate, up), .y = aligned(2 * static_cast<std::size_t>(m) * n)};
  t.workspace = plan->workspace ? aligned(plan->workspace) : nullptr;
  t.workspace_bytes = plan->workspace;
  const std::string name = "run() " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " " + plan->row;
  const cost c = measure(name, [&] { require(tileglu::run(*plan, t, stream)); });
  require(cudaFree(memory));
  return c;
}

}  // namespace

int main(int count, char** words) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void* found = nullptr;
  cudaDriverEntryPointQueryResult query{};
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query));
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  void* matrix = nullptr;
  require(cudaMalloc(&matrix, 1 << 20));

  std::vector<cost> costs;
  costs.push_back(measure("an empty kernel, <<<>>>", [&] { nothing<<<1, 32, 0, stream>>>(); }));
  costs.push_back(measure("an empty kernel, <<<>>>, default stream", [] { nothing<<<1, 32>>>(); }));
  costs.push_back(measure("640 bytes of parameters", launch(false, 1, stream)));
  costs.push_back(measure("and programmatic dependent launch", launch(true, 1, stream)));
  costs.push_back(measure("and a cluster of two", launch(true, 2, stream)));
  costs.push_back(measure("a cluster of two alone", launch(false, 2, stream)));
  costs.push_back(measure("four tensor maps, encoded", [&] {
    for (int i = 0; i < 4; ++i) {
      CUtensorMap map;
      const cuuint64_t extents[2] = {512, 512}, strides[1] = {1024};
      const cuuint32_t box[2] = {64, 64}, steps[2] = {1, 1};
      require(encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                     CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
              "cuTensorMapEncodeTiled failed");
    }
  }));
  costs.push_back(measure("cudaGetDevice", [] {
    int device = 0;
    require(cudaGetDevice(&device));
  }));
  costs.push_back(measure("cudaPeekAtLastError", [] { require(cudaPeekAtLastError()); }));
  costs.push_back(measure("cudaStreamIsCapturing", [&] {
    cudaStreamCaptureStatus capturing{};
    require(cudaStreamIsCapturing(stream, &capturing));
  }));
  costs.push_back(measure_run(1, 64, 64, false, stream));
  costs.push_back(measure_run(1, 64, 64, true, stream));
  costs.push_back(measure_run(64, 1024, 512, false, stream));
  costs.push_back(measure_run(64, 64, 64, false, nullptr));
  if (count < 2) return 0;
  std::FILE* const file = std::fopen(words[1], "w");
  require(file != nullptr, std::string(words[1]) + " can't be written");
  std::fprintf(file, "[");
  for (std::size_t i = 0; i < costs.size(); ++i)
    std::fprintf(file, "%s\n {\"call\": \"%s\", \"least_us\": %.3f, \"median_us\": %.3f, \"processor_us\": %.3f}", i ? "," : "",
                 costs[i].name.c_str(), costs[i].least, costs[i].median, costs[i].processor);
  std::fprintf(file, "\n]\n");
  return std::fclose(file) == 0 ? 0 : 1;
}
