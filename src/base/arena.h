#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace harn {

// Memory that is handed out in order and freed at once. Objects in it are never destroyed, so they
// must not own anything. Addresses stay valid until the arena goes, also when it is moved. One thread at a time; without
// memory it throws std::bad_alloc.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void* allocate(size_t size, size_t alignment) {
    auto at = (next_ + alignment - 1) & ~(alignment - 1);
    if (at + size > end_) [[unlikely]]
      return allocate_block(size, alignment);
    next_ = at + size;
    return reinterpret_cast<void*>(at);
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena never runs destructors");
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    auto* to = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
    memcpy(static_cast<void*>(to), items.data(), items.size_bytes());
    return {to, items.size()};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* to = static_cast<char*>(allocate(text.size(), 1));
    memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

 private:
  void* allocate_block(size_t size, size_t alignment) {
    size_t block = size + alignment > kBlockSize / 4 ? size + alignment : kBlockSize;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    auto start = reinterpret_cast<uintptr_t>(blocks_.back().get());
    auto at = (start + alignment - 1) & ~(alignment - 1);
    if (block == kBlockSize) {
      next_ = at + size;
      end_ = start + block;
    }
    return reinterpret_cast<void*>(at);
  }

  static constexpr size_t kBlockSize = 64 * 1024;
  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace harn
