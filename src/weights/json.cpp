#include "weights/json.hpp"

#include <unordered_set>
#include <vector>

#include "weights/mapped_file.hpp"

namespace tileglu::weights {
namespace {
constexpr int deepest = 64;  // no file here needs 8; printing or freeing a document recurses
}

result<nlohmann::json> parse_json(std::string_view text, const std::string& what) {
  using nlohmann::json;
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open
  std::string twice;
  bool too_deep = false;
  const auto see = [&](int depth, json::parse_event_t event, json& value) {
    too_deep = too_deep || depth > deepest;
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && twice.empty() && !keys.back().insert(value.get<std::string>()).second) twice = value.get<std::string>();
    return !too_deep;  // drops the value
  };
  try {
    json document = json::parse(text.begin(), text.end(), see);
    if (too_deep) return status(status_code::bad_file, what + ": nested deeper than " + std::to_string(deepest) + " levels");
    if (!twice.empty()) return status(status_code::bad_file, what + ": the key '" + twice + "' is there twice; allowed is once");
    return document;
  } catch (const json::exception& e) {
    return status(status_code::bad_file, what + ": not JSON: " + e.what());
  }
}

result<nlohmann::json> read_json(const std::string& path, std::size_t limit) {
  auto file = mapped_file::open(path);
  if (!file) return file.error();
  const auto bytes = file->bytes();
  if (bytes.size() > limit)
    return status(status_code::bad_file, path + ": has " + std::to_string(bytes.size()) + " bytes; allowed are at most " + std::to_string(limit));
  return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace tileglu::weights
