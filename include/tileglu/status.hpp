// Errors are values: a status says what went wrong in words, a result is a value or a status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "tileglu/export.h"

namespace tileglu {

/// What kind of thing went wrong. The numbers are those of the C ABI and never change.
enum class status_code : std::int32_t {
  ok = 0,
  invalid_argument = 1,     ///< a value that no backend could accept; the text names the argument, the value and what is allowed
  unsupported = 2,          ///< a valid problem that the chosen kernel, backend or device can't compute
  not_available = 3,        ///< the backend or device is not on this machine, or not in this build
  workspace_too_small = 4,  ///< fewer workspace bytes than `workspace_bytes(plan)`
  wrong_device = 5,         ///< a plan for one device, run on another
  device_error = 6,         ///< CUDA reported an error; the text says whether it was there before the call
  out_of_memory = 7,
  io_error = 8,   ///< a file could not be read or written
  bad_file = 9,   ///< a file was read and its content is wrong
  internal = 10,  ///< a defect of tileglu
};

TILEGLU_API std::string_view name(status_code value) noexcept;

/// The outcome of a call. A success holds no text and costs no allocation.
class [[nodiscard]] status {
 public:
  status() = default;
  status(status_code code, std::string text) : code_(code), text_(std::move(text)) {}

  bool ok() const noexcept { return code_ == status_code::ok; }
  status_code code() const noexcept { return code_; }
  /// A sentence for a person: which argument, which value, what is allowed. Empty on success.
  const std::string& text() const noexcept { return text_; }

 private:
  status_code code_ = status_code::ok;
  std::string text_;
};

/// A value, or the status that says why there is none.
template <class Value>
class [[nodiscard]] result {
 public:
  result(Value value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(status error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// The value; only where ok().
  Value& value() & { return *std::get_if<0>(&state_); }
  const Value& value() const& { return *std::get_if<0>(&state_); }
  Value&& value() && { return std::move(*std::get_if<0>(&state_)); }
  Value& operator*() & { return value(); }
  const Value& operator*() const& { return value(); }
  Value* operator->() { return std::get_if<0>(&state_); }
  const Value* operator->() const { return std::get_if<0>(&state_); }

  /// The error; an ok status where there is a value.
  status error() const { return ok() ? status{} : *std::get_if<1>(&state_); }

 private:
  std::variant<Value, status> state_;
};

}  // namespace tileglu
