#include "weights/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tileglu::weights {

status io_failure(const char* verb, const std::string& path) {
  const int error = errno;
  return {status_code::io_error, std::string("cannot ") + verb + " " + path + ": " + std::generic_category().message(error)};
}

result<mapped_file> mapped_file::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer would be waited for, without end
  if (descriptor < 0) return io_failure("open", path);
  struct closer {
    int descriptor;
    ~closer() { ::close(descriptor); }
  } const closes{descriptor};

  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return io_failure("examine", path);
  if (!S_ISREG(facts.st_mode)) return status(status_code::io_error, "cannot read " + path + ": it is not a regular file");
  mapped_file file;
  file.size_ = static_cast<std::size_t>(facts.st_size);
  if (file.size_ == 0) return file;  // mmap refuses a length of 0
  void* memory = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) return io_failure("map", path);
  file.memory_ = std::shared_ptr<const void>(memory, [size = file.size_](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); });
  return file;
}

}  // namespace tileglu::weights
