// config.json of a Hugging Face checkpoint.
#pragma once

#include <string>

#include "tileglu/checkpoint.hpp"
#include "tileglu/status.hpp"

namespace tileglu::weights {

/// Reads `path`; refuses what is known not to be one plain gated MLP per layer.
result<model_config> read_config(const std::string& path);

}  // namespace tileglu::weights
