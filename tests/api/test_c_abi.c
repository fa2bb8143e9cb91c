/* The C ABI from C: frozen sizes and offsets, errors with their words, and a product through plan, run and the one-line call. */
#include "tileglu/tileglu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: %s does not hold; last error: %s\n", __FILE__, __LINE__, #condition, tileglu_last_error()); \
      failures++;                                                                         \
    }                                                                                     \
  } while (0)

/* An array of negative size where a size or an offset has moved: C99's static assertion. */
#define FROZEN(name, value, expected) typedef char frozen_##name[(value) == (expected) ? 1 : -1]
FROZEN(problem, sizeof(tileglu_problem), 96);
FROZEN(problem_ldx, offsetof(tileglu_problem, ldx), 24);
FROZEN(problem_x_type, offsetof(tileglu_problem, x_type), 48);
FROZEN(problem_layout, offsetof(tileglu_problem, layout), 60);
FROZEN(problem_numerics, offsetof(tileglu_problem, numerics), 68);
FROZEN(problem_limit, offsetof(tileglu_problem, limit), 76);
FROZEN(problem_bias, offsetof(tileglu_problem, bias), 80);
FROZEN(weights, sizeof(tileglu_weights), 24);
FROZEN(weights_layout, offsetof(tileglu_weights, layout), 16);
FROZEN(packed, sizeof(tileglu_packed_weights), 24);
FROZEN(tensors, sizeof(tileglu_tensors), 88);
FROZEN(tensors_y, offsetof(tileglu_tensors, y), 32);
FROZEN(tensors_workspace_bytes, offsetof(tileglu_tensors, workspace_bytes), 64);
FROZEN(options, sizeof(tileglu_options), 32);
FROZEN(options_backend, offsetof(tileglu_options, backend), 16);
FROZEN(candidate, sizeof(tileglu_candidate), 32);
FROZEN(facts, sizeof(tileglu_device_facts), 224);
FROZEN(facts_threads, offsetof(tileglu_device_facts, threads), 176);
FROZEN(facts_onednn, offsetof(tileglu_device_facts, onednn), 200);
FROZEN(mlp_problem, sizeof(tileglu_mlp_problem), 136);
FROZEN(mlp_problem_hidden_out, offsetof(tileglu_mlp_problem, hidden_out), 96);
FROZEN(mlp_tensors, sizeof(tileglu_mlp_tensors), 104);
FROZEN(mlp_tensors_z, offsetof(tileglu_mlp_tensors, z), 64);

static int says(const char* word) { return strstr(tileglu_last_error(), word) != NULL; }

static uint16_t bf16(double value) { /* exact for the small numbers used here */
  const float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static double from_bf16(uint16_t value) {
  const uint32_t bits = (uint32_t)value << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

enum { M = 3, N = 8, K = 16 };
static uint16_t x[M * K], gate[N * K], up[N * K], y[M * N];

static void fill(void) {
  for (int i = 0; i < M * K; i++) x[i] = bf16((i % 7 - 3) * 0.25);
  for (int i = 0; i < N * K; i++) {
    gate[i] = bf16((i % 5 - 2) * 0.5);
    up[i] = bf16((i % 3 - 1) * 0.5);
  }
}

static int equals_reference(const tileglu_problem* p, const tileglu_tensors* t) {
  double want[M * N];
  CHECK(tileglu_reference(p, t, 0, p->m, 0, want) == TILEGLU_OK);
  for (int i = 0; i < M * N; i++)
    if (!(fabs(from_bf16(y[i]) - want[i]) <= 0.0079 * fabs(want[i]) + 1e-6)) return 0;
  return 1;
}

static void test_versions_and_words(void) {
  CHECK(tileglu_abi_version() == TILEGLU_ABI_VERSION);
  CHECK(strchr(tileglu_version(), '.') != NULL);
  CHECK(strcmp(tileglu_status_name(TILEGLU_WRONG_DEVICE), "wrong_device") == 0);
  CHECK(tileglu_dtype_by_name("fp16") == TILEGLU_FP16);
  CHECK(tileglu_layout_by_name("interleaved") == TILEGLU_INTERLEAVED);
  CHECK(tileglu_activation_by_name("gpt_oss") == TILEGLU_GPT_OSS);
  CHECK(tileglu_numerics_by_name("match_unfused") == TILEGLU_MATCH_UNFUSED);
  CHECK(tileglu_backend_by_name("sm90") == TILEGLU_SM90);
  CHECK(tileglu_backend_by_name("tpu") == -1);
  CHECK(tileglu_backend_by_name(NULL) == -1);
  CHECK(strcmp(tileglu_activation_name(TILEGLU_GELU_ERF), "gelu_erf") == 0);
  CHECK(strcmp(tileglu_backend_missing(TILEGLU_ORACLE), "") == 0);
  CHECK(tileglu_kernel_count() > 0 && tileglu_kernel_name(0) != NULL);
  CHECK(tileglu_kernel_name(tileglu_kernel_count()) == NULL);
}

static void test_devices(void) {
  tileglu_device* device = NULL;
  tileglu_device_facts facts;
  CHECK(tileglu_device_create("h200", &device) == TILEGLU_OK);
  CHECK(tileglu_device_get_facts(device, &facts) == TILEGLU_OK);
  CHECK(facts.kind == TILEGLU_DEVICE_CUDA && facts.compute_capability == 90 && strcmp(facts.name, "NVIDIA H200") == 0);
  tileglu_device_destroy(device);
  CHECK(tileglu_device_create("toaster", &device) == TILEGLU_INVALID_ARGUMENT && says("toaster") && says("h200") && device == NULL);
  CHECK(tileglu_device_create(NULL, &device) == TILEGLU_INVALID_ARGUMENT && says("name is null"));
  CHECK(tileglu_device_create("cuda:x", &device) == TILEGLU_INVALID_ARGUMENT);
  tileglu_device_destroy(NULL);
}

static void test_plan(void) {
  const tileglu_problem p = {.m = M, .n = N, .k = K};
  const tileglu_tensors t = {.x = x, .w = tileglu_separate(gate, up), .y = y};
  tileglu_device* cpu = NULL;
  tileglu_plan* plan = NULL;
  tileglu_options options = {.kernel = "oracle"};
  tileglu_candidate c;
  int refused = 0;
  CHECK(tileglu_device_create("cpu", &cpu) == TILEGLU_OK);
  CHECK(tileglu_plan_create(&p, cpu, &options, &plan) == TILEGLU_OK);
  CHECK(strcmp(tileglu_plan_row(plan), "oracle") == 0 && tileglu_plan_backend(plan) == TILEGLU_ORACLE);
  CHECK(strstr(tileglu_plan_explain(plan), "m=3 n=8 k=16") != NULL);
  CHECK(tileglu_plan_candidate_count(plan) == tileglu_kernel_count());
  for (size_t i = 0; i < tileglu_plan_candidate_count(plan); i++) {
    CHECK(tileglu_plan_get_candidate(plan, i, &c) == TILEGLU_OK && c.row != NULL && c.reason[0] != 0);
    refused += c.refused;
  }
  CHECK((size_t)refused + 1 == tileglu_kernel_count());
  CHECK(tileglu_plan_get_candidate(plan, 1000, &c) == TILEGLU_INVALID_ARGUMENT && says("1000"));
  CHECK(tileglu_prepare(plan) == TILEGLU_OK);
  memset(y, 0xff, sizeof y);
  CHECK(tileglu_run(plan, &t, NULL) == TILEGLU_OK && strcmp(tileglu_last_error(), "") == 0);
  CHECK(equals_reference(&p, &t));
  tileglu_plan_destroy(plan);

  CHECK(tileglu_plan_create(&p, cpu, NULL, &plan) == TILEGLU_OK && tileglu_plan_backend(plan) == TILEGLU_CPU);
  tileglu_plan_destroy(plan);
  options.kernel = "no_such_kernel";
  CHECK(tileglu_plan_create(&p, cpu, &options, &plan) == TILEGLU_INVALID_ARGUMENT && says("no_such_kernel") && plan == NULL);
  options.kernel = NULL;
  options.backend = 99;
  CHECK(tileglu_plan_create(&p, cpu, &options, &plan) == TILEGLU_INVALID_ARGUMENT && says("99"));
  options.backend = TILEGLU_SM90;
  CHECK(tileglu_plan_create(&p, cpu, &options, &plan) == TILEGLU_UNSUPPORTED && says("CUDA"));
  CHECK(tileglu_plan_create(NULL, cpu, NULL, &plan) == TILEGLU_INVALID_ARGUMENT && says("problem is null"));
  CHECK(tileglu_plan_create(&p, NULL, NULL, &plan) == TILEGLU_INVALID_ARGUMENT && says("device is null"));
  CHECK(tileglu_plan_create(&p, cpu, NULL, NULL) == TILEGLU_INVALID_ARGUMENT && says("out is null"));
  tileglu_plan_destroy(NULL);
  CHECK(tileglu_plan_workspace_bytes(NULL) == 0 && strcmp(tileglu_plan_row(NULL), "") == 0);
  tileglu_device_destroy(cpu);
}

static void test_bad_values(void) {
  tileglu_problem p = {.m = -1, .n = N, .k = K};
  tileglu_tensors t = {.x = x, .w = tileglu_separate(gate, up), .y = y};
  CHECK(tileglu_validate(&p) == TILEGLU_INVALID_ARGUMENT && says("m is -1"));
  p.m = M;
  CHECK(tileglu_validate(&p) == TILEGLU_OK);
  p.layout = 9;
  CHECK(tileglu_validate(&p) == TILEGLU_INVALID_ARGUMENT && says("layout is 9"));
  p.layout = TILEGLU_SEPARATE;
  p.limit = -1;
  CHECK(tileglu_validate(&p) == TILEGLU_INVALID_ARGUMENT && says("limit"));
  p.limit = INFINITY;
  CHECK(tileglu_validate(&p) == TILEGLU_OK);
  p.reserved[1] = 1;
  CHECK(tileglu_validate(&p) == TILEGLU_INVALID_ARGUMENT && says("reserved"));
  p.reserved[1] = 0;
  CHECK(tileglu_validate(NULL) == TILEGLU_INVALID_ARGUMENT);
  t.w = tileglu_stacked_gate_up(gate);
  CHECK(tileglu_gated_linear(&p, &t, NULL) == TILEGLU_INVALID_ARGUMENT && says("stacked_gate_up"));
  t.w.second = up;
  CHECK(tileglu_gated_linear(&p, &t, NULL) == TILEGLU_INVALID_ARGUMENT && says("w.second"));
  t.w = tileglu_separate(gate, up);
  t.w.layout = 17;
  CHECK(tileglu_gated_linear(&p, &t, NULL) == TILEGLU_INVALID_ARGUMENT && says("17"));
  CHECK(tileglu_gated_linear(&p, NULL, NULL) == TILEGLU_INVALID_ARGUMENT);
  CHECK(tileglu_run(NULL, &t, NULL) == TILEGLU_INVALID_ARGUMENT && says("plan is null"));
  CHECK(tileglu_prepare(NULL) == TILEGLU_INVALID_ARGUMENT);
}

/* Fields that mean no or yes, and enums: what is neither is named, with its value and what is allowed. */
static void test_every_switch_and_enum(void) {
  const tileglu_problem good = {.m = M, .n = N, .k = K};
  const struct {
    size_t offset;
    const char* words;
  } fields[] = {
      {offsetof(tileglu_problem, x_type), "problem.x_type is 7; allowed are 0 (bf16), 1 (fp16)"},
      {offsetof(tileglu_problem, w_type), "problem.w_type is 7; allowed are 0 (bf16), 1 (fp16)"},
      {offsetof(tileglu_problem, y_type), "problem.y_type is 7; allowed are 0 (bf16), 1 (fp16)"},
      {offsetof(tileglu_problem, layout), "problem.layout is 7; allowed are 0 (separate), 1 (stacked_gate_up), 2 (stacked_up_gate), 3 (interleaved)"},
      {offsetof(tileglu_problem, activation), "problem.activation is 7; allowed are 0 (silu), 1 (gelu_tanh), 2 (gelu_erf), 3 (relu), 4 (sigmoid)"},
      {offsetof(tileglu_problem, numerics), "problem.numerics is 7; allowed are 0 (fp32_through), 1 (match_unfused)"},
      {offsetof(tileglu_problem, bias), "problem.bias is 7; allowed are 0 and 1"},
  };
  tileglu_device* cpu = NULL;
  tileglu_plan* plan = NULL;
  tileglu_mlp_plan* mlp = NULL;
  double out[M * N];
  const tileglu_tensors t = {.x = x, .w = tileglu_separate(gate, up), .y = y};
  CHECK(tileglu_device_create("cpu", &cpu) == TILEGLU_OK);
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      tileglu_problem p = good;
      const int32_t value = sign * 7;
      char words[160];
      memcpy((char*)&p + fields[i].offset, &value, sizeof value);
      CHECK(tileglu_validate(&p) == TILEGLU_INVALID_ARGUMENT);
      if (sign > 0) {
        CHECK(says(fields[i].words));
        CHECK(tileglu_plan_create(&p, cpu, NULL, &plan) == TILEGLU_INVALID_ARGUMENT && says(fields[i].words) && plan == NULL);
        CHECK(tileglu_gated_linear(&p, &t, NULL) == TILEGLU_INVALID_ARGUMENT && says(fields[i].words));
        CHECK(tileglu_reference(&p, &t, 0, M, 0, out) == TILEGLU_INVALID_ARGUMENT && says(fields[i].words));
        const tileglu_mlp_problem whole = {.gate_up = p, .hidden_out = 8};
        snprintf(words, sizeof words, "problem.gate_up%s", fields[i].words + strlen("problem"));
        CHECK(tileglu_mlp_plan_create(&whole, cpu, NULL, &mlp) == TILEGLU_INVALID_ARGUMENT && says(words) && mlp == NULL);
      }
    }
  const tileglu_mlp_problem biased = {.gate_up = good, .hidden_out = 8, .down_bias = 2};
  CHECK(tileglu_mlp_plan_create(&biased, cpu, NULL, &mlp) == TILEGLU_INVALID_ARGUMENT && says("problem.down_bias is 2; allowed are 0 and 1"));
  tileglu_options options = {.wait_for_weights = 2};
  CHECK(tileglu_plan_create(&good, cpu, &options, &plan) == TILEGLU_INVALID_ARGUMENT && says("options.wait_for_weights is 2; allowed are 0 and 1"));
  options.wait_for_weights = 1;
  CHECK(tileglu_plan_create(&good, cpu, &options, &plan) == TILEGLU_OK);
  tileglu_plan_destroy(plan);
  options.backend = -1;
  CHECK(tileglu_plan_create(&good, cpu, &options, &plan) == TILEGLU_INVALID_ARGUMENT && says("options.backend is -1; allowed are 0 (automatic), 1"));
  CHECK(tileglu_reference(&good, &t, 0, M, 2, out) == TILEGLU_INVALID_ARGUMENT && says("single is 2; allowed are 0 and 1"));
  tileglu_weights w = tileglu_separate(gate, up);
  tileglu_packed_weights to = {.first = y, .layout = -3};
  CHECK(tileglu_pack(&w, &to, 1, 1, cpu, NULL) == TILEGLU_INVALID_ARGUMENT && says("to.layout is -3; allowed are 0 (separate)"));
  to.layout = TILEGLU_INTERLEAVED;
  to.reserved = 1;
  CHECK(tileglu_pack(&w, &to, 1, 1, cpu, NULL) == TILEGLU_INVALID_ARGUMENT && says("to.reserved is not 0"));
  to.reserved = 0;
  to.second = up;
  CHECK(tileglu_pack(&w, &to, 1, 1, cpu, NULL) == TILEGLU_INVALID_ARGUMENT && says("to holds two matrices"));
  to.second = NULL;
  w.layout = 4;
  CHECK(tileglu_pack(&w, &to, 1, 1, cpu, NULL) == TILEGLU_INVALID_ARGUMENT && says("w.layout is 4; allowed are 0 (separate)"));
  tileglu_device_destroy(cpu);
}

static void test_gpt_oss_defaults(void) {
  tileglu_problem p = {.m = M, .n = N, .k = K, .activation = TILEGLU_GPT_OSS};
  tileglu_problem spelled = p;
  const tileglu_tensors t = {.x = x, .w = tileglu_separate(gate, up), .y = y};
  double a[M * N], b[M * N];
  spelled.alpha = 1.702f;
  spelled.limit = 7.0f;
  CHECK(tileglu_reference(&p, &t, 0, M, 0, a) == TILEGLU_OK);
  CHECK(tileglu_reference(&spelled, &t, 0, M, 0, b) == TILEGLU_OK);
  CHECK(memcmp(a, b, sizeof a) == 0);
  spelled.alpha = 3.0f;
  CHECK(tileglu_reference(&spelled, &t, 0, M, 0, b) == TILEGLU_OK);
  CHECK(memcmp(a, b, sizeof a) != 0);
}

static void test_mlp(void) {
  enum { H = 8 };
  static uint16_t down[H * N], z[M * H];
  const tileglu_mlp_problem p = {.gate_up = {.m = M, .n = N, .k = K}, .hidden_out = H};
  tileglu_mlp_tensors t = {.x = x, .w = tileglu_separate(gate, up), .w_down = down, .z = z};
  const tileglu_tensors half = {.x = x, .w = tileglu_separate(gate, up), .y = y};
  double want[M * N];
  tileglu_device* cpu = NULL;
  tileglu_mlp_plan* plan = NULL;
  for (int i = 0; i < H * N; i++) down[i] = bf16(i % N == i / N ? 1 : 0); /* the identity: Z is Y */
  CHECK(tileglu_device_create("cpu", &cpu) == TILEGLU_OK);
  CHECK(tileglu_mlp_plan_create(&p, cpu, NULL, &plan) == TILEGLU_OK);
  CHECK(tileglu_mlp_plan_row(plan)[0] != 0 && strstr(tileglu_mlp_plan_explain(plan), "m=3 n=8 k=16") != NULL);
  CHECK(tileglu_mlp_run(plan, &t, NULL) == TILEGLU_WORKSPACE_TOO_SMALL && says("workspace"));
  t.workspace_bytes = tileglu_mlp_plan_workspace_bytes(plan);
  CHECK(t.workspace_bytes >= sizeof y);
  void* const memory = malloc(t.workspace_bytes + 256);
  t.workspace = (char*)memory + (256 - (uintptr_t)memory % 256) % 256;
  CHECK(tileglu_mlp_prepare(plan) == TILEGLU_OK);
  CHECK(tileglu_mlp_run(plan, &t, NULL) == TILEGLU_OK);
  CHECK(tileglu_reference(&p.gate_up, &half, 0, M, 0, want) == TILEGLU_OK);
  for (int i = 0; i < M * H; i++) CHECK(fabs(from_bf16(z[i]) - want[i]) <= 0.0079 * fabs(want[i]) + 1e-6);
  free(memory);
  tileglu_mlp_plan_destroy(plan);
  CHECK(tileglu_mlp_plan_create(NULL, cpu, NULL, &plan) == TILEGLU_INVALID_ARGUMENT && plan == NULL);
  CHECK(tileglu_mlp_run(NULL, &t, NULL) == TILEGLU_INVALID_ARGUMENT);
  tileglu_mlp_plan_destroy(NULL);
  tileglu_device_destroy(cpu);
}

static void test_pack(void) {
  static uint16_t both[2 * N * K], gate_back[N * K], up_back[N * K];
  const tileglu_weights separate = tileglu_separate(gate, up);
  tileglu_packed_weights one = {.first = both, .layout = TILEGLU_INTERLEAVED};
  const tileglu_packed_weights two = {.first = gate_back, .second = up_back, .layout = TILEGLU_SEPARATE};
  const tileglu_weights interleaved = tileglu_interleaved(both);
  tileglu_device* cpu = NULL;
  CHECK(tileglu_device_create("cpu", &cpu) == TILEGLU_OK);
  CHECK(tileglu_pack(&separate, &one, N, K, cpu, NULL) == TILEGLU_OK);
  CHECK(memcmp(both, gate, K * sizeof both[0]) == 0 && memcmp(both + K, up, K * sizeof both[0]) == 0);
  CHECK(tileglu_pack(&interleaved, &two, N, K, cpu, NULL) == TILEGLU_OK);
  CHECK(memcmp(gate_back, gate, sizeof gate) == 0 && memcmp(up_back, up, sizeof up) == 0);
  one.layout = 12;
  CHECK(tileglu_pack(&separate, &one, N, K, cpu, NULL) == TILEGLU_INVALID_ARGUMENT && says("to.layout is 12"));
  CHECK(tileglu_pack(&separate, NULL, N, K, cpu, NULL) == TILEGLU_INVALID_ARGUMENT && says("to is null"));
  tileglu_device_destroy(cpu);
}

int main(void) {
  fill();
  test_versions_and_words();
  test_devices();
  test_plan();
  test_bad_values();
  test_every_switch_and_enum();
  test_gpt_oss_defaults();
  test_mlp();
  test_pack();
  if (failures) fprintf(stderr, "%d checks failed\n", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
