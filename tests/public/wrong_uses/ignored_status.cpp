// refused: ignoring returned value.*nodiscard
// A status that nobody looks at.
#include "tileglu/run.hpp"

bool compute(const tileglu::execution_plan& plan, const tileglu::tensors& t) {
#ifdef RIGHT
  return tileglu::run(plan, t).ok();
#else
  tileglu::run(plan, t);
  return true;
#endif
}
