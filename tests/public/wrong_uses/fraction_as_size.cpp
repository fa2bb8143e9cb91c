// refused: narrowing conversion
// Half a token.
#include "tileglu/problem.hpp"

tileglu::problem describe_it() {
#ifdef RIGHT
  return {.m = 2, .n = 8, .k = 8};
#else
  return {.m = 1.5, .n = 8, .k = 8};
#endif
}
