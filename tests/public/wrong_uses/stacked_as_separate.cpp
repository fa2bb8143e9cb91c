// refused: no matching function|too few arguments
// One stacked matrix is not two separate ones.
#include "tileglu/run.hpp"

tileglu::gate_up_weights weights(const void* stacked) {
#ifdef RIGHT
  return tileglu::gate_up_weights::stacked_gate_up(stacked);
#else
  return tileglu::gate_up_weights::separate(stacked);
#endif
}
