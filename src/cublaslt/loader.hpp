// cuBLASLt, found at run time: a machine without it runs everything else, the binary stays small, and in a Python process the
// library that torch has loaded already is the one that is used.
#pragma once

#include <cublasLt.h>

#include "tileglu/status.hpp"

namespace tileglu::cublaslt {

/// The entry points that the portable path calls.
struct library {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtGetStatusName) status_name;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulDescInit_internal) init_desc;
  decltype(&cublasLtMatmulDescSetAttribute) set_desc;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
};

/// The library, loaded at the first call; not_available says what was looked for.
const result<library>& load();

/// ok, or what `call` reported.
status check(cublasStatus_t outcome, const char* call);

/// The handle of a device, made at the first call with that device current, and kept for the life of the process.
result<cublasLtHandle_t> handle_of(int ordinal);

}  // namespace tileglu::cublaslt
