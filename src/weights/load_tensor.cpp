#include "weights/load_tensor.hpp"

#include <cmath>
#include <cstring>

#include "base/convert.hpp"

namespace tileglu::weights {
namespace {

status not_finite(const stored_tensor& tensor, const std::string& file, std::size_t element, bool nan) {
  std::string place = std::to_string(element);
  if (tensor.shape.size() == 2 && tensor.shape[1] > 0) {
    const auto columns = static_cast<std::size_t>(tensor.shape[1]);
    place = "[" + std::to_string(element / columns) + ", " + std::to_string(element % columns) + "]";
  }
  return {status_code::bad_file, file + ": tensor '" + tensor.name + "' " + describe_shape(tensor.shape) + " holds " +
                                     (nan ? "a NaN" : "an infinity") + " at " + place + "; allowed are finite numbers"};
}

/// Is any exponent all ones? The loop has no exit, so that it is vectorised: 1 ms for 10 MB.
bool any_not_finite(const std::uint16_t* bits, std::size_t count, std::uint16_t exponent) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= static_cast<unsigned>((bits[i] & exponent) == exponent);
  return found != 0;
}

}  // namespace

result<const std::uint16_t*> load_tensor(const stored_tensor& tensor, dtype type, const std::string& file, owned_copies& copies) {
  const bool is_f32 = tensor.type == "F32";
  if (!is_f32 && tensor.type != (type == dtype::bf16 ? "BF16" : "F16"))
    return status(status_code::unsupported, file + ": tensor '" + tensor.name + "' has dtype " + tensor.type + "; allowed here are F32 and " +
                                                (type == dtype::bf16 ? "BF16" : "F16") + ": types are not mixed");
  if (is_f32) {
    const std::size_t count = tensor.bytes / sizeof(float);
    std::vector<std::uint16_t> rounded(count);
    const auto* bytes = static_cast<const unsigned char*>(tensor.data);
    for (std::size_t i = 0; i < count; ++i) {
      float value;
      std::memcpy(&value, bytes + i * sizeof value, sizeof value);  // the file may hold it at any address
      rounded[i] = base::from_float(type, value);
      // The check sees what was rounded: a value above the type's largest would become an infinity.
      if (!std::isfinite(base::to_float(type, rounded[i]))) return not_finite(tensor, file, i, std::isnan(value));
    }
    copies.push_back(std::move(rounded));
    return copies.back().data();
  }

  const std::size_t count = tensor.bytes / sizeof(std::uint16_t);
  const auto* elements = static_cast<const std::uint16_t*>(tensor.data);
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % sizeof(std::uint16_t)) {
    std::vector<std::uint16_t> aligned(count);
    std::memcpy(aligned.data(), tensor.data, tensor.bytes);
    copies.push_back(std::move(aligned));
    elements = copies.back().data();
  }
  const std::uint16_t exponent = type == dtype::bf16 ? 0x7f80 : 0x7c00;
  if (any_not_finite(elements, count, exponent))
    for (std::size_t i = 0; i < count; ++i)
      if ((elements[i] & exponent) == exponent) return not_finite(tensor, file, i, std::isnan(base::to_float(type, elements[i])));
  return elements;
}

}  // namespace tileglu::weights
