// Checks of what options are given: the error says which option, what it is and what is allowed.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace tileglu::cli {

/// Decimal digits, from `least` to `most`.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

/// A finite number from `least` to `most`.
CLI::Validator finite_number(double least, double most);

/// Any number that float32 holds, infinity and NaN too: the library judges them.
CLI::Validator float32_number();

/// A path; none is not meant by an empty one.
CLI::Validator not_empty();

/// A flag that takes no value: `--bias=2` is an error.
CLI::Option* add_switch(CLI::App& command, const std::string& name, bool& value, const std::string& description);

/// What a command line that can't be read says: the option or command, what it is, what is allowed, and where to read on.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tileglu::cli
