// Wide characters of a file whose bytes are in the locale's encoding. Used by the wide functions of
// C.
#pragma once

#include <cstddef>
#include <cwchar>

#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// If the stream has no orientation, gives the stream wide orientation.
inline void set_wide_orientation(leat_file& f) noexcept {
  if (f.orientation == 0) f.orientation = 1;
}

/// True if, in the initial state, the byte is the character of the same value. As with glibc's
/// btowc, this also holds for encodings that differ from ASCII. For example, the byte 0x5C of
/// Shift_JIS is a yen sign, and is read as '\\'.
inline bool is_ascii(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x80; }

/// Returns the next wide character. Returns WEOF at the end, on errors, and for an invalid sequence
/// of bytes (EILSEQ).
wint_t get_wide(leat_file& f) noexcept;

/// Takes characters of one byte each from the buffer: at most `most`, up to a newline, which is
/// taken too. Returns the number of taken characters. Reads nothing into the buffer.
std::size_t take_ascii(leat_file& f, wchar_t* to, std::size_t most) noexcept;

/// Pushes back the bytes of a wide character. Returns false for WEOF, if there is no room, if the
/// file can't be read, or if the locale's encoding does not have the character.
bool unget_wide(wint_t character, leat_file& f) noexcept;

/// Writes a wide character. Returns false (errno) if the locale's encoding does not have the
/// character, or if writing fails.
bool put_wide(wchar_t character, leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
