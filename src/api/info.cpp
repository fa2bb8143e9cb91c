#include "tileglu/info.hpp"

#include "backend/port.hpp"
#include "tileglu/version.hpp"

namespace tileglu {
namespace {

backend_info describe(backend_id id) {
  backend_info info;
  info.id = id;
  if (const backend* b = find_backend(id)) {
    info.built = true;
    info.summary = b->summary;
    info.missing = b->missing();
  } else if (id == backend_id::cuda_portable || id == backend_id::sm90) {
    const std::string_view reason = TILEGLU_CUDA_REASON;
    info.missing = "not in this build of tileglu" + (reason.empty() ? std::string{} : ": " + std::string(reason));
  } else {
    info.missing = "not in this build of tileglu";
  }
  return info;
}

}  // namespace

std::vector<backend_info> list_backends() {
  std::vector<backend_info> all;
  for (int id = 1; id <= static_cast<int>(backend_id::sm90); ++id) all.push_back(describe(static_cast<backend_id>(id)));
  return all;
}

build_info this_build() {
  build_info info;
  info.version = version();
  info.compiler = TILEGLU_COMPILER;
#ifdef TILEGLU_HAS_CUDA
  info.cuda = "nvcc " TILEGLU_CUDA_COMPILER_VERSION;
#else
  info.cuda_reason = TILEGLU_CUDA_REASON;
#endif
  return info;
}

}  // namespace tileglu
