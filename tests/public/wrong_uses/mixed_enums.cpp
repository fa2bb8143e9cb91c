// refused: cannot convert .*weight_layout.* to .*dtype
// A word of one kind where another is asked for.
#include "tileglu/problem.hpp"

tileglu::problem with_type(tileglu::problem p) {
#ifdef RIGHT
  p.x_type = tileglu::dtype::fp16;
#else
  p.x_type = tileglu::weight_layout::stacked_gate_up;
#endif
  return p;
}
