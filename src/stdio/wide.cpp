// Wide characters of a file: decoding, encoding and pushing back. Called by the wide functions of
// C.
#include "stdio/wide.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "stdio/error.hpp"
#include "stdio/output_pieces.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

wint_t fail_decoding(leat_file& f) noexcept {
  f.failed = true;
  f.read_state = {};
  return fail(EILSEQ, WEOF);
}

}  // namespace

std::size_t take_ascii(leat_file& f, wchar_t* to, std::size_t most) noexcept {
  if (std::mbsinit(&f.read_state) == 0) return 0;
  const std::size_t n = std::min(most, f.available());
  constexpr std::size_t block = 16;
  std::size_t i = 0;
  for (; n - i >= block; i += block) {
    char bytes[block];
    std::memcpy(bytes, f.get + i, block);
    bool ends = false;
    for (const char byte : bytes) ends |= !is_ascii(byte) | (byte == '\n');
    if (ends) break;
    for (std::size_t k = 0; k != block; ++k) to[i + k] = static_cast<wchar_t>(bytes[k]);
  }
  for (bool ends = false; i != n && !ends && is_ascii(f.get[i]); ++i) {
    to[i] = static_cast<wchar_t>(f.get[i]);
    ends = f.get[i] == '\n';
  }
  f.get += i;
  return i;
}

wint_t get_wide(leat_file& f) noexcept {
  set_wide_orientation(f);
  for (;;) {
    if (f.get == f.get_end && !refill(f)) {
      // A file that ends inside a character has an invalid sequence of bytes at its end.
      if (f.at_end && std::mbsinit(&f.read_state) == 0) return fail_decoding(f);
      return WEOF;
    }
    if (is_ascii(*f.get) && std::mbsinit(&f.read_state) != 0)
      return static_cast<unsigned char>(*f.get++);
    wchar_t character;
    const std::size_t taken = std::mbrtowc(&character, f.get, f.available(), &f.read_state);
    if (taken == static_cast<std::size_t>(-1)) return fail_decoding(f);
    if (taken == static_cast<std::size_t>(-2)) {
      f.get = f.get_end;  // read_state has these bytes
      continue;
    }
    f.get += taken == 0 ? 1 : taken;
    return static_cast<wint_t>(character);
  }
}

bool unget_wide(wint_t character, leat_file& f) noexcept {
  if (character == WEOF) return false;
  set_wide_orientation(f);
  char bytes[MB_LEN_MAX];
  std::mbstate_t state{};
  std::size_t left = std::wcrtomb(bytes, static_cast<wchar_t>(character), &state);
  if (left == static_cast<std::size_t>(-1)) return false;
  // Pushes back all bytes or none.
  const std::size_t used = f.pushback_size();
  if (leat_file::max_pushback - used < left) return fail(ENOMEM, false);
  while (left != 0)
    if (!push_back(f, bytes[--left])) return false;
  return true;
}

bool put_wide(wchar_t character, leat_file& f) noexcept {
  return output_pieces(f).write_wide(&character, 1);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
