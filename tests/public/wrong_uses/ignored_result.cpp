// refused: ignoring returned value.*nodiscard
// A plan made and dropped.
#include "tileglu/plan.hpp"

bool possible(const tileglu::problem& p, const tileglu::device_facts& device) {
#ifdef RIGHT
  return tileglu::plan(p, device).ok();
#else
  tileglu::plan(p, device);
  return true;
#endif
}
