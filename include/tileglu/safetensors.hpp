// Reading and writing safetensors files (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileglu/export.h"
#include "tileglu/status.hpp"

namespace tileglu {

/// A tensor as a file stores it: row-major, little-endian.
struct stored_tensor {
  std::string name;
  std::string type;                 ///< the format's word: "BF16", "F16", "F32", ...
  std::vector<std::int64_t> shape;  ///< empty: a scalar
  const void* data = nullptr;       ///< into the file's mapping; aligned as the file happens to be
  std::size_t bytes = 0;
};

/// "[1536, 576]".
TILEGLU_API std::string describe_shape(const std::vector<std::int64_t>& shape);

/// A safetensors file, mapped into memory and checked whole before any tensor is handed out: the header's length against the
/// file's, its JSON (no duplicate key), each type, each shape against its bytes, and that the tensors tile the data with no
/// overlap, no hole and no rest. A copy shares the mapping. The file must not be cut short while it is open.
class TILEGLU_API tensor_file {
 public:
  /// Errors: io_error (can't be opened or mapped), bad_file (names the file, the tensor, the value and what is allowed).
  static result<tensor_file> open(const std::string& path);

  /// The same checks on bytes in memory, which must outlive the object; `name` stands for the file in errors.
  static result<tensor_file> view(std::span<const std::byte> bytes, std::string name);

  const std::string& path() const noexcept;
  const std::vector<stored_tensor>& tensors() const noexcept;  ///< in the order of their data
  const stored_tensor* find(std::string_view name) const noexcept;
  const std::map<std::string, std::string>& metadata() const noexcept;

 private:
  struct state;
  std::shared_ptr<const state> state_;
};

/// Write `tensors` to `path`. The file appears under its name only once it is whole; an old one is replaced.
/// Errors: invalid_argument (a duplicate name, an unknown type, bytes that don't fit the shape), io_error.
TILEGLU_API status write_safetensors(const std::string& path, std::span<const stored_tensor> tensors,
                                     const std::map<std::string, std::string>& metadata = {});

}  // namespace tileglu
