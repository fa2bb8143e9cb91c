#include "gpu/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

namespace tileglu::gpu_check {

const char* const usage =
    "gpu_check [--kernels NAME,...] [--checks NAME,...] [--full | --quick | --tiny] [--part I/N] [--seconds N] [--json FILE]\n"
    "  --kernels  rows or kernels of the planner's tables (paired, decode, portable, ...); default: every CUDA row, and the planner's choice\n"
    "  --checks   of sweep, repeats, row_bits, unfused_bits, whole_mlp, packing, bad_input; default: all\n"
    "  --full     every row of the tables in every case; default: a share of them that rotates\n"
    "  --quick    a tenth of the cases\n"
    "  --tiny     a few small ones, one at a time, for compute-sanitizer\n"
    "  --part     the I-th of N parts, which together are the whole (scripts/gpu_tests --full)\n"
    "  --seconds  what is not done after N seconds is left out, which is a failure\n"
    "gpu_check --profile ROW,M,N,K    runs a row once between cudaProfilerStart and Stop (ncu --profile-from-start off)\n";

namespace {

const std::vector<std::string> every_check = {"packing", "bad_input", "repeats", "row_bits", "unfused_bits", "whole_mlp", "sweep"};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string each; std::getline(in, each, ',');) parts.push_back(each);
  return parts;
}

template <class Number>
bool read(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string take_checks(const std::string& text, arguments& a) {
  a.checks = split(text);
  for (const std::string& check : a.checks)
    if (std::find(every_check.begin(), every_check.end(), check) == every_check.end()) {
      std::string allowed;
      for (const std::string& each : every_check) allowed += (allowed.empty() ? "" : ", ") + each;
      return "--checks has '" + check + "'; allowed are " + allowed;
    }
  return {};
}

std::string take_part(const std::string& text, arguments& a) {
  const std::size_t slash = text.find('/');
  const bool read_both = slash != std::string::npos && read(std::string_view(text).substr(0, slash), a.share.number) &&
                         read(std::string_view(text).substr(slash + 1), a.share.of);
  if (read_both && 1 <= a.share.number && a.share.number <= a.share.of) return {};
  return "--part is '" + text + "'; allowed is I/N with 1 <= I <= N";
}

std::string take_seconds(const std::string& text, arguments& a) {
  if (read(text, a.seconds) && a.seconds > 0) return {};
  return "--seconds is '" + text + "'; allowed is a number above 0";
}

std::string take_profile(const std::string& text, arguments& a) {
  const std::vector<std::string> words = split(text);
  bool right = words.size() == 4;
  for (std::size_t i = 0; right && i < 3; ++i) right = read(words[i + 1], a.profiled_size[i]) && a.profiled_size[i] >= 0;
  if (!right) return "--profile is '" + text + "'; allowed is ROW,M,N,K with numbers of at least 0";
  a.profiled_row = words[0];
  return {};
}

}  // namespace

std::string parse(int argc, const char* const* argv, arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--full" || option == "--quick" || option == "--tiny") {
      a.of = option == "--full" ? amount::full : option == "--quick" ? amount::quick : amount::tiny;
      a.command += " " + option;
      continue;
    }
    if (option == "--break-context") {
      a.break_context = true;
      continue;
    }
    const bool takes_value = option == "--kernels" || option == "--checks" || option == "--seconds" || option == "--profile" || option == "--json" ||
                             option == "--part";
    if (!takes_value) return "'" + option + "' is no option";
    if (i + 1 == argc) return option + " needs a value";
    const std::string value = argv[++i];
    if (option != "--json") a.command += " " + option + " " + value;
    std::string wrong;
    if (option == "--kernels") a.kernels = split(value);
    if (option == "--json") a.json = value;
    if (option == "--checks") wrong = take_checks(value, a);
    if (option == "--seconds") wrong = take_seconds(value, a);
    if (option == "--profile") wrong = take_profile(value, a);
    if (option == "--part") wrong = take_part(value, a);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace tileglu::gpu_check
