// A kind of activation as a constant: by one branch ahead of a loop instead of one at every output in it.
#pragma once

#include "tileglu/types.hpp"

namespace tileglu::base {

/// work.operator()<Kind>() for the kind that is asked for, and what it returns. For host and device (constexpr, by nvcc's relaxed rule).
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Work>
constexpr auto with_activation(activation_kind kind, const Work& work) {
  switch (kind) {
    case activation_kind::silu: return work.template operator()<activation_kind::silu>();
    case activation_kind::gelu_tanh: return work.template operator()<activation_kind::gelu_tanh>();
    case activation_kind::gelu_erf: return work.template operator()<activation_kind::gelu_erf>();
    case activation_kind::relu: return work.template operator()<activation_kind::relu>();
    case activation_kind::sigmoid: return work.template operator()<activation_kind::sigmoid>();
    case activation_kind::identity: return work.template operator()<activation_kind::identity>();
    case activation_kind::gpt_oss: return work.template operator()<activation_kind::gpt_oss>();
  }
  return decltype(work.template operator()<activation_kind::identity>())();
}

}  // namespace tileglu::base
