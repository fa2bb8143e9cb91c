// refused: conversion from .*void.* to non-scalar type .*gate_up_weights.* requested|could not convert|no viable conversion
// A pointer says nothing of its layout; it must pass through one of the four named functions.
#include "tileglu/run.hpp"

tileglu::gate_up_weights weights(const void* w) {
#ifdef RIGHT
  tileglu::gate_up_weights all = tileglu::gate_up_weights::stacked_gate_up(w);
#else
  tileglu::gate_up_weights all = w;
#endif
  return all;
}
