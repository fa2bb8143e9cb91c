// Words to values: the inverse of name().
#pragma once

#include <string_view>

#include "tileglu/export.h"
#include "tileglu/plan.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"

namespace tileglu {

/// The value with this name ("bf16", "stacked_gate_up", "gelu_tanh", "match_unfused", "cuda_portable"); invalid_argument lists the
/// words that are allowed.
TILEGLU_API result<dtype> dtype_by_name(std::string_view word);
TILEGLU_API result<weight_layout> layout_by_name(std::string_view word);
TILEGLU_API result<activation_kind> activation_by_name(std::string_view word);
TILEGLU_API result<numerics> numerics_by_name(std::string_view word);
TILEGLU_API result<backend_id> backend_by_name(std::string_view word);

}  // namespace tileglu
