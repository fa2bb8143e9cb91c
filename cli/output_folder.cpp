#include "output_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace tileglu::cli {

status write_result(const std::string& folder, const std::string& name, std::string_view text) {
  namespace fs = std::filesystem;
  const auto failure = [](const std::string& what, const std::error_code& why) {
    return status(status_code::io_error, "cannot write " + what + ": " + why.message());
  };
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failure("into " + folder, error);
  const fs::path path = fs::path(folder) / name, partial = path.string() + ".partial";

  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) return failure(path.string(), {errno, std::generic_category()});
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  int why = good ? 0 : errno;
  if (std::fclose(file) != 0 && good) good = false, why = errno;
  if (good) {
    fs::rename(partial, path, error);
    if (!error) return {};
    why = error.value();
  }
  std::error_code ignored;
  fs::remove(partial, ignored);
  return failure(path.string(), {why, std::generic_category()});
}

}  // namespace tileglu::cli
