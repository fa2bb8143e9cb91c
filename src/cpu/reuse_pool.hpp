// What runs borrow and give back. prepare() makes the first piece; as many pieces live as runs were ever at work at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace tileglu::cpu {

template <class Piece>
class reuse_pool {
 public:
  using maker = std::function<std::unique_ptr<Piece>()>;

  /// Sets how pieces are made, and makes one. Throws what `make` throws.
  void prepare(maker make) {
    make_ = std::move(make);
    free_.reserve(64);  // giving back never allocates: of more than 64 pieces at once the rest are freed
    free_.push_back(make_());
  }

  /// A piece that nobody else holds; makes one only where all are in use. Null where that fails.
  std::unique_ptr<Piece> take() noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto piece = std::move(free_.back());
        free_.pop_back();
        return piece;
      }
    }
    try {
      return make_();
    } catch (...) {
      return nullptr;
    }
  }

  void give(std::unique_ptr<Piece> piece) noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.size() < free_.capacity()) free_.push_back(std::move(piece));
  }

 private:
  maker make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Piece>> free_;
};

/// Bytes at a multiple of 64.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::size_t bytes) : data_(static_cast<char*>(::operator new(bytes, alignment))) {}
  aligned_bytes(const aligned_bytes&) = delete;
  aligned_bytes& operator=(const aligned_bytes&) = delete;
  ~aligned_bytes() { ::operator delete(data_, alignment); }
  char* data() const noexcept { return data_; }

 private:
  static constexpr std::align_val_t alignment{64};
  char* data_;
};

}  // namespace tileglu::cpu
