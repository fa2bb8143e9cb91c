#include "cublaslt/product.hpp"

#include <cstdint>
#include <string>

#include "cublaslt/plain_product.cuh"
#include "cuda/check.hpp"
#include "plan/portable_workspace.hpp"

namespace tileglu::cublaslt {
namespace {

cudaDataType_t data_type(dtype type) { return type == dtype::bf16 ? CUDA_R_16BF : CUDA_R_16F; }

template <class Value>
bool set(const library& lt, cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  return lt.set_desc(desc, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}

template <class Value>
bool set(const library& lt, cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
  return lt.set_preference(preference, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace

result<product> product::make(const product_shape& shape, cublasLtHandle_t handle) {
  product made;
  made.shape_ = shape;
  made.handle_ = handle;
  if (status s = prepare_plain_product(shape); !s.ok()) return s;
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return made;
  const library& lt = *load();
  descriptors& d = made.described_;
  // cuBLASLt's matrices are column-major: a row-major [rows, width] is its [width, rows]. So D^T [n, m] = W X^T, with W transposed.
  const cudaDataType_t in = data_type(shape.type), out = shape.float32_result ? CUDA_R_32F : in;
  const auto layout = [&](cublasLtMatrixLayoutOpaque_t& of, cudaDataType_t type, std::int64_t rows, std::int64_t width, std::int64_t stride) {
    return lt.init_layout(&of, sizeof of, type, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(rows), stride) == CUBLAS_STATUS_SUCCESS;
  };
  const cublasOperation_t transposed = CUBLAS_OP_T, plain = CUBLAS_OP_N;
  bool ok = lt.init_desc(&d.multiply, sizeof d.multiply, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS;
  ok = ok && set(lt, &d.multiply, CUBLASLT_MATMUL_DESC_TRANSA, transposed) && set(lt, &d.multiply, CUBLASLT_MATMUL_DESC_TRANSB, plain);
  if (shape.bias) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    const void* const pretend = reinterpret_cast<const void*>(std::uintptr_t{256});  // the heuristic looks at its alignment alone
    ok = ok && set(lt, &d.multiply, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue) && set(lt, &d.multiply, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, in) &&
         set(lt, &d.multiply, CUBLASLT_MATMUL_DESC_BIAS_POINTER, pretend);
  }
  ok = ok && layout(d.w, in, shape.n, shape.k, shape.ldw) && layout(d.x, in, shape.m, shape.k, shape.ldx) &&
       layout(d.d, out, shape.m, shape.n, shape.ldd);
  if (!ok) return status(status_code::internal, "cuBLASLt refused the description of a product");
  made.aligned_ = made.choose(16);
  if (!shape.bias) made.unaligned_ = made.choose(2);
  return made;
}

std::optional<cublasLtMatmulAlgo_t> product::choose(std::uint32_t alignment) const {
  const library& lt = *load();
  cublasLtMatmulPreferenceOpaque_t preference{};
  // Partial sums over slices of K may only meet in float32 and in a fixed order: no rounding twice, the same bits on every run.
  const std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  bool ok = lt.init_preference(&preference, sizeof preference) == CUBLAS_STATUS_SUCCESS;
  ok = ok && set(lt, &preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, plan_detail::product_workspace);
  ok = ok && set(lt, &preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions);
  for (const auto which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    ok = ok && set(lt, &preference, which, alignment);
  if (!ok) return std::nullopt;
  descriptors d = described_;
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  if (lt.heuristic(handle_, &d.multiply, &d.w, &d.x, &d.d, &d.d, &preference, 1, &found, &count) != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  if (count == 0 || found.state != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  return found.algo;
}

status product::run(const product_pointers& at, void* workspace, stream_handle on) const {
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const bool is_aligned = (address(at.x) | address(at.w) | address(at.d) | address(at.bias)) % 16 == 0;
  const std::optional<cublasLtMatmulAlgo_t>& algorithm = is_aligned ? aligned_ : unaligned_;
  if (!algorithm) return launch_plain_product(shape_, at, on);
  const library& lt = *load();
  descriptors d = described_;  // the caller's bias goes into a copy: runs on other threads have theirs
  if (shape_.bias && !set(lt, &d.multiply, CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.bias))
    return {status_code::internal, "cuBLASLt refused a bias pointer"};
  const float one = 1, zero = 0;
  return check(lt.matmul(handle_, &d.multiply, &one, at.w, &d.w, at.x, &d.x, &zero, at.d, &d.d, at.d, &d.d, &*algorithm, workspace,
                         plan_detail::product_workspace, cuda::to_stream(on)),
               "cublasLtMatmul");
}

}  // namespace tileglu::cublaslt
