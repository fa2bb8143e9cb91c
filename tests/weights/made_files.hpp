// Files that the weights tests make: raw safetensors bytes, and small checkpoints.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tileglu/reference.hpp"
#include "tileglu/safetensors.hpp"

namespace tileglu::made {

/// A folder of its own, removed at the end.
class folder {
 public:
  explicit folder(const std::string& name) : path_(std::filesystem::temp_directory_path() / ("tileglu_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  /// The names in it.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// Header length, header and data, as they are; `length` may lie.
inline std::string raw_safetensors(const std::string& header, std::size_t data_bytes, std::uint64_t length) {
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + std::string(data_bytes, '\1');
}

inline std::string raw_safetensors(const std::string& header, std::size_t data_bytes) { return raw_safetensors(header, data_bytes, header.size()); }

/// A sequence of small values that no two places share a pattern of.
inline std::uint64_t next(std::uint64_t& seed) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/// Tensors by name, with their elements; written as one file or several.
class tensors {
 public:
  explicit tensors(std::uint64_t seed = 88172645463325252u) : seed_(seed) {}

  /// Values of about +-0.5 in "BF16", "F16" or "F32".
  void add(const std::string& name, const std::string& type, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    std::vector<char> bytes;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = static_cast<double>(next(seed_) % 2048) / 2048.0 - 0.5;
      if (type == "F32") {
        const auto single = static_cast<float>(value);
        append(bytes, &single, sizeof single);
      } else {
        const std::uint16_t half = from_double(type == "F16" ? dtype::fp16 : dtype::bf16, value);
        append(bytes, &half, sizeof half);
      }
    }
    data_.push_back(std::move(bytes));
    all_.push_back({name, type, std::move(shape), nullptr, data_.back().size()});
  }

  void remove(const std::string& name) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].name != name) continue;
      all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
      data_.erase(data_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  template <class Element>
  void set(const std::string& name, std::size_t element, Element value) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].name == name) std::memcpy(data_[i].data() + element * sizeof value, &value, sizeof value);
  }

  const std::vector<stored_tensor>& list() {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].data = data_[i].data();
    return all_;
  }

 private:
  static void append(std::vector<char>& bytes, const void* data, std::size_t count) {
    const auto* begin = static_cast<const char*>(data);
    bytes.insert(bytes.end(), begin, begin + count);
  }

  std::uint64_t seed_;
  std::vector<stored_tensor> all_;
  std::vector<std::vector<char>> data_;
};

/// `layers` MLPs with gate_proj, up_proj and down_proj under model.layers.N.mlp, n = 24 and k = 16.
inline tensors separate_model(int layers, const std::string& type = "BF16") {
  tensors made;
  for (int i = 0; i < layers; ++i) {
    const std::string mlp = "model.layers." + std::to_string(i) + ".mlp.";
    made.add(mlp + "gate_proj.weight", type, {24, 16});
    made.add(mlp + "up_proj.weight", type, {24, 16});
    made.add(mlp + "down_proj.weight", type, {16, 24});
  }
  made.add("model.embed_tokens.weight", type, {32, 16});
  return made;
}

inline std::string config(int layers, const std::string& act = "silu", const std::string& more = "") {
  return R"({"model_type": "llama", "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": )" + std::to_string(layers) +
         R"(, "hidden_act": ")" + act + "\"" + more + "}";
}

}  // namespace tileglu::made
