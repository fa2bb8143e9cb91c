// The portable CUDA room without a GPU: what it finds, and how it divides its workspace.
#include <gtest/gtest.h>

#include "cublaslt/loader.hpp"
#include "cuda/check.hpp"
#include "plan/portable_workspace.hpp"
#include "tileglu/tileglu.hpp"

namespace tileglu {
namespace {

TEST(Loader, FindsEveryFunctionOrSaysWhatItLookedFor) {
  const auto& lt = cublaslt::load();
  if (!lt.ok()) {
    EXPECT_EQ(lt.error().code(), status_code::not_available);
    EXPECT_NE(lt.error().text().find("libcublasLt.so.13"), std::string::npos) << lt.error().text();
    return;
  }
  EXPECT_GE(lt->version(), 130000u);
  EXPECT_TRUE(cublaslt::check(CUBLAS_STATUS_SUCCESS, "x").ok());
  const status s = cublaslt::check(CUBLAS_STATUS_ALLOC_FAILED, "cublasLtCreate");
  EXPECT_EQ(s.code(), status_code::out_of_memory);
  EXPECT_NE(s.text().find("cublasLtCreate: cuBLASLt reports CUBLAS_STATUS_ALLOC_FAILED"), std::string::npos) << s.text();
}

TEST(Check, ToldApart) {
  EXPECT_TRUE(cuda::check(cudaSuccess, "x").ok());
  EXPECT_EQ(cuda::check(cudaErrorMemoryAllocation, "cudaMalloc").code(), status_code::out_of_memory);
  EXPECT_EQ(cuda::check(cudaErrorInvalidValue, "cudaMemcpy").code(), status_code::device_error);
  EXPECT_EQ(cuda::check(cudaErrorNoKernelImageForDevice, "x").code(), status_code::not_available);
  // A launch can't fault: what it reports as a fault is an earlier kernel's.
  const status fault = cuda::check_launch(cudaErrorIllegalAddress, "a kernel");
  EXPECT_EQ(fault.code(), status_code::device_error);
  EXPECT_NE(fault.text().find("before this call"), std::string::npos) << fault.text();
  EXPECT_EQ(cuda::check_launch(cudaErrorInvalidConfiguration, "a kernel").text().find("before this call"), std::string::npos);
}

using plan_detail::portable_layout;

problem shaped(std::int64_t m, std::int64_t n, std::int64_t k, weight_layout layout, bool bias = false, numerics mode = numerics::fp32_through) {
  problem p{.m = m, .n = n, .k = k};
  p.layout = layout, p.bias = bias, p.mode = mode;
  return p;
}

TEST(PortableLayout, HoldsWhatTheProductsWrite) {
  for (const auto layout : {weight_layout::separate, weight_layout::stacked_gate_up, weight_layout::stacked_up_gate, weight_layout::interleaved})
    for (const std::int64_t n : {1, 7, 8, 1000, 29568})
      for (const std::int64_t m : {1, 3, 4097, 1000000}) {
        const auto l = portable_layout(shaped(m, n, 64, layout));
        // The last column of either half lies in its row, and the halves apart.
        const std::int64_t last_gate = l.gate_offset + (n - 1) * l.step, last_up = l.up_offset + (n - 1) * l.step;
        EXPECT_LT(std::max(last_gate, last_up), l.row_stride);
        EXPECT_TRUE(l.step == 2 ? l.up_offset == l.gate_offset + 1 : last_gate < l.up_offset || last_up < l.gate_offset);
        EXPECT_EQ(l.row_stride % 8, 0);
        EXPECT_EQ(l.bytes % 256, 0u);
        EXPECT_GE(l.bytes, static_cast<std::size_t>(l.rows_per_pass * l.row_stride * l.element_bytes));
        EXPECT_GE(l.rows_per_pass, 1);
        EXPECT_LE(l.rows_per_pass, m);
      }
}

TEST(PortableLayout, PassesBoundTheWorkspace) {
  const auto whole = portable_layout(shaped(4096, 29568, 8192, weight_layout::separate));
  EXPECT_EQ(whole.rows_per_pass, 4096);
  const problem huge = shaped(1 << 20, 29568, 8192, weight_layout::separate);
  const auto passes = portable_layout(huge);
  EXPECT_EQ(passes.rows_per_pass % 256, 0);
  EXPECT_LE(passes.bytes, static_cast<std::size_t>(plan_detail::most_intermediate_bytes));
  EXPECT_EQ(plan_detail::portable_workspace_bytes(huge), passes.bytes + plan_detail::product_workspace);
}

TEST(PortableLayout, SixteenBitIntermediatesOnlyWhereTheStoreRoundsLast) {
  EXPECT_EQ(portable_layout(shaped(8, 8, 8, weight_layout::separate)).element_bytes, 4);
  EXPECT_EQ(portable_layout(shaped(8, 8, 8, weight_layout::separate, false, numerics::match_unfused)).element_bytes, 2);
  EXPECT_EQ(portable_layout(shaped(8, 8, 8, weight_layout::separate, true, numerics::match_unfused)).element_bytes, 4);
}

TEST(PortableLayout, NoProductNoWorkspace) {
  EXPECT_EQ(plan_detail::portable_workspace_bytes(shaped(8, 8, 0, weight_layout::separate)), 0u);
  EXPECT_EQ(plan_detail::portable_workspace_bytes(shaped(0, 8, 8, weight_layout::separate)), 0u);
}

}  // namespace
}  // namespace tileglu
