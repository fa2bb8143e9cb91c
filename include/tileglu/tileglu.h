/* tileglu's C ABI, C99: Y[m,n] = act(X[m,k] Wg[n,k]^T + bg) * (X Wu^T + bu), fused, and the whole gated MLP.
 *
 *   tileglu_problem p = {.m = 16, .n = 4864, .k = 896};                   // bf16, separate weights, silu
 *   tileglu_tensors t = {.x = x, .w = tileglu_separate(gate, up), .y = y};
 *   if (tileglu_gated_linear(&p, &t, stream) != TILEGLU_OK) fprintf(stderr, "%s\n", tileglu_last_error());
 *
 * A zero in a field is its default, so `= {0}` and designated initialisers give a sensible value.
 * A function that can fail returns a tileglu_status; tileglu_last_error() has the sentence that belongs to it.
 * Plans and devices are immutable once made and may be used by many threads at once.
 * Numbers, sizes and offsets in this file are frozen for one value of TILEGLU_ABI_VERSION. */
#ifndef TILEGLU_TILEGLU_H
#define TILEGLU_TILEGLU_H

#include <stddef.h>
#include <stdint.h>

#include "tileglu/export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEGLU_ABI_VERSION 1

/* "0.1.0", of the library that is linked. */
TILEGLU_API const char* tileglu_version(void);
/* TILEGLU_ABI_VERSION of the library that is linked; another number than this header's means that they do not fit. */
TILEGLU_API int32_t tileglu_abi_version(void);

/* ---- status ---- */

typedef int32_t tileglu_status;
enum {
  TILEGLU_OK = 0,
  TILEGLU_INVALID_ARGUMENT = 1,    /* a value that no backend could accept */
  TILEGLU_UNSUPPORTED = 2,         /* a valid problem that the chosen kernel, backend or device can't compute */
  TILEGLU_NOT_AVAILABLE = 3,       /* the backend or device is not on this machine, or not in this build */
  TILEGLU_WORKSPACE_TOO_SMALL = 4, /* fewer bytes than tileglu_plan_workspace_bytes */
  TILEGLU_WRONG_DEVICE = 5,        /* a plan for one device, run on another */
  TILEGLU_DEVICE_ERROR = 6,        /* CUDA reported an error; the text says whether it was there before the call */
  TILEGLU_OUT_OF_MEMORY = 7,
  TILEGLU_IO_ERROR = 8,
  TILEGLU_BAD_FILE = 9,
  TILEGLU_INTERNAL = 10 /* a defect of tileglu */
};

/* "invalid_argument". */
TILEGLU_API const char* tileglu_status_name(tileglu_status code);
/* What went wrong in this thread's last call that returned a tileglu_status: which argument, which value, what is allowed.
 * "" after a success. Never null; valid until the thread's next call of tileglu. */
TILEGLU_API const char* tileglu_last_error(void);

/* ---- the words of a problem; enums are passed as int32_t ---- */

enum { TILEGLU_BF16 = 0, TILEGLU_FP16 = 1 };

/* Weights are K-major: one row of k elements per output column, as torch.nn.Linear.weight stores it. */
enum {
  TILEGLU_SEPARATE = 0,        /* two matrices [n, k] */
  TILEGLU_STACKED_GATE_UP = 1, /* one matrix [2n, k]: the n gate rows, then the n up rows */
  TILEGLU_STACKED_UP_GATE = 2, /* one matrix [2n, k]: the n up rows, then the n gate rows */
  TILEGLU_INTERLEAVED = 3      /* one matrix [2n, k]: g0, u0, g1, u1, ... */
};

enum {
  TILEGLU_SILU = 0,
  TILEGLU_GELU_TANH = 1,
  TILEGLU_GELU_ERF = 2,
  TILEGLU_RELU = 3,
  TILEGLU_SIGMOID = 4,
  TILEGLU_IDENTITY = 5,
  TILEGLU_GPT_OSS = 6 /* gate * sigmoid(alpha gate) * (up + 1) */
};

enum {
  TILEGLU_FP32_THROUGH = 0, /* one rounding, at the store */
  TILEGLU_MATCH_UNFUSED = 1 /* gate, up and act(gate) rounded to the element type first */
};

enum { TILEGLU_AUTOMATIC = 0, TILEGLU_ORACLE = 1, TILEGLU_CPU = 2, TILEGLU_CUDA_PORTABLE = 3, TILEGLU_SM90 = 4 };

enum { TILEGLU_DEVICE_CPU = 0, TILEGLU_DEVICE_CUDA = 1 };

/* Words to numbers and back: "bf16", "stacked_gate_up", "gelu_tanh", "match_unfused", "cuda_portable". An unknown word gives -1,
 * an unknown number "unknown ...". */
TILEGLU_API int32_t tileglu_dtype_by_name(const char* name);
TILEGLU_API int32_t tileglu_layout_by_name(const char* name);
TILEGLU_API int32_t tileglu_activation_by_name(const char* name);
TILEGLU_API int32_t tileglu_numerics_by_name(const char* name);
TILEGLU_API int32_t tileglu_backend_by_name(const char* name);
TILEGLU_API const char* tileglu_dtype_name(int32_t value);
TILEGLU_API const char* tileglu_layout_name(int32_t value);
TILEGLU_API const char* tileglu_activation_name(int32_t value);
TILEGLU_API const char* tileglu_numerics_name(int32_t value);
TILEGLU_API const char* tileglu_backend_name(int32_t value);

/* A gated product. All matrices are row-major. */
typedef struct tileglu_problem {
  int64_t m;          /* rows of X and Y (tokens); 0 is a no-op */
  int64_t n;          /* columns of Y (the intermediate size) */
  int64_t k;          /* columns of X (the hidden size); 0 gives act(bg) * bu */
  int64_t ldx;        /* elements from one row of X to the next, 0: k */
  int64_t ldw;        /* elements from one weight row to the next, 0: k */
  int64_t ldy;        /* elements from one row of Y to the next, 0: n */
  int32_t x_type;     /* TILEGLU_BF16 ... */
  int32_t w_type;     /* the same as x_type */
  int32_t y_type;     /* the same as x_type */
  int32_t layout;     /* TILEGLU_SEPARATE ... */
  int32_t activation; /* TILEGLU_SILU ... */
  int32_t numerics;   /* TILEGLU_FP32_THROUGH ... */
  float alpha;        /* of TILEGLU_GPT_OSS; 0: 1.702 */
  float limit;        /* clamps gate to (-inf, limit] and up to [-limit, limit]; 0: 7 for TILEGLU_GPT_OSS, else no clamp; INFINITY: no clamp */
  int32_t bias;       /* 1: a bias of n elements on each half; 0: none. Other numbers are errors, here as in every such field */
  int32_t reserved[3]; /* 0 */
} tileglu_problem;

/* The gate and up weights, with the layout that the pointers mean: a plan for another layout refuses them. */
typedef struct tileglu_weights {
  const void* first;  /* the gate matrix, or the one matrix */
  const void* second; /* the up matrix, or null */
  int32_t layout;     /* TILEGLU_SEPARATE ... */
  int32_t reserved;   /* 0 */
} tileglu_weights;

static inline tileglu_weights tileglu_weights_of(int32_t layout, const void* first, const void* second) {
  tileglu_weights w;
  w.first = first;
  w.second = second;
  w.layout = layout;
  w.reserved = 0;
  return w;
}
static inline tileglu_weights tileglu_separate(const void* gate, const void* up) { return tileglu_weights_of(TILEGLU_SEPARATE, gate, up); }
static inline tileglu_weights tileglu_stacked_gate_up(const void* w) { return tileglu_weights_of(TILEGLU_STACKED_GATE_UP, w, NULL); }
static inline tileglu_weights tileglu_stacked_up_gate(const void* w) { return tileglu_weights_of(TILEGLU_STACKED_UP_GATE, w, NULL); }
static inline tileglu_weights tileglu_interleaved(const void* w) { return tileglu_weights_of(TILEGLU_INTERLEAVED, w, NULL); }

/* The memory of one call, in the device's address space; 16-byte aligned for the fused kernels. */
typedef struct tileglu_tensors {
  const void* x; /* [m, k] */
  tileglu_weights w;
  void* y;               /* [m, n]; may not overlap an input */
  const void* bias_gate; /* [n], where problem.bias */
  const void* bias_up;   /* [n], where problem.bias */
  void* workspace;       /* tileglu_plan_workspace_bytes, 256-byte aligned; null where that is 0 */
  size_t workspace_bytes;
  const void* reserved[2]; /* null */
} tileglu_tensors;

/* A cudaStream_t, or null for the default stream. CPU backends ignore it and return when Y is written. */
typedef void* tileglu_stream;

/* ---- devices ---- */

typedef struct tileglu_device tileglu_device;

/* `name`: "this" (the best device of this machine), "cpu", "cuda" or "cuda:1" (of this machine); "h100", "h200", "a100" or "none" (a
 * machine with no GPU) to plan for a machine that is not here. Free it with tileglu_device_destroy. */
TILEGLU_API tileglu_status tileglu_device_create(const char* name, tileglu_device** out);
TILEGLU_API void tileglu_device_destroy(tileglu_device* device); /* null is allowed */

typedef struct tileglu_device_facts {
  char name[128]; /* ends with 0 */
  int32_t kind;   /* TILEGLU_DEVICE_CPU or TILEGLU_DEVICE_CUDA */
  int32_t ordinal; /* CUDA device number */
  int32_t compute_capability; /* 90 for sm_90; 0 on a CPU */
  int32_t sm_count;
  int64_t l2_bytes;
  int64_t shared_bytes_per_block;
  int32_t driver_version;
  int32_t sm90_kernels_built;
  double memory_bytes_per_second;
  int32_t threads; /* of a CPU */
  int32_t avx2;
  int32_t avx512_bf16;
  int32_t amx_bf16;
  int64_t cache_bytes; /* private cache of a core */
  int32_t onednn;      /* this build has oneDNN */
  int32_t reserved[5];
} tileglu_device_facts;

TILEGLU_API tileglu_status tileglu_device_get_facts(const tileglu_device* device, tileglu_device_facts* out);

/* Is this backend in this build and can this machine run it? "" where it can, else why not. Never null; static storage or valid until
 * the thread's next call of tileglu. */
TILEGLU_API const char* tileglu_backend_missing(int32_t backend);

/* ---- problem -> plan ---- */

typedef struct tileglu_options {
  const char* kernel;      /* a row or a kernel by name ("decode"); null or "": the planner's choice */
  int64_t workspace_limit; /* bytes that the caller is ready to hand in; 0: any, negative: none */
  int32_t backend;         /* TILEGLU_AUTOMATIC ... */
  int32_t wait_for_weights; /* 1: the kernel directly before on the stream may write the weights, so they may not be read ahead of its end */
  int32_t reserved[2];     /* 0 */
} tileglu_options;

typedef struct tileglu_plan tileglu_plan;

/* Is this a problem that the library defines? */
TILEGLU_API tileglu_status tileglu_validate(const tileglu_problem* problem);
/* `options` may be null. Free the plan with tileglu_plan_destroy once no run on it is being issued. */
TILEGLU_API tileglu_status tileglu_plan_create(const tileglu_problem* problem, const tileglu_device* device, const tileglu_options* options,
                                               tileglu_plan** out);
TILEGLU_API void tileglu_plan_destroy(tileglu_plan* plan); /* null is allowed */

/* Questions about a plan; texts live as long as the plan. A null plan gives 0 or "". */
TILEGLU_API size_t tileglu_plan_workspace_bytes(const tileglu_plan* plan);
TILEGLU_API const char* tileglu_plan_row(const tileglu_plan* plan); /* the name of the chosen row */
TILEGLU_API int32_t tileglu_plan_backend(const tileglu_plan* plan);
TILEGLU_API double tileglu_plan_cost_us(const tileglu_plan* plan); /* the model's estimate; infinity: none, for a row that was asked for by name */
TILEGLU_API const char* tileglu_plan_reason(const tileglu_plan* plan);
TILEGLU_API const char* tileglu_plan_explain(const tileglu_plan* plan); /* lines: considered, refused (why), chosen (why) */

typedef struct tileglu_candidate {
  const char* row;
  const char* reason; /* why it was refused, or what its cost consists of */
  double cost_us;     /* where it is not refused; infinity: no estimate, chosen only where it is asked for by name */
  int32_t backend;
  int32_t refused;
} tileglu_candidate;

TILEGLU_API size_t tileglu_plan_candidate_count(const tileglu_plan* plan);
TILEGLU_API tileglu_status tileglu_plan_get_candidate(const tileglu_plan* plan, size_t index, tileglu_candidate* out);

/* Every row of the planner's tables; null past the end. */
TILEGLU_API size_t tileglu_kernel_count(void);
TILEGLU_API const char* tileglu_kernel_name(size_t index);

/* ---- plan -> run ---- */

/* Make what a first run would otherwise make. Call it before a CUDA graph is captured and where a first call must not allocate. */
TILEGLU_API tileglu_status tileglu_prepare(const tileglu_plan* plan);
/* Compute. After tileglu_prepare it neither allocates nor synchronises; many threads may call it on many streams. */
TILEGLU_API tileglu_status tileglu_run(const tileglu_plan* plan, const tileglu_tensors* tensors, tileglu_stream stream);
/* Plan (once per problem, kept for the life of the process) and run on the calling thread's CUDA device, else on the CPU. Where the plan
 * needs workspace, the library makes one per stream at the first call: use a stream once before it is captured in a CUDA graph. */
TILEGLU_API tileglu_status tileglu_gated_linear(const tileglu_problem* problem, const tileglu_tensors* tensors, tileglu_stream stream);

/* ---- the whole MLP: Z = (act(X Wg^T) * (X Wu^T)) Wd^T ---- */

typedef struct tileglu_mlp_problem {
  tileglu_problem gate_up; /* its ldy is the library's to choose: leave it 0 */
  int64_t hidden_out;      /* columns of Z */
  int64_t ldd;             /* elements from one row of Wd [hidden_out, n] to the next, 0: n */
  int64_t ldz;             /* elements from one row of Z [m, hidden_out] to the next, 0: hidden_out */
  int32_t down_bias;       /* 1: a bias of hidden_out elements */
  int32_t reserved[3];     /* 0 */
} tileglu_mlp_problem;

typedef struct tileglu_mlp_tensors {
  const void* x; /* [m, k] */
  tileglu_weights w;
  const void* bias_gate; /* [n], where gate_up.bias */
  const void* bias_up;   /* [n], where gate_up.bias */
  const void* w_down;    /* [hidden_out, n] */
  const void* bias_down; /* [hidden_out], where down_bias */
  void* z;               /* [m, hidden_out]; may not overlap an input */
  void* workspace;       /* tileglu_mlp_plan_workspace_bytes, 256-byte aligned */
  size_t workspace_bytes;
  const void* reserved[2]; /* null */
} tileglu_mlp_tensors;

typedef struct tileglu_mlp_plan tileglu_mlp_plan;

TILEGLU_API tileglu_status tileglu_mlp_plan_create(const tileglu_mlp_problem* problem, const tileglu_device* device,
                                                   const tileglu_options* options, tileglu_mlp_plan** out);
TILEGLU_API void tileglu_mlp_plan_destroy(tileglu_mlp_plan* plan); /* null is allowed */
TILEGLU_API size_t tileglu_mlp_plan_workspace_bytes(const tileglu_mlp_plan* plan);
TILEGLU_API const char* tileglu_mlp_plan_row(const tileglu_mlp_plan* plan); /* the row of the gated product */
TILEGLU_API const char* tileglu_mlp_plan_explain(const tileglu_mlp_plan* plan);
TILEGLU_API tileglu_status tileglu_mlp_prepare(const tileglu_mlp_plan* plan);
TILEGLU_API tileglu_status tileglu_mlp_run(const tileglu_mlp_plan* plan, const tileglu_mlp_tensors* tensors, tileglu_stream stream);

/* ---- packing and the reference ---- */

/* Copy [n, k] gate and up weights of a 2-byte type to another layout, dense rows on both sides; packing back gives the same bytes.
 * `to.second` is the up matrix of TILEGLU_SEPARATE, else null. `device` says whose memory the pointers are; on a CUDA device the
 * copy runs on `stream` and is not waited for. */
typedef struct tileglu_packed_weights {
  void* first;
  void* second;
  int32_t layout;
  int32_t reserved; /* 0 */
} tileglu_packed_weights;

TILEGLU_API tileglu_status tileglu_pack(const tileglu_weights* from, const tileglu_packed_weights* to, int64_t n, int64_t k,
                                        const tileglu_device* device, tileglu_stream stream);

/* Rows [row_begin, row_end) of Y in float64, of the exact values of the inputs, into `out` [row_end - row_begin, n]. Host memory; slow.
 * `single` 0: that; 1: the same in float32 with one rounding at the end (or as numerics says), the error that tolerances are measured by. */
TILEGLU_API tileglu_status tileglu_reference(const tileglu_problem* problem, const tileglu_tensors* tensors, int64_t row_begin, int64_t row_end,
                                             int32_t single, double* out);

#ifdef __cplusplus
}
#endif

#endif /* TILEGLU_TILEGLU_H */
