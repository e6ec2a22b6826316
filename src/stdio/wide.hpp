// Wide characters of a file whose bytes are in the locale's encoding.
#pragma once

#include <cwchar>

#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Marks a stream as one of wide characters, unless it is one of bytes already.
inline void use_wide(leat_file& f) noexcept {
  if (f.orientation == 0) f.orientation = 1;
}

/// The next wide character. WEOF at the end, on errors, and if the bytes are no character (EILSEQ).
wint_t get_wide(leat_file& f) noexcept;

/// Pushes back the bytes of a wide character. False without room, or if it has no bytes in the
/// encoding.
bool unget_wide(wint_t character, leat_file& f) noexcept;

/// Writes a wide character. False (errno) if the locale's encoding does not have it, or writing
/// fails.
bool put_wide(wchar_t character, leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
