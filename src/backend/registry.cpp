// The one file that names every backend.
#include <array>

#include "backend/port.hpp"

namespace tileglu {

extern const backend oracle_backend;  // cpu/oracle_backend.cpp
#ifdef TILEGLU_HAS_CUDA
extern const backend sm90_backend;  // sm90/backend.cpp
#endif

namespace {
constexpr std::array all = {
#ifdef TILEGLU_HAS_CUDA
    &sm90_backend,
#endif
    &oracle_backend,
};
}

std::span<const backend* const> backends() noexcept { return all; }

const backend* find_backend(backend_id id) noexcept {
  for (const backend* b : all)
    if (b->id == id) return b;
  return nullptr;
}

const cuda_services* find_cuda_services() noexcept { return nullptr; }

}  // namespace tileglu
