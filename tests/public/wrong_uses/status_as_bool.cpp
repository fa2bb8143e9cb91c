// refused: could not convert .*status.* to .*bool
// A status is no bool: C programmers would read `if (run(...))` as failure, others as success.
#include "tileglu/run.hpp"

int compute(const tileglu::execution_plan& plan, const tileglu::tensors& t) {
#ifdef RIGHT
  if (tileglu::run(plan, t).ok()) return 1;
#else
  if (tileglu::run(plan, t)) return 1;
#endif
  return 0;
}
