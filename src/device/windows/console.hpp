// The console, which takes and gives UTF-16, as a home of UTF-8.
#pragma once

#include <windows.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How many bytes of a text are whole characters: all but the beginning of one at the end.
std::size_t whole_characters(std::string_view text) noexcept;

/// What was typed as a program reads it: lines end in '\n', and Ctrl+Z at the start of one is the
/// end, for which this is empty. Throws std::bad_alloc.
std::string typed_text(std::wstring_view typed);

class windows_console {
 public:
  explicit windows_console(HANDLE console) noexcept : console_(console) {}
  windows_console(const windows_console&) = delete;
  windows_console& operator=(const windows_console&) = delete;
  /// Shows what is left of a character that never became whole.
  ~windows_console();

  /// 0 without an error: the end was typed.
  std::size_t read(std::span<char> into, std::error_code& ec) noexcept;
  /// Takes all of it, keeping the beginning of a character that another call is to complete.
  std::size_t write(std::string_view bytes, std::error_code& ec) noexcept;

 private:
  HANDLE console_;
  std::string typed_;  // and not read yet
  std::string begun_;  // of a character to be written
};

}  // namespace v0
}  // namespace leat
