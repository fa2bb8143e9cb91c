// Words to values, by trying name() of every value: the words stand in names.cpp alone.
#include <string>

#include "tileglu/names.hpp"

namespace tileglu {
namespace {

template <class Enum>
result<Enum> find(const char* argument, std::string_view word, Enum last) {
  std::string allowed;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    if (name(value) == word) return value;
    allowed += (i ? ", " : "") + std::string(name(value));
  }
  return status(status_code::invalid_argument, std::string(argument) + " is '" + std::string(word) + "'; allowed are " + allowed);
}

}  // namespace

result<dtype> dtype_by_name(std::string_view word) { return find("dtype", word, dtype::fp16); }
result<weight_layout> layout_by_name(std::string_view word) { return find("layout", word, weight_layout::interleaved); }
result<activation_kind> activation_by_name(std::string_view word) { return find("activation", word, activation_kind::gpt_oss); }
result<numerics> numerics_by_name(std::string_view word) { return find("numerics", word, numerics::match_unfused); }
result<backend_id> backend_by_name(std::string_view word) { return find("backend", word, backend_id::sm90); }

}  // namespace tileglu
