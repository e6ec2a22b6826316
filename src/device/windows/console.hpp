// Reads and writes the console in UTF-8. The system's own functions use UTF-16. The devices of
// file.cpp and cursor_device.cpp, and write_once() of descriptor.cpp, use windows_console.
#pragma once

#include <windows.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Returns the size of a text without an incomplete character at its end.
std::size_t size_of_whole_characters(std::string_view text) noexcept;

/// Translates typed text to UTF-8, with lines that end in '\n'. `begins_line` says whether the text
/// starts a line. Ctrl+Z at the start of a line means the end: then returns an empty text. Throws
/// std::bad_alloc.
std::string typed_text(std::wstring_view typed, bool begins_line);

/// The console behind a handle. Does not close the handle.
class windows_console {
 public:
  explicit windows_console(HANDLE console) noexcept : console_(console) {}
  windows_console(const windows_console&) = delete;
  windows_console& operator=(const windows_console&) = delete;
  /// Shows U+FFFD if the last write ended with an incomplete character.
  ~windows_console();

  /// Reads typed text. If no earlier text is left, waits until text has been typed. Returns the
  /// number of bytes. A result of 0 without an error means that the user has typed the end. On
  /// failure sets `ec` and returns 0.
  std::size_t read(std::span<char> into, std::error_code& ec) noexcept;
  /// Writes at most 8 KiB. Returns the number of written bytes. If these bytes end with an
  /// incomplete character, this character is counted as written, and kept for the next call. On
  /// failure sets `ec`, and returns the number of bytes that were written before the failure.
  std::size_t write(std::string_view bytes, std::error_code& ec) noexcept;

 private:
  HANDLE console_;
  std::string typed_;              // typed but not read yet
  bool within_line_ = false;       // the system has returned only a part of the line so far
  std::string partial_character_;  // the incomplete character that is kept
};

}  // namespace v0
}  // namespace leat
