// Strict JSON: one document, no duplicate key, errors as values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tileglu/status.hpp"

namespace tileglu::weights {

/// Parses `text`; `what` names the file in errors.
result<nlohmann::json> parse_json(std::string_view text, const std::string& what);

/// Reads and parses a file of at most `limit` bytes.
result<nlohmann::json> read_json(const std::string& path, std::size_t limit);

}  // namespace tileglu::weights
