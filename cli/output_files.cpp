#include "output_files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace tileglu::cli {
namespace {

namespace fs = std::filesystem;

status failure(const std::string& what, const std::error_code& why) {
  return {status_code::io_error, "cannot write " + what + ": " + why.message()};
}

/// 0, or the errno of what failed.
int write_whole(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int why = good ? 0 : errno;
  return std::fclose(file) != 0 && good ? errno : why;
}

}  // namespace

status write_file(const std::string& path, std::string_view text) {
  std::error_code error;
  const fs::file_status there = fs::symlink_status(path, error);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    std::fflush(stdout);  // what it names may be the same pipe
    const int why = write_whole(path, text);
    return why == 0 ? status{} : failure(path, {why, std::generic_category()});
  }
  const std::string partial = path + "." + std::to_string(::getpid()) + ".partial";
  const int why = write_whole(partial, text);
  error = {why, std::generic_category()};
  if (why == 0) fs::rename(partial, path, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove(partial, ignored);
  return failure(path, error);
}

status write_result(const std::string& folder, const std::string& name, std::string_view text) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failure("into " + folder, error);
  return write_file((fs::path(folder) / name).string(), text);
}

}  // namespace tileglu::cli
