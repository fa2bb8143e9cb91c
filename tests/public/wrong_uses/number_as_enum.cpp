// refused: cannot convert .*int.* to .*weight_layout
// A number where a word is asked for.
#include "tileglu/problem.hpp"

tileglu::problem with_layout(tileglu::problem p) {
#ifdef RIGHT
  p.layout = tileglu::weight_layout::stacked_gate_up;
#else
  p.layout = 1;
#endif
  return p;
}
