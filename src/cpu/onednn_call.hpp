// oneDNN 2.6 and 3.x in the few words that the backend needs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/threads.hpp"
#include "tileglu/types.hpp"

namespace tileglu::cpu {

inline const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

inline dnnl::memory::desc rows_of(std::int64_t rows, std::int64_t width, dnnl::memory::data_type type, std::int64_t stride) {
  return {{rows, width}, type, dnnl::memory::dims{stride, 1}};
}

/// A matrix product with its scratchpad from outside; a bias of no dimensions is none.
inline dnnl::matmul::primitive_desc describe_product(const dnnl::memory::desc& left, const dnnl::memory::desc& right, const dnnl::memory::desc& to,
                                                     const dnnl::memory::desc& bias = {}) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  if (bias.get_size() > 0) return {cpu_engine(), left, right, bias, to, attributes};
  return {cpu_engine(), left, right, to, attributes};
#else
  if (bias.get_size() > 0) return {dnnl::matmul::desc(left, right, bias, to), attributes, cpu_engine()};
  return {dnnl::matmul::desc(left, right, to), attributes, cpu_engine()};
#endif
}

/// The C call, for the C++ one throws and builds a hash table each time.
inline bool execute(const dnnl::primitive& primitive, const dnnl::stream& stream, std::initializer_list<dnnl_exec_arg_t> arguments) noexcept {
  return dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.begin()) == dnnl_success;
}

/// oneDNN fixes the threads of a primitive when it makes it, from OpenMP's setting, which this changes for its own lifetime.
class made_for_threads {
 public:
  explicit made_for_threads(int count) : before_(available_threads()) { set_available_threads(count); }
  made_for_threads(const made_for_threads&) = delete;
  made_for_threads& operator=(const made_for_threads&) = delete;
  ~made_for_threads() { set_available_threads(before_); }

 private:
  int before_;
};

}  // namespace tileglu::cpu
