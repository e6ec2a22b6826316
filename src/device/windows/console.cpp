// Reads and writes the console in UTF-8. The devices of file.cpp and cursor_device.cpp, and
// write_once() of descriptor.cpp, use windows_console.
#include "device/windows/console.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The most bytes of one write. Older systems refuse more than 64 KiB.
constexpr std::size_t max_transfer_size = 8192;

}  // namespace

std::size_t size_of_whole_characters(std::string_view text) noexcept {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

std::string typed_text(std::wstring_view typed, bool begins_line) {
  constexpr wchar_t control_z = 0x1A;
  if (begins_line && typed.starts_with(control_z)) return {};
  std::wstring lines;
  for (std::size_t i = 0; i != typed.size(); ++i)
    if (typed[i] != L'\r' || i + 1 == typed.size() || typed[i + 1] != L'\n') lines += typed[i];
  return to_utf8(lines);
}

windows_console::~windows_console() {
  if (partial_character_.empty()) return;
  const wchar_t replacement = 0xFFFD;
  DWORD written;
  ::WriteConsoleW(console_, &replacement, 1, &written, nullptr);
}

std::size_t windows_console::read(std::span<char> into, std::error_code& ec) noexcept try {
  ec.clear();
  if (typed_.empty()) {
    constexpr DWORD most = 1023;
    std::array<wchar_t, most + 1> typed;
    DWORD count = 0;
    if (::ReadConsoleW(console_, typed.data(), most, &count, nullptr) == 0) {
      ec = system_code();
      return 0;
    }
    // If the text ends within a surrogate pair or within the line's "\r\n", read the second half,
    // too. A text of fewer than `most` characters that ends in '\r' is whole, because the program
    // may have changed the console's mode.
    if (count != 0 &&
        (IS_HIGH_SURROGATE(typed[count - 1]) || (count == most && typed[count - 1] == L'\r'))) {
      DWORD more = 0;
      if (::ReadConsoleW(console_, &typed[count], 1, &more, nullptr) != 0) count += more;
    }
    const bool is_part = count >= most && typed[count - 1] != L'\n';
    typed_ = typed_text({typed.data(), count}, !std::exchange(within_line_, is_part));
  }
  const std::size_t n = typed_.copy(into.data(), into.size());
  typed_.erase(0, n);
  return n;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

std::size_t windows_console::write(std::string_view bytes, std::error_code& ec) noexcept try {
  ec.clear();
  const std::size_t kept_size = partial_character_.size();
  const std::string_view some = bytes.substr(0, max_transfer_size);
  std::string text = partial_character_ + std::string(some);
  const std::size_t whole = size_of_whole_characters(text);
  const std::wstring wide = to_utf16(std::string_view(text).substr(0, whole));
  for (std::size_t done = 0; done != wide.size();) {
    DWORD written = 0;
    if (::WriteConsoleW(console_, wide.data() + done, static_cast<DWORD>(wide.size() - done),
                        &written, nullptr) == 0) {
      ec = system_code();
      // Counts the bytes of the characters that were written.
      const std::size_t shown = to_utf8({wide.data(), done}).size();
      if (shown <= kept_size) return 0;
      partial_character_.clear();
      return std::min(shown - kept_size, some.size());
    }
    done += written;
  }
  partial_character_ = text.substr(whole);
  return some.size();
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

}  // namespace v0
}  // namespace leat
