/* Y = silu(X Wg^T) * (X Wu^T) in bfloat16 on the CPU, through the C ABI.
 * Build: see CMakeLists.txt beside this file, or: gcc gated_linear.c $(pkg-config --cflags --libs tileglu) */
#include <tileglu/tileglu.h>

#include <stdio.h>

enum { M = 16, N = 1536, K = 576 }; /* 16 tokens; SmolLM2-135M's MLP */
static uint16_t x[M * K], gate[N * K], up[N * K], y[M * N];

int main(void) {
  for (int i = 0; i < M * K; i++) x[i] = 0x3f80;                             /* 1.0 in bfloat16 */
  for (int i = 0; i < N * K; i++) gate[i] = up[i] = i % 2 ? 0x3c80 : 0xbc00; /* 1/64 and -1/128 */

  const tileglu_problem problem = {.m = M, .n = N, .k = K}; /* what is not named is 0: bf16, separate weights, silu */
  const tileglu_tensors tensors = {.x = x, .w = tileglu_separate(gate, up), .y = y};
  tileglu_device* cpu = NULL;
  tileglu_plan* plan = NULL;
  if (tileglu_device_create("cpu", &cpu) != TILEGLU_OK || tileglu_plan_create(&problem, cpu, NULL, &plan) != TILEGLU_OK ||
      tileglu_run(plan, &tensors, NULL) != TILEGLU_OK) {
    fprintf(stderr, "%s\n", tileglu_last_error());
    return 1;
  }
  printf("y[0][0] = 0x%04x by %s, tileglu %s\n", y[0], tileglu_plan_row(plan), tileglu_version());
  tileglu_plan_destroy(plan);
  tileglu_device_destroy(cpu);
  return 0;
}
