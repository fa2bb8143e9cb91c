// The one file that names every backend.
#include <array>

#include "backend/port.hpp"

namespace tileglu {

extern const backend cpu_backend;     // cpu/backend.cpp
extern const backend oracle_backend;  // cpu/oracle_backend.cpp
#ifdef TILEGLU_HAS_CUDA
extern const backend sm90_backend;                  // sm90/backend.cpp
extern const backend cublaslt_backend;              // cublaslt/backend.cpp
extern const cuda_services cuda_runtime_services;  // cuda/services.cpp
#endif

namespace {

constexpr std::array all = {
#ifdef TILEGLU_HAS_CUDA
    &sm90_backend,
    &cublaslt_backend,
#endif
    &cpu_backend,
    &oracle_backend,
};

}  // namespace

std::span<const backend* const> backends() noexcept { return all; }

const backend* find_backend(backend_id id) noexcept {
  for (const backend* b : all)
    if (b->id == id) return b;
  return nullptr;
}

const cuda_services* find_cuda_services() noexcept {
#ifdef TILEGLU_HAS_CUDA
  return &cuda_runtime_services;
#else
  return nullptr;
#endif
}

}  // namespace tileglu
