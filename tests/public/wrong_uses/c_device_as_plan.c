/* refused: incompatible pointer type */
/* Handles of two kinds. */
#include "tileglu/tileglu.h"

size_t bytes(const tileglu_plan* plan, const tileglu_device* device);
size_t bytes(const tileglu_plan* plan, const tileglu_device* device) {
#ifdef RIGHT
  (void)device;
  return tileglu_plan_workspace_bytes(plan);
#else
  (void)plan;
  return tileglu_plan_workspace_bytes(device);
#endif
}
