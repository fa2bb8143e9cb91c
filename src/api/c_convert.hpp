// What the files of the C ABI share: handles, the thread's last error, conversions of its structs.
#pragma once

#include <new>
#include <string>

#include "tileglu/device.hpp"
#include "tileglu/mlp.hpp"
#include "tileglu/pack.hpp"
#include "tileglu/plan.hpp"
#include "tileglu/run.hpp"
#include "tileglu/status.hpp"
#include "tileglu/tileglu.h"

/// The opaque types of tileglu.h: the C++ value, and the texts that C callers hold pointers into.
struct tileglu_device {
  tileglu::device_facts facts;
};

struct tileglu_plan {
  tileglu::execution_plan value;
  std::string explanation;
};

struct tileglu_mlp_plan {
  tileglu::mlp_plan value;
  std::string explanation;
};

namespace tileglu::c_abi {

/// Keeps the text for tileglu_last_error and gives the code. Never throws.
tileglu_status report(const status& s) noexcept;
const char* last_error_text() noexcept;

inline status null_argument(const char* argument) {
  return {status_code::invalid_argument, std::string(argument) + " is null; allowed is a pointer to a value"};
}

/// Lets no exception out: C has none.
template <class Work>
tileglu_status guard(Work work) noexcept try {
  return report(work());
} catch (const std::bad_alloc&) {
  return report({status_code::out_of_memory, {}});
} catch (...) {
  return report({status_code::internal, {}});
}

/// `where` is what errors call the struct: "problem.bias is 2; allowed are 0 and 1".
result<problem> convert(const tileglu_problem& p, const char* where = "problem");
result<gate_up_weights> convert(const tileglu_weights& w);
result<packed_weights> convert(const tileglu_packed_weights& to);
result<tensors> convert(const tileglu_tensors& t);
result<plan_options> convert(const tileglu_options* options);

/// invalid_argument where a field that means no or yes is neither 0 nor 1.
status check_switch(const char* where, const char* field, std::int32_t value);

/// invalid_argument where a reserved field is not 0: a caller with a newer header asks for what this library does not know.
template <class Field>
status check_reserved(const char* where, const Field& fields) {
  for (const auto& field : fields)
    if (field)
      return {status_code::invalid_argument,
              std::string(where) + ".reserved is not 0; allowed is 0 in ABI version " + std::to_string(TILEGLU_ABI_VERSION)};
  return {};
}

}  // namespace tileglu::c_abi
