// The page of `tileglu run`: one HTML file with its plots inside, made from the JSON that the command writes.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tileglu::cli {

/// `run` is the object that run.cpp writes (see to_json there). The page needs no other file, network or script.
std::string html_report(const nlohmann::ordered_json& run);

}  // namespace tileglu::cli
