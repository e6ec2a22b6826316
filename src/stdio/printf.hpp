// printf's formats. One engine for char and wchar_t, over whatever takes the characters.
#pragma once

#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace stdio {

/// Where printf's characters go: a window, and what to do when it is full.
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
  void put_ascii(const char* text, std::size_t n) noexcept;
  void fill(char c, std::size_t n) noexcept;

  /// Characters put so far.
  std::uint64_t count() const noexcept {
    return passed_ + static_cast<std::uint64_t>(next_ - begin_);
  }
  bool failed() const noexcept { return failed_; }
  void fail() noexcept { failed_ = true; }

 protected:
  output(Char* begin, Char* end) noexcept : begin_(begin), next_(begin), end_(end) {}
  ~output() = default;

  /// Empties the window, counting what it held, if that makes room; false: what comes can only be
  /// counted.
  virtual bool make_room() noexcept = 0;

  std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  void set_window(Char* begin, Char* end) noexcept {
    passed_ += static_cast<std::uint64_t>(next_ - begin_);
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

  std::uint64_t passed_ = 0;
  bool failed_ = false;
};

/// Formats; returns the count, or -1 with errno: EINVAL for a format that is wrong (or has "%n"
/// where that is not wanted), EOVERFLOW where the count is more than an int holds, EILSEQ. Nobody
/// has asked the output to finish then.
template <class Char>
int format(output<Char>& to, const Char* text, va_list list, bool percent_n) noexcept;

/// Copies a text while looking for its end, into memory of which what is behind the copy has no
/// meaning. Returns the copy's end; null where there is too little room.
char* copy_text(char* to, const char* end, const char* text) noexcept;

/// The formats of most programs, into memory behind which nothing has a meaning: letters, "%s",
/// "%d", "%.3f" and their like. Returns the end; null where there is more to do or too little room.
/// Uses up the arguments.
char* format_quickly(char* to, char* end, const char* at, va_list arguments) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
