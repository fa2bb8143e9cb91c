#include "option_checks.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace tileglu::cli {
namespace {

/// The whole of `text` as a number; false where it is none, or out of the type's range.
template <class Number>
bool read(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  return names;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// What CLI11 says of an option with too few or too many values.
std::string in_our_words(const std::string& text) {
  const std::size_t colon = text.find(':'), flag = text.find(" was given a disallowed flag override");
  const std::size_t count = text.find(": At Most 1 required but received ");
  if (flag != std::string::npos) return "--" + text.substr(0, flag) + " is given a value; allowed is --" + text.substr(0, flag) + " alone";
  if (count != std::string::npos) return text.substr(0, count) + " is given " + text.substr(text.rfind(' ') + 1) + " times; allowed is once";
  if (text.ends_with(" missing") && text.find(": 1 required ") == colon) return text.substr(0, colon) + " is given no value; allowed is one";
  return text;
}

std::string what_is_wrong(const CLI::App& app, const CLI::App* command, const CLI::ParseError& error) {
  if (command == nullptr) {
    const auto rest = app.remaining();
    const std::string wanted = "allowed are the commands " + listed(commands_of(app));
    return rest.empty() ? "no command was given; " + wanted : "'" + rest.front() + "' is no command; " + wanted;
  }
  const auto rest = command->remaining(), before = app.remaining();
  if (rest.empty() && !before.empty())
    return "'" + before.front() + "' stands before the command; allowed there are --help and --version, and a command's options come after it";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !rest.empty()) {
    const bool option = rest.front().starts_with("-");
    return "'" + rest.front() + "' is no " + (option ? "option" : "argument") + " of `tileglu " + command->get_name() + "`; allowed are " +
           listed(options_of(*command));
  }
  return in_our_words(error.what());
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](std::string& text) -> std::string {
    std::int64_t value = 0;
    if (!read(text, value) || value < least || value > most)
      return fmt::format("the value is '{}'; allowed are whole numbers from {} to {}", text, least, most);
    text = std::to_string(value);  // without leading zeros, which would make it octal
    return {};
  };
  return {check, ""};
}

CLI::Validator finite_number(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    double value = 0;
    if (!read(text, value) || !(value >= least) || !(value <= most))
      return fmt::format("the value is '{}'; allowed are numbers from {} to {}", text, least, most);
    return {};
  };
  return {check, ""};
}

CLI::Validator float32_number() {
  const auto check = [](std::string& text) -> std::string {
    float value = 0;
    if (read(text, value)) return {};
    return fmt::format("the value is '{}'; allowed are numbers that float32 holds, to {:.4g}", text, std::numeric_limits<float>::max());
  };
  return {check, ""};
}

CLI::Validator not_empty() {
  const auto check = [](std::string& text) -> std::string { return text.empty() ? "the value is ''; allowed is a path" : ""; };
  return {check, ""};
}

CLI::Option* add_switch(CLI::App& command, const std::string& name, bool& value, const std::string& description) {
  return command.add_flag(name, value, description)->disable_flag_override();
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App* const command = chosen.empty() ? nullptr : chosen.front();
  return what_is_wrong(app, command, error) + "; `tileglu " + (command ? command->get_name() + " " : "") + "--help` says more, with examples";
}

}  // namespace tileglu::cli
