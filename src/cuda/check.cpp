#include "cuda/check.hpp"

#include <string>

#include "cuda/facts.hpp"

namespace tileglu::cuda {
namespace {

std::string in_words(cudaError_t error) { return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")"; }

/// Errors that a context reports for ever once a kernel or copy has failed: a launch can't cause them, only meet them.
bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorExternalDevice:
    case cudaErrorTensorMemoryLeak: return true;
    default: return false;
  }
}

status was_there_before(cudaError_t error) {
  return {status_code::device_error, "CUDA reports " + in_words(error) +
                                         "; the error was there before this call, from earlier work of this process; tileglu launched nothing"};
}

status_code code_of(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation: return status_code::out_of_memory;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorSystemDriverMismatch: return status_code::not_available;
    default: return status_code::device_error;
  }
}

}  // namespace

status check(cudaError_t error, std::string_view call) {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();
  if (is_sticky(error)) return was_there_before(error);
  return {code_of(error), std::string(call) + ": CUDA reports " + in_words(error)};
}

status check_launch(cudaError_t error, std::string_view kernel) {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();
  if (is_sticky(error)) return was_there_before(error);
  return {code_of(error), "launch of " + std::string(kernel) + ": CUDA reports " + in_words(error)};
}

status ready_to_launch(const device_facts& planned, stream_handle on) {
  if (const cudaError_t left = cudaPeekAtLastError(); left != cudaSuccess) return was_there_before(left);
  int current = -1;
  if (const cudaError_t e = cudaGetDevice(&current); e != cudaSuccess) return check(e, "cudaGetDevice");
  if (current != planned.ordinal)
    return {status_code::wrong_device, "the calling thread's current device is " + std::to_string(current) + "; this plan was made for device " +
                                           std::to_string(planned.ordinal) + " (" + planned.name + "): cudaSetDevice(" +
                                           std::to_string(planned.ordinal) + ") first"};
  // Asks the context (0.08 us), and so meets a failed kernel of earlier: what comes next may be cuTensorMapEncodeTiled, which returns that
  // failure as its own. Legal on a stream that is being captured, where cudaStreamQuery is not.
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  const cudaError_t e = cudaStreamIsCapturing(to_stream(on), &capturing);
  if (e == cudaSuccess) return {};
  (void)cudaGetLastError();
  if (is_sticky(e)) return was_there_before(e);
  return check(e, "the stream that was handed in");
}

status check_device_of(const device_facts& planned, device_bond bond) {
  // Attributes are read from the runtime; properties, of which only the words of an error need the name, are queried from the driver.
  int major = 0, minor = 0;
  device_facts real;
  real.kind = device_kind::cuda;
  bool known = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, planned.ordinal) == cudaSuccess;
  known = known && cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, planned.ordinal) == cudaSuccess;
  known = known && cudaDeviceGetAttribute(&real.sm_count, cudaDevAttrMultiProcessorCount, planned.ordinal) == cudaSuccess;
  real.compute_capability = 10 * major + minor;
  if (known && check_device(planned, real, bond).ok()) return {};
  (void)cudaGetLastError();
  const auto named = device_of(planned.ordinal);
  return named ? check_device(planned, *named, bond) : named.error();
}

current_device::current_device(int ordinal) {
  if (const cudaError_t e = cudaGetDevice(&before_); e != cudaSuccess) {
    outcome_ = check(e, "cudaGetDevice");
    return;
  }
  if (before_ == ordinal) return;
  outcome_ = check(cudaSetDevice(ordinal), "cudaSetDevice(" + std::to_string(ordinal) + ")");
  changed_ = outcome_.ok();
}

current_device::~current_device() {
  if (changed_) (void)cudaSetDevice(before_);
}

}  // namespace tileglu::cuda
