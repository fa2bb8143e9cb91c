#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <set>

#include "tileglu/safetensors.hpp"
#include "weights/element_types.hpp"
#include "weights/json.hpp"
#include "weights/mapped_file.hpp"

namespace tileglu {
namespace {

status bad(std::string text) { return {status_code::invalid_argument, std::move(text)}; }

/// A name that no other writer of `path` has: not another process, nor another thread.
std::string partial_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".partial";
}

/// A file under a temporary name, which takes its own by keep() and is removed else.
class partial_file {
 public:
  explicit partial_file(const std::string& path) : path_(path), partial_(partial_name(path)) {
    descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  partial_file(const partial_file&) = delete;
  partial_file& operator=(const partial_file&) = delete;
  ~partial_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!kept_ && descriptor_ >= 0) ::unlink(partial_.c_str());
  }

  bool is_open() const { return descriptor_ >= 0; }

  bool write(const void* data, std::size_t bytes) {
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(descriptor_, next, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      next += written;
      bytes -= static_cast<std::size_t>(written);
    }
    return true;
  }

  bool keep() {
    const int descriptor = descriptor_;
    if (::fsync(descriptor) != 0) return false;
    kept_ = ::rename(partial_.c_str(), path_.c_str()) == 0;
    return kept_;
  }

 private:
  std::string path_, partial_;
  int descriptor_ = -1;
  bool kept_ = false;
};

}  // namespace

status write_safetensors(const std::string& path, std::span<const stored_tensor> tensors, const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::set<std::string_view> names;
  std::size_t end = 0;
  for (const stored_tensor& tensor : tensors) {
    if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
      return bad("tensor name is '" + tensor.name + "'; allowed are distinct names other than __metadata__");
    std::size_t bits = weights::bits_of_type(tensor.type);
    if (bits == 0) return bad("tensor '" + tensor.name + "': type is '" + tensor.type + "'; allowed are " + weights::known_types());
    for (const std::int64_t extent : tensor.shape)
      if (extent < 0 || __builtin_mul_overflow(bits, static_cast<std::size_t>(extent), &bits))
        return bad("tensor '" + tensor.name + "': shape is " + describe_shape(tensor.shape) +
                   "; allowed are sizes from 0 whose product can be addressed");
    if (bits != tensor.bytes * 8)
      return bad("tensor '" + tensor.name + "': bytes is " + std::to_string(tensor.bytes) + "; shape " + describe_shape(tensor.shape) + " of " +
                 tensor.type + " takes " + std::to_string(bits / 8));
    header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {end, end + tensor.bytes}}};
    end += tensor.bytes;
  }
  std::string text;
  try {
    text = header.is_null() ? "{}" : header.dump();
  } catch (const nlohmann::json::exception& e) {
    return bad(std::string("a name or metadata is not UTF-8: ") + e.what());
  }
  text.append((8 - text.size() % 8) % 8, ' ');  // the format lets the header end in spaces; the data is then aligned to 8
  const std::uint64_t length = text.size();

  partial_file file(path);
  if (!file.is_open()) return weights::io_failure("write", path);
  bool good = file.write(&length, sizeof length) && file.write(text.data(), text.size());
  for (const stored_tensor& tensor : tensors) good = good && file.write(tensor.data, tensor.bytes);
  if (!good || !file.keep()) return weights::io_failure("write", path);
  return {};
}

}  // namespace tileglu
