// Texts of HTTP: percent-encoding, hexadecimal digits, times.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace remote {

/// Encodes everything but A-Z a-z 0-9 - . _ ~ and, in paths, '/'. Stores sign the encoded text.
std::string percent_encoded(std::string_view text, bool path);
/// A path that may be encoded already: its codes stay.
std::string encoded_once(std::string_view path);
/// The text that was encoded so, or as in forms, where '+' is a blank. What is no code stays.
std::string percent_decoded(std::string_view text);
/// Without the blanks and ends of lines around it.
std::string_view trimmed(std::string_view text) noexcept;
/// ASCII only, as names of headers and schemes are.
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lowercase(std::string_view text);
/// Whether two names are the same, ignoring case.
bool equal_names(std::string_view a, std::string_view b) noexcept;
/// Of names in messages.
inline constexpr std::size_t longest_name = 1000;
std::string hexadecimal(std::string_view bytes);
/// "20261123T184200Z", in UTC.
std::string basic_time(std::chrono::system_clock::time_point when);
/// "2026-11-23T10:00:00Z", also with another offset. Unparsable times return the epoch, so they
/// count as expired.
std::chrono::system_clock::time_point parse_iso_time(const std::string& text);
/// "Mon, 23 Nov 2026 18:42:00 GMT", or the epoch if it is something else.
std::chrono::system_clock::time_point parse_http_time(const std::string& text);

}  // namespace remote
}  // namespace v0
}  // namespace leat
