// A growing array for a few elements. scanner.hpp and floating.hpp use the array.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace stdio {

/// A growing array. As long as the array is small, the elements are in the object itself.
template <class T, std::size_t InlineSize>
class small_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // NOLINTNEXTLINE(modernize-use-equals-default): `= default` may set the array to zeros
  small_array() noexcept {}
  ~small_array() {
    if (data_ != inline_) std::free(static_cast<void*>(data_));
  }
  small_array(const small_array&) = delete;
  small_array& operator=(const small_array&) = delete;

  /// Returns false if there is no memory.
  bool add(T value) noexcept {
    if (size_ == capacity_ && !grow()) return false;
    data_[size_++] = value;
    return true;
  }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

 private:
  [[gnu::cold]] bool grow() noexcept {
    auto* const old = data_ == inline_ ? nullptr : static_cast<void*>(data_);
    void* const bigger = std::realloc(old, 2 * capacity_ * sizeof(T));
    if (bigger == nullptr) return false;
    if (old == nullptr) std::memcpy(bigger, static_cast<const void*>(inline_), sizeof inline_);
    data_ = static_cast<T*>(bigger);
    capacity_ *= 2;
    return true;
  }

  T inline_[InlineSize];
  T* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = InlineSize;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
