#include "problem_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>

namespace tileglu::cli {
namespace {

using nlohmann::json;

/// What is wrong with the content; the file and the entry are added where they are known.
struct complaint {
  std::string text;
};

std::string in_quotes(const std::string& key) { return '"' + key + '"'; }

/// A value for an error: its own text, or of what is long only its kind.
std::string shown(const json& value) {
  if (value.is_structured()) return std::string("an ") + value.type_name();
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

complaint wrong(const std::string& key, const json& value, const std::string& allowed) {
  return {in_quotes(key) + " is " + shown(value) + "; allowed " + allowed};
}

std::int64_t whole_number(const std::string& key, const json& value) {
  const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) throw wrong(key, value, "are whole numbers from 0 to " + std::to_string(std::int64_t{1} << 40));
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> whole_numbers(const std::string& key, const json& value) {
  if (!value.is_array()) return {whole_number(key, value)};
  if (value.empty()) throw complaint{in_quotes(key) + " is an empty list; allowed are a number or a list of numbers"};
  std::vector<std::int64_t> numbers;
  for (const json& one : value) numbers.push_back(whole_number(key, one));
  return numbers;
}

void read(const std::string& key, const json& value, std::int64_t& into) { into = whole_number(key, value); }

void read(const std::string& key, const json& value, std::string& into) {
  if (!value.is_string()) throw wrong(key, value, "is a word");
  into = value.get<std::string>();
}

void read(const std::string& key, const json& value, bool& into) {
  if (!value.is_boolean()) throw wrong(key, value, "are true and false");
  into = value.get<bool>();
}

void read(const std::string& key, const json& value, std::optional<float>& into) {
  constexpr double most = std::numeric_limits<float>::max();
  if (!value.is_number() || std::abs(value.get<double>()) > most) throw wrong(key, value, "are numbers that float32 holds, to 3.403e+38");
  into = value.get<float>();
}

problem_words words_of(const json& entry, problem_words words) {
  for (const auto& [key, value] : entry.items()) {
    if (key == "m" || key == "n" || key == "k" || key == "name") continue;
    if (key == "dtype") read(key, value, words.dtype);
    else if (key == "layout") read(key, value, words.layout);
    else if (key == "activation") read(key, value, words.activation);
    else if (key == "numerics") read(key, value, words.numerics);
    else if (key == "alpha") read(key, value, words.alpha);
    else if (key == "limit") read(key, value, words.limit);
    else if (key == "bias") read(key, value, words.bias);
    else if (key == "ldx") read(key, value, words.ldx);
    else if (key == "ldw") read(key, value, words.ldw);
    else if (key == "ldy") read(key, value, words.ldy);
    else
      throw complaint{in_quotes(key) + " is no part of a problem; allowed are name, m, n, k, dtype, layout, activation, numerics, alpha, limit, "
                                    "bias, ldx, ldw, ldy"};
  }
  return words;
}

void add_entry(const json& entry, const problem_words& defaults, std::vector<problem>& all) {
  if (!entry.is_object()) throw complaint{"it is " + shown(entry) + R"(; allowed is an object, such as {"m": [1, 16], "n": 4864, "k": 896})"};
  std::map<std::string, std::vector<std::int64_t>> axes;
  for (const char* axis : {"m", "n", "k"}) {
    if (!entry.contains(axis)) throw complaint{"it lacks " + in_quotes(axis)};
    axes[axis] = whole_numbers(axis, entry[axis]);
  }
  const auto like = words_of(entry, defaults).without_shape();
  if (!like) throw complaint{like.error().text()};
  const std::size_t before = all.size();
  if (status s = add_shapes(axes["m"], axes["n"], axes["k"], *like, all); !s.ok()) throw complaint{s.text()};
  for (std::size_t i = before; i < all.size(); ++i)
    if (status s = validate(all[i]); !s.ok()) throw complaint{s.text()};
}

result<std::string> read_text(const std::string& path) {
  constexpr std::size_t most = 16u << 20;  // of a hundred thousand problems; /dev/zero has no end
  const auto failed = [&] { return status(status_code::io_error, "'" + path + "' could not be read: " + std::strerror(errno)); };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return failed();
  std::string text;
  char piece[1 << 16];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, file.get())) {
    text.append(piece, got);
    if (text.size() > most)
      return status(status_code::bad_file, "'" + path + "' is longer than " + std::to_string(most) + " bytes, which are allowed");
  }
  if (std::ferror(file.get())) return failed();
  return text;
}

/// The document; a key that an object has twice is a complaint, for either of its values may be meant.
json parse(const std::string& text) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto watch = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second && twice.empty()) twice = value.get<std::string>();
    return true;
  };
  json document = json::parse(text, watch);
  if (!twice.empty()) throw complaint{in_quotes(twice) + " is there twice in one problem; allowed is once"};
  return document;
}

}  // namespace

status add_problems_of_file(const std::string& path, const problem_words& defaults, std::vector<problem>& all) {
  const auto text = read_text(path);
  if (!text) return text.error();
  std::string where = "'" + path + "': ";
  try {
    const json document = parse(*text);
    if (!document.is_array()) throw complaint{R"(the file is no JSON array of problems, such as [{"m": [1, 16], "n": 4864, "k": 896}])"};
    std::size_t number = 0;
    for (const json& entry : document) {
      where = "'" + path + "', problem " + std::to_string(++number) + ": ";
      add_entry(entry, defaults, all);
    }
  } catch (const complaint& c) {
    return {status_code::bad_file, where + c.text};
  } catch (const json::exception& e) {
    return {status_code::bad_file, where + e.what()};
  }
  return {};
}

}  // namespace tileglu::cli
