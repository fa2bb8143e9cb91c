#include "cublaslt/loader.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

namespace tileglu::cublaslt {
namespace {

constexpr const char* soname = "libcublasLt.so.13";
constexpr const char* places[] = {soname, "/usr/local/cuda/lib64/libcublasLt.so.13"};

void* open_library(std::string& why) {
  if (void* loaded = dlopen(soname, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr) return loaded;  // the process's own, torch's say
  for (const char* place : places) {
    if (void* loaded = dlopen(place, RTLD_NOW | RTLD_LOCAL); loaded != nullptr) return loaded;
    const char* error = dlerror();
    why += "; " + std::string(error != nullptr ? error : place);
  }
  return nullptr;
}

template <class Function>
bool find(void* from, const char* symbol, Function& into, std::string& missing) {
  into = reinterpret_cast<Function>(dlsym(from, symbol));
  if (into == nullptr && missing.empty()) missing = symbol;
  return into != nullptr;
}

result<library> load_once() {
  std::string why;
  void* from = open_library(why);
  if (from == nullptr)
    return status(status_code::not_available,
                  "cuBLASLt of CUDA 13 was not found" + why +
                      ". It comes with the CUDA toolkit, or with the PyPI package nvidia-cublas, whose folder LD_LIBRARY_PATH may name");
  library lt{};
  std::string missing;
  find(from, "cublasLtCreate", lt.create, missing);
  find(from, "cublasLtDestroy", lt.destroy, missing);
  find(from, "cublasLtGetVersion", lt.version, missing);
  find(from, "cublasLtGetStatusName", lt.status_name, missing);
  find(from, "cublasLtMatmul", lt.matmul, missing);
  find(from, "cublasLtMatmulAlgoGetHeuristic", lt.heuristic, missing);
  find(from, "cublasLtMatmulDescInit_internal", lt.init_desc, missing);
  find(from, "cublasLtMatmulDescSetAttribute", lt.set_desc, missing);
  find(from, "cublasLtMatrixLayoutInit_internal", lt.init_layout, missing);
  find(from, "cublasLtMatmulPreferenceInit_internal", lt.init_preference, missing);
  find(from, "cublasLtMatmulPreferenceSetAttribute", lt.set_preference, missing);
  if (!missing.empty()) return status(status_code::not_available, "libcublasLt.so.13 has no function " + missing);
  return lt;
}

}  // namespace

const result<library>& load() {
  static const result<library> loaded = load_once();
  return loaded;
}

status check(cublasStatus_t outcome, const char* call) {
  if (outcome == CUBLAS_STATUS_SUCCESS) return {};
  const status_code code = outcome == CUBLAS_STATUS_ALLOC_FAILED ? status_code::out_of_memory : status_code::device_error;
  return {code, std::string(call) + ": cuBLASLt reports " + load()->status_name(outcome)};
}

result<cublasLtHandle_t> handle_of(int ordinal) {
  const result<library>& lt = load();
  if (!lt) return lt.error();
  static std::mutex mutex;
  static auto& handles = *new std::map<int, cublasLtHandle_t>;  // never destroyed: CUDA may be gone by the time that static objects are
  const std::lock_guard lock(mutex);
  if (const auto known = handles.find(ordinal); known != handles.end()) return known->second;
  cublasLtHandle_t made = nullptr;
  if (status s = check(lt->create(&made), "cublasLtCreate"); !s.ok()) return s;
  handles.emplace(ordinal, made);
  return made;
}

}  // namespace tileglu::cublaslt
