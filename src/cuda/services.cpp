// Memory, streams, graphs and clocks of CUDA devices, behind the port.
#include <cuda_runtime_api.h>

#include "backend/port.hpp"
#include "cuda/check.hpp"
#include "cuda/facts.hpp"
#include "cuda/pack.cuh"

namespace tileglu {
namespace cuda {
namespace {

result<void*> allocate(int ordinal, std::size_t bytes) {
  const current_device device(ordinal);
  if (!device.outcome().ok()) return device.outcome();
  void* data = nullptr;
  if (status s = check(cudaMalloc(&data, bytes), "cudaMalloc of " + std::to_string(bytes) + " bytes"); !s.ok()) return s;
  return data;
}

void release(int ordinal, void* data) noexcept {
  const current_device device(ordinal);
  (void)cudaFree(data);
}

status copy(int ordinal, void* to, const void* from, std::size_t bytes) {
  const current_device device(ordinal);
  if (!device.outcome().ok()) return device.outcome();
  return check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy of " + std::to_string(bytes) + " bytes");
}

status fill(int ordinal, void* data, unsigned char byte, std::size_t bytes) {
  const current_device device(ordinal);
  if (!device.outcome().ok()) return device.outcome();
  if (status s = check(cudaMemset(data, byte, bytes), "cudaMemset"); !s.ok()) return s;
  return check(cudaStreamSynchronize(nullptr), "cudaMemset");  // on device memory it is asynchronous
}

result<stream_handle> make_stream(int ordinal) {
  const current_device device(ordinal);
  if (!device.outcome().ok()) return device.outcome();
  cudaStream_t stream = nullptr;
  if (status s = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate"); !s.ok()) return s;
  return static_cast<stream_handle>(stream);
}

void drop_stream(int ordinal, stream_handle stream) noexcept {
  const current_device device(ordinal);
  (void)cudaStreamDestroy(to_stream(stream));
}

status synchronize(int ordinal, stream_handle stream) {
  const current_device device(ordinal);
  if (!device.outcome().ok()) return device.outcome();
  return check(cudaStreamSynchronize(to_stream(stream)), "cudaStreamSynchronize");
}

int current() {
  int ordinal = 0;
  return cudaGetDevice(&ordinal) == cudaSuccess ? ordinal : 0;
}

result<bool> capturing(stream_handle stream) {
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  if (status s = check(cudaStreamIsCapturing(to_stream(stream), &state), "cudaStreamIsCapturing"); !s.ok()) return s;
  return state != cudaStreamCaptureStatusNone;
}

status begin_capture(stream_handle stream) {
  return check(cudaStreamBeginCapture(to_stream(stream), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}

result<void*> end_capture(stream_handle stream) {
  cudaGraph_t graph = nullptr;
  if (status s = check(cudaStreamEndCapture(to_stream(stream), &graph), "cudaStreamEndCapture"); !s.ok()) return s;
  cudaGraphExec_t ready = nullptr;
  const status made = check(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  (void)cudaGraphDestroy(graph);
  if (!made.ok()) return made;
  return static_cast<void*>(ready);
}

status launch_graph(void* graph, stream_handle stream) {
  return check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), to_stream(stream)), "cudaGraphLaunch");
}

void drop_graph(void* graph) noexcept { (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)); }

/// Two events, destroyed together.
struct event_pair {
  cudaEvent_t begin = nullptr, end = nullptr;
  ~event_pair() {
    if (begin != nullptr) (void)cudaEventDestroy(begin);
    if (end != nullptr) (void)cudaEventDestroy(end);
  }
};

result<double> time_us(int ordinal, stream_handle stream, const std::function<status()>& work) {
  const current_device device(ordinal);
  if (!device.outcome().ok()) return device.outcome();
  event_pair events;
  for (cudaEvent_t* e : {&events.begin, &events.end})
    if (status s = check(cudaEventCreate(e), "cudaEventCreate"); !s.ok()) return s;
  if (status s = check(cudaEventRecord(events.begin, to_stream(stream)), "cudaEventRecord"); !s.ok()) return s;
  if (status s = work(); !s.ok()) return s;
  if (status s = check(cudaEventRecord(events.end, to_stream(stream)), "cudaEventRecord"); !s.ok()) return s;
  if (status s = check(cudaEventSynchronize(events.end), "cudaEventSynchronize"); !s.ok()) return s;
  float milliseconds = 0;
  if (status s = check(cudaEventElapsedTime(&milliseconds, events.begin, events.end), "cudaEventElapsedTime"); !s.ok()) return s;
  return 1e3 * milliseconds;
}

status pack(const gate_up_weights& from, weight_layout layout, void* first, void* second, std::int64_t n, std::int64_t k, stream_handle stream) {
  return pack_on_device(from, layout, first, second, n, k, to_stream(stream));
}

}  // namespace
}  // namespace cuda

extern const cuda_services cuda_runtime_services{
    .facts = cuda::device_of,
    .allocate = cuda::allocate,
    .release = cuda::release,
    .copy = cuda::copy,
    .fill = cuda::fill,
    .make_stream = cuda::make_stream,
    .drop_stream = cuda::drop_stream,
    .synchronize = cuda::synchronize,
    .current = cuda::current,
    .capturing = cuda::capturing,
    .begin_capture = cuda::begin_capture,
    .end_capture = cuda::end_capture,
    .launch_graph = cuda::launch_graph,
    .drop_graph = cuda::drop_graph,
    .time_us = cuda::time_us,
    .pack = cuda::pack,
};

}  // namespace tileglu
