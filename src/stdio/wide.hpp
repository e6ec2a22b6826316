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

/// The next wide character; WEOF at the end, on errors, and where the bytes are none (EILSEQ).
wint_t get_wide(leat_file& f) noexcept;

/// Pushes a wide character back as its bytes; false without room, or if it has none.
bool unget_wide(wint_t character, leat_file& f) noexcept;

/// False (errno) if it has no bytes in the locale's encoding, or they can't be written.
bool put_wide(wchar_t character, leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
