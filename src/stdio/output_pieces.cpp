// Wide text as pieces of bytes, and the end of a call that has failed. Called by printf.cpp,
// wprintf.cpp and the wide functions.
#include "stdio/output_pieces.hpp"

#include <climits>
#include <cstdint>
#include <cwchar>

#include "stdio/wide.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

bool output_pieces::write_wide(const wchar_t* from, std::size_t n) noexcept {
  set_wide_orientation(file_);
  if (stream& to = below(file_); to.stores_wide()) {
    const std::size_t size = n * sizeof(wchar_t);
    const std::size_t taken = to.write(file_, reinterpret_cast<const char*>(from), size);
    written_ += taken;
    return taken == size || remove_written();
  }
  // Without a shift state, an ASCII character is its byte in the encodings of all locales.
  std::mbstate_t& state = file_.write_state;
  bool is_initial = std::mbsinit(&state) != 0;
  char bytes[2048];
  while (n != 0) {
    char* to = bytes;
    bool has_character = true;
    for (; n != 0 && bytes + sizeof bytes - to >= MB_LEN_MAX; ++from, --n) {
      if (is_initial && static_cast<std::uint32_t>(*from) - 1 < 0x7f) {
        *to++ = static_cast<char>(*from);
        continue;
      }
      const std::size_t size = std::wcrtomb(to, *from, &state);
      has_character = size != static_cast<std::size_t>(-1);
      if (!has_character) break;
      is_initial = std::mbsinit(&state) != 0;
      to += size;
    }
    if (to != bytes && !write(bytes, static_cast<std::size_t>(to - bytes))) return false;
    if (!has_character) {
      file_.failed = true;
      return false;
    }
  }
  return true;
}

bool output_pieces::remove_written() noexcept {
  if (written_ != 0) file_.below->remove_pending(file_, written_);
  return false;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
