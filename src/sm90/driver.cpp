#include "sm90/driver.hpp"

#include <atomic>
#include <string>

namespace tileglu::sm90 {
namespace {

using encode_function = decltype(&cuTensorMapEncodeTiled);
std::atomic<encode_function> encoder{nullptr};

std::string words(cudaError_t error) { return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")"; }

status failed(const char* call, cudaError_t error, cudaError_t before) {
  std::string text = std::string(call) + " failed: " + words(error);
  if (before == error) return {status_code::device_error, text + "; CUDA reported it before this call: it is of earlier work on this device"};
  if (before == cudaSuccess) cudaGetLastError();  // take back what this call left
  return {status_code::device_error, std::move(text)};
}

}  // namespace

status queue(const kernel_launch& what, void** arguments, stream_handle stream) noexcept try {
  const cudaError_t before = cudaPeekAtLastError();
  cudaLaunchAttribute attributes[2];
  unsigned count = 0;
  if (what.cluster * what.cluster_y > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim = {static_cast<unsigned>(what.cluster), static_cast<unsigned>(what.cluster_y), 1};
    ++count;
  }
  if (what.overlap) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(what.blocks, what.blocks_y);
  config.blockDim = dim3(what.threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(what.shared_bytes);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = attributes;
  config.numAttrs = count;
  const cudaError_t error = cudaLaunchKernelExC(&config, what.kernel, arguments);
  return error == cudaSuccess ? status{} : failed("cudaLaunchKernelExC", error, before);
} catch (...) {
  return {status_code::device_error, {}};
}

status allow_shared_bytes(const void* kernel, int shared_bytes) {
  const cudaError_t before = cudaPeekAtLastError();
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (error == cudaSuccess) return {};
  return failed(("cudaFuncSetAttribute(MaxDynamicSharedMemorySize = " + std::to_string(shared_bytes) + ")").c_str(), error, before);
}

status find_encoder() {
  if (encoder.load(std::memory_order_acquire)) return {};
  const cudaError_t before = cudaPeekAtLastError();
  void* found = nullptr;
  cudaDriverEntryPointQueryResult query = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query);
  if (error != cudaSuccess) return failed("cudaGetDriverEntryPointByVersion(cuTensorMapEncodeTiled)", error, before);
  if (query != cudaDriverEntryPointSuccess || found == nullptr)
    return {status_code::not_available, "the driver has no cuTensorMapEncodeTiled; allowed are drivers of CUDA 13.0 and newer"};
  encoder.store(reinterpret_cast<encode_function>(found), std::memory_order_release);
  return {};
}

status encode(const matrix_box& box, dtype type, CUtensorMap& map) noexcept try {
  const encode_function call = encoder.load(std::memory_order_acquire);
  if (call == nullptr) return {status_code::internal, "encode() was called before find_encoder()"};
  const cuuint64_t extents[2] = {static_cast<cuuint64_t>(box.columns), static_cast<cuuint64_t>(box.rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(box.row_stride) * size_of(type)};
  const cuuint32_t box_extents[2] = {static_cast<cuuint32_t>(box.box_columns), static_cast<cuuint32_t>(box.box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  // Promotion to 256 bytes: rows of K are read on through anyway, and DRAM pages open half as often.
  const CUresult error = call(&map, type == dtype::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2,
                              const_cast<void*>(box.data), extents, strides, box_extents, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, box.swizzle,
                              CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error == CUDA_SUCCESS) return {};
  return {status_code::device_error, "cuTensorMapEncodeTiled returned " + std::to_string(static_cast<int>(error)) + " for a matrix of " +
                                         std::to_string(box.rows) + " x " + std::to_string(box.columns) + ", row stride " +
                                         std::to_string(box.row_stride)};
} catch (...) {
  return {status_code::device_error, {}};
}

}  // namespace tileglu::sm90
