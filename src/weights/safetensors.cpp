// The file: 8 bytes of header length n (little-endian), n bytes of JSON, then the data that the tensors tile.
#include "tileglu/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "weights/element_types.hpp"
#include "weights/json.hpp"
#include "weights/mapped_file.hpp"

namespace tileglu {

struct tensor_file::state {
  std::string path;
  weights::mapped_file mapping;
  std::vector<stored_tensor> tensors;  // by their data
  std::vector<std::size_t> by_name;
  std::map<std::string, std::string> metadata;
};

namespace {

constexpr std::uint64_t largest_header = 100'000'000;  // the format's own bound

static_assert(std::endian::native == std::endian::little, "tensors are handed out as they are stored: little-endian");

/// What is wrong with a file, in the words "FILE: ...".
class refusal {
 public:
  explicit refusal(const std::string& path) : path_(path) {}
  status file(const std::string& text) const { return {status_code::bad_file, path_ + ": " + text}; }
  status tensor(const std::string& name, const std::string& text) const { return file("tensor '" + name + "': " + text); }

 private:
  const std::string& path_;
};

/// JSON for an error text: its beginning.
std::string shown(const nlohmann::json& value) {
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

std::string look_alike(std::span<const std::byte> bytes) {
  const auto starts = [&](std::string_view magic) {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (starts("GGUF")) return " (it looks like a GGUF file)";
  if (starts("PK\x03\x04")) return " (it looks like a zip archive, as torch.save writes)";
  if (starts("version https://git-lfs")) return " (it is a Git LFS pointer: the file itself was not fetched)";
  return {};
}

result<std::string_view> header_of(std::span<const std::byte> bytes, const refusal& refuse) {
  constexpr std::size_t prefix = sizeof(std::uint64_t);
  if (bytes.size() < prefix) return refuse.file("has " + std::to_string(bytes.size()) + " bytes; a safetensors file has at least 8");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), prefix);
  if (length > largest_header)
    return refuse.file("the header's length is " + std::to_string(length) + "; allowed are at most " + std::to_string(largest_header) +
                       look_alike(bytes));
  if (length > bytes.size() - prefix)
    return refuse.file("the header's length is " + std::to_string(length) + ", but " + std::to_string(bytes.size() - prefix) +
                       " bytes follow: the file is cut short" + look_alike(bytes));
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + prefix, length);
  if (header.empty() || header.front() != '{') return refuse.file("the header does not begin with '{'" + look_alike(bytes));
  return header;
}

/// Bits of the elements of `shape`, or nothing where they pass 2^62.
std::optional<std::uint64_t> bits_of(const std::vector<std::int64_t>& shape, unsigned element_bits) {
  std::uint64_t bits = element_bits;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(extent), &bits) || bits >> 62) return std::nullopt;
  return bits;
}

result<std::vector<std::int64_t>> shape_of(const std::string& name, const nlohmann::json& value, const refusal& refuse) {
  if (!value.is_array()) return refuse.tensor(name, "shape is " + shown(value) + "; allowed is a list of sizes");
  if (value.size() > 64) return refuse.tensor(name, "shape has " + std::to_string(value.size()) + " sizes; allowed are at most 64");
  std::vector<std::int64_t> shape;
  for (const auto& extent : value) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > INT64_MAX)
      return refuse.tensor(name, "shape is " + shown(value) + "; allowed are sizes from 0 to 2^63 - 1");
    shape.push_back(extent.get<std::int64_t>());
  }
  return shape;
}

/// One entry of the header; `data` is what follows the header.
result<stored_tensor> tensor_of(const std::string& name, const nlohmann::json& entry, std::span<const std::byte> data, const refusal& refuse) {
  if (!entry.is_object()) return refuse.tensor(name, "is " + shown(entry) + "; allowed is an object with dtype, shape and data_offsets");
  for (const char* key : {"dtype", "shape", "data_offsets"})
    if (!entry.contains(key)) return refuse.tensor(name, std::string(key) + " is missing");
  if (entry.size() != 3) return refuse.tensor(name, "has " + std::to_string(entry.size()) + " keys; allowed are dtype, shape and data_offsets alone");

  stored_tensor tensor;
  tensor.name = name;
  const unsigned element_bits = entry["dtype"].is_string() ? weights::bits_of_type(entry["dtype"].get_ref<const std::string&>()) : 0;
  if (element_bits == 0) return refuse.tensor(name, "dtype is " + shown(entry["dtype"]) + "; allowed are " + weights::known_types());
  tensor.type = entry["dtype"].get<std::string>();
  auto shape = shape_of(name, entry["shape"], refuse);
  if (!shape) return shape.error();
  tensor.shape = std::move(*shape);

  const auto& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    return refuse.tensor(name, "data_offsets is " + shown(offsets) + "; allowed is [begin, end], bytes from the end of the header");
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  if (begin > end || end > data.size())
    return refuse.tensor(name, "data_offsets is " + shown(offsets) + "; allowed are begin <= end <= " + std::to_string(data.size()) +
                                   ", the bytes that follow the header" + (begin <= end ? ": the file is cut short" : ""));
  const auto bits = bits_of(tensor.shape, element_bits);
  if (!bits) return refuse.tensor(name, "shape " + describe_shape(tensor.shape) + " of " + tensor.type + " is larger than 2^62 bits");
  if (*bits % 8 || *bits / 8 != end - begin)
    return refuse.tensor(name, "shape " + describe_shape(tensor.shape) + " of " + tensor.type + " takes " + std::to_string(*bits / 8) +
                                   " bytes, but data_offsets " + shown(offsets) + " hold " + std::to_string(end - begin));
  tensor.data = data.data() + begin;
  tensor.bytes = static_cast<std::size_t>(end - begin);
  return tensor;
}

/// The tensors must tile the data: each begins where the one before it ends.
status check_tiling(const std::vector<stored_tensor>& tensors, std::span<const std::byte> data, const refusal& refuse) {
  std::size_t reached = 0;
  const stored_tensor* before = nullptr;
  for (const stored_tensor& tensor : tensors) {
    const auto begin = static_cast<std::size_t>(static_cast<const std::byte*>(tensor.data) - data.data());
    if (begin < reached)
      return refuse.tensor(tensor.name, "begins at byte " + std::to_string(begin) + " and overlaps tensor '" + before->name + "', which ends at " +
                                            std::to_string(reached));
    if (begin > reached)
      return refuse.tensor(tensor.name,
                           "begins at byte " + std::to_string(begin) + "; the data before it ends at " + std::to_string(reached) + ": a hole");
    reached = begin + tensor.bytes;
    before = &tensor;
  }
  if (reached == data.size()) return {};
  return refuse.file("the tensors end at byte " + std::to_string(reached) + " of " + std::to_string(data.size()) +
                     " bytes of data; allowed is no rest");
}

status read_metadata(const nlohmann::json& value, std::map<std::string, std::string>& metadata, const refusal& refuse) {
  if (!value.is_object()) return refuse.file("__metadata__ is " + shown(value) + "; allowed is an object of strings");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) return refuse.file("__metadata__ '" + key + "' is " + shown(text) + "; allowed is a string");
    metadata[key] = text.get<std::string>();
  }
  return {};
}

}  // namespace

std::string describe_shape(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

result<tensor_file> tensor_file::view(std::span<const std::byte> bytes, std::string name) {
  auto made = std::make_shared<state>();
  made->path = std::move(name);
  const refusal refuse(made->path);
  const auto header = header_of(bytes, refuse);
  if (!header) return header.error();
  const auto document = weights::parse_json(*header, made->path + ": header");
  if (!document) return document.error();
  if (!document->is_object()) return refuse.file("the header is not a JSON object");

  const std::span<const std::byte> data = bytes.subspan(sizeof(std::uint64_t) + header->size());
  for (const auto& [key, entry] : document->items()) {
    if (key == "__metadata__") {
      if (status s = read_metadata(entry, made->metadata, refuse); !s.ok()) return s;
      continue;
    }
    auto tensor = tensor_of(key, entry, data, refuse);
    if (!tensor) return tensor.error();
    made->tensors.push_back(std::move(*tensor));
  }
  const auto place = [](const stored_tensor& t) { return std::pair(static_cast<const std::byte*>(t.data), t.bytes); };
  std::ranges::sort(made->tensors, {}, place);  // an empty tensor goes before the one that begins where it does
  if (status s = check_tiling(made->tensors, data, refuse); !s.ok()) return s;
  for (std::size_t i = 0; i < made->tensors.size(); ++i) made->by_name.push_back(i);
  std::ranges::sort(made->by_name, {}, [&](std::size_t i) -> std::string_view { return made->tensors[i].name; });

  tensor_file file;
  file.state_ = std::move(made);
  return file;
}

result<tensor_file> tensor_file::open(const std::string& path) {
  auto mapping = weights::mapped_file::open(path);
  if (!mapping) return mapping.error();
  auto file = view(mapping->bytes(), path);
  if (!file) return file;
  auto kept = std::make_shared<state>(*file->state_);
  kept->mapping = std::move(*mapping);
  file->state_ = std::move(kept);
  return file;
}

const std::string& tensor_file::path() const noexcept { return state_->path; }
const std::vector<stored_tensor>& tensor_file::tensors() const noexcept { return state_->tensors; }
const std::map<std::string, std::string>& tensor_file::metadata() const noexcept { return state_->metadata; }

const stored_tensor* tensor_file::find(std::string_view name) const noexcept {
  const auto name_of = [this](std::size_t i) -> std::string_view { return state_->tensors[i].name; };
  const auto found = std::ranges::lower_bound(state_->by_name, name, {}, name_of);
  return found != state_->by_name.end() && name_of(*found) == name ? &state_->tensors[*found] : nullptr;
}

}  // namespace tileglu
