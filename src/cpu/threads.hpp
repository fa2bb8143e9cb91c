// The few words of OpenMP's library that the CPU backend needs; one thread where it is missing.
#pragma once

#include <algorithm>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tileglu::cpu {

/// Threads that a parallel region of this thread would have: OMP_NUM_THREADS, omp_set_num_threads, or the cores; at most 1024. libgomp lays
/// 80 bytes a thread on the stack, and a slip of a hundred thousand threads would end the process there.
inline int available_threads() noexcept {
#ifdef _OPENMP
  return std::min(omp_get_max_threads(), 1024);
#else
  return 1;
#endif
}

/// Changes what available_threads() says, for this thread.
inline void set_available_threads([[maybe_unused]] int count) noexcept {
#ifdef _OPENMP
  omp_set_num_threads(count);
#endif
}

/// This thread's number within its team.
inline int thread_number() noexcept {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

}  // namespace tileglu::cpu
