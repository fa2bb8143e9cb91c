/* refused: incompatible types */
/* In C too, weights name their layout. */
#include "tileglu/tileglu.h"

tileglu_tensors memory(const void* x, const void* w, void* y);
tileglu_tensors memory(const void* x, const void* w, void* y) {
  tileglu_tensors t = {0};
  t.x = x;
  t.y = y;
#ifdef RIGHT
  t.w = tileglu_stacked_gate_up(w);
#else
  t.w = w;
#endif
  return t;
}
