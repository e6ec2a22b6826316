// Storing the characters of scanf's %c, %s and %[. scanner.hpp calls this code.
#pragma once

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "stdio/scan/input.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// The target of %c, %s and %[: none, the caller's array, or allocated memory.
template <class To>
class text_target {
 public:
  text_target(void* argument, bool allocates) noexcept {
    if (allocates && argument != nullptr) {
      result_ = static_cast<To**>(argument);
      *result_ = nullptr;
    } else {
      at_ = static_cast<To*>(argument);
    }
  }
  ~text_target() {
    if (memory_ != nullptr) std::free(memory_);
  }
  text_target(const text_target&) = delete;
  text_target& operator=(const text_target&) = delete;

  /// Appends n characters. Returns false if there is no memory.
  bool add(const To* from, std::size_t n) noexcept {
    if (result_ != nullptr && n > capacity_ - size_ && !grow(n)) return false;
    if (at_ != nullptr) {
      std::memcpy(at_, from, n * sizeof(To));
      at_ += n;
    }
    size_ += n;
    return true;
  }
  /// Passes the allocated memory, shrunk to the size of the text, to the caller.
  void deliver() noexcept {
    if (result_ == nullptr) return;
    void* const fitting = std::realloc(memory_, size_ * sizeof(To));
    *result_ = fitting != nullptr ? static_cast<To*>(fitting) : memory_;
    memory_ = nullptr;
  }

 private:
  bool grow(std::size_t n) noexcept {
    if (n > SIZE_MAX / sizeof(To) / 4 - size_) return false;
    const std::size_t wanted = 2 * (size_ + n) + 16;
    auto* const bigger = static_cast<To*>(std::realloc(memory_, wanted * sizeof(To)));
    if (bigger == nullptr) return false;
    memory_ = bigger;
    at_ = bigger + size_;
    capacity_ = wanted;
    return true;
  }

  To* at_ = nullptr;
  To** result_ = nullptr;
  To* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// While wanted(character) is true, takes at most `left` characters and adds them to the target.
template <class Input, class Wanted>
[[gnu::always_inline]] inline outcome copy(Input& in,
                                           text_target<typename Input::character>& target,
                                           std::size_t left, Wanted wanted) noexcept {
  while (left != 0) {
    const auto c = in.peek();
    if (c == Input::none || !wanted(c)) break;
    if constexpr (Input::has_buffer) {
      const char* const first = in.begin();
      const auto room = static_cast<std::size_t>(in.end() - first);
      const char* const end = first + (left < room ? left : room);
      const char* at = first + 1;
      while (at != end && wanted(Input::symbol_of(*at))) ++at;
      const auto n = static_cast<std::size_t>(at - first);
      if (!target.add(first, n)) return outcome::no_memory;
      in.advance_to(at);
      left -= n;
    } else {
      const auto character = static_cast<typename Input::character>(c);
      if (!target.add(&character, 1)) return outcome::no_memory;
      in.take();
      --left;
    }
  }
  return outcome::matched;
}

/// copy() from bytes to wide characters. `left` counts characters, not bytes.
template <class Input, class Wanted>
outcome copy_widened(Input& in, text_target<wchar_t>& target, std::size_t left,
                     Wanted wanted) noexcept {
  std::mbstate_t state{};
  bool inside_character = false;
  while (left != 0) {
    const auto c = in.peek();
    if (c == Input::none || !wanted(c)) break;
    in.take();
    const auto byte = static_cast<char>(c);
    wchar_t character;
    const std::size_t taken = std::mbrtowc(&character, &byte, 1, &state);
    if (taken == static_cast<std::size_t>(-1)) return outcome::no_input;  // errno is EILSEQ
    inside_character = taken == static_cast<std::size_t>(-2);
    if (inside_character) continue;
    if (!target.add(&character, 1)) return outcome::no_memory;
    --left;
  }
  if (inside_character) errno = EILSEQ;
  return inside_character ? outcome::no_input : outcome::matched;
}

/// copy() from wide characters to bytes.
template <class Input, class Wanted>
outcome copy_narrowed(Input& in, text_target<char>& target, std::size_t left,
                      Wanted wanted) noexcept {
  std::mbstate_t state{};
  for (; left != 0; --left) {
    const auto c = in.peek();
    if (c == Input::none || !wanted(c)) break;
    in.take();
    char bytes[MB_LEN_MAX];
    const std::size_t n = std::wcrtomb(bytes, static_cast<wchar_t>(c), &state);
    if (n == static_cast<std::size_t>(-1)) return outcome::no_input;  // errno is EILSEQ
    if (!target.add(bytes, n)) return outcome::no_memory;
  }
  return outcome::matched;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
