// Memory for the inside of one run. prepare() makes the first piece; as many pieces live as runs were ever at work at once.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

namespace tileglu::cpu {

class scratch_pool {
 public:
  static constexpr std::align_val_t alignment{64};

  scratch_pool() = default;
  scratch_pool(const scratch_pool&) = delete;
  scratch_pool& operator=(const scratch_pool&) = delete;
  ~scratch_pool() {
    for (void* piece : free_) ::operator delete(piece, alignment);
  }

  /// Sets the size of all pieces and makes one. Throws std::bad_alloc.
  void prepare(std::size_t bytes) {
    bytes_ = bytes;
    free_.reserve(64);  // giving back must not allocate: 64 runs of one plan at once before it could
    give(::operator new(bytes_, alignment));
  }

  /// A piece that nobody else holds; makes one only where all are in use. Null where memory is out.
  void* take() noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        void* piece = free_.back();
        free_.pop_back();
        return piece;
      }
    }
    return ::operator new(bytes_, alignment, std::nothrow);
  }

  void give(void* piece) noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.size() < free_.capacity())
      free_.push_back(piece);
    else
      ::operator delete(piece, alignment);
  }

 private:
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::vector<void*> free_;
};

}  // namespace tileglu::cpu
