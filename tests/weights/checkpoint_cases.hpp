// What the tests of good and of bad checkpoints share: writing a made model, its elements, and the words of a refusal.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tileglu/checkpoint.hpp"
#include "weights/made_files.hpp"

namespace tileglu {

inline status save(const made::folder& folder, made::tensors& model, const std::string& config = {}, const std::string& file = "model.safetensors") {
  if (!config.empty()) made::write(folder / "config.json", config);
  return write_safetensors(folder / file, model.list());
}

/// An element of a named tensor of the made model, as its type stores it.
inline std::uint16_t element(made::tensors& model, const std::string& name, std::size_t i) {
  for (const stored_tensor& t : model.list())
    if (t.name == name) return static_cast<const std::uint16_t*>(t.data)[i];
  ADD_FAILURE() << name;
  return 0;
}

inline std::uint16_t first_element(made::tensors& model, const std::string& name) { return element(model, name, 0); }

inline std::uint16_t first_of(const void* data) { return *static_cast<const std::uint16_t*>(data); }

inline void expect_error(const std::string& path, status_code code, const std::vector<std::string>& words) {
  const auto opened = checkpoint::open(path);
  ASSERT_FALSE(opened.ok()) << "was opened";
  EXPECT_EQ(opened.error().code(), code) << opened.error().text();
  for (const std::string& word : words)
    EXPECT_NE(opened.error().text().find(word), std::string::npos) << "no '" << word << "' in: " << opened.error().text();
}

}  // namespace tileglu
