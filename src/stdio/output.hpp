// The output of printf's engine. printf.cpp and wprintf.cpp derive the kinds of output from this
// class: files, strings and others.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// A buffer for printf's characters, and make_room() for a full buffer.
template <class Char>
class output {
 public:
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  void put(const Char* text, std::size_t n) noexcept {
    if (n > room()) [[unlikely]]
      return put_slowly(text, n);
    copy(text, n);
  }
  // src/format/padding.hpp calls write() and fill().
  void write(std::string_view ascii) noexcept {
    if constexpr (sizeof(Char) == 1)
      put(ascii.data(), ascii.size());
    else
      for (const char c : ascii) {
        const auto wide = static_cast<Char>(c);
        put(&wide, 1);
      }
  }
  /// Appends `unit`, which is one character, n times.
  void fill(std::string_view unit, std::size_t n) noexcept;

  /// The count of characters so far.
  std::uint64_t count() const noexcept {
    return flushed_count_ + static_cast<std::uint64_t>(next_ - begin_);
  }
  bool failed() const noexcept { return failed_; }
  void fail() noexcept { failed_ = true; }

 protected:
  output(Char* begin, Char* end) noexcept : output(begin, begin, end) {}
  /// The buffer already has the characters up to `next`; count() includes these.
  output(Char* begin, Char* next, Char* end) noexcept : begin_(begin), next_(next), end_(end) {}
  ~output() = default;

  /// Makes room by set_buffer(); count() still includes the old buffer's characters. Returns false
  /// if no more room is possible: then further characters are only counted.
  virtual bool make_room() noexcept = 0;

  std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  /// Replaces the buffer with an empty buffer.
  void set_buffer(Char* begin, Char* end) noexcept {
    flushed_count_ += static_cast<std::uint64_t>(next_ - begin_);
    begin_ = next_ = begin;
    end_ = end;
  }

  Char* begin_;
  Char* next_;
  Char* end_;

 private:
  void copy(const Char* text, std::size_t n) noexcept {
    if (n != 0 && next_ != nullptr) std::memcpy(next_, text, n * sizeof(Char));
    next_ += n;
  }
  [[gnu::cold]] void put_slowly(const Char* text, std::size_t n) noexcept;

  std::uint64_t flushed_count_ = 0;
  bool failed_ = false;
};

/// Finishes the output, also after an error. Returns `count`, or -1 with errno.
template <class Output>
int finish_output(Output& to, int count) noexcept {
  const int why = errno;
  to.finish();
  if (count < 0) return fail(why, -1);
  return to.failed() ? -1 : count;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
