#include "backend/device_match.hpp"

#include <string>

#include "base/number_words.hpp"

namespace tileglu {
namespace {

std::string words(const device_facts& d) {
  return d.name + " (compute capability " + base::capability(d.compute_capability) + ", " + std::to_string(d.sm_count) + " SMs)";
}

}  // namespace

status check_device(const device_facts& planned, const device_facts& real, device_bond bond) {
  const bool cuda = planned.kind == device_kind::cuda && real.kind == device_kind::cuda;
  const bool same = planned.compute_capability == real.compute_capability && planned.sm_count == real.sm_count;
  const bool fits = bond == device_bond::capability_8 ? real.compute_capability >= 80 : same;
  if (cuda && fits) return {};
  const std::string allowed = bond == device_bond::capability_8 ? "a CUDA device of compute capability 8.0 or more"
                                                                : "a CUDA device of the same compute capability with as many SMs";
  return {status_code::wrong_device, "this plan was made for " + words(planned) + "; device " + std::to_string(planned.ordinal) + " is " +
                                         words(real) + "; allowed is " + allowed};
}

}  // namespace tileglu
