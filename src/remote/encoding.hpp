// Texts of HTTP: percent-encoding, the case of names, hexadecimal digits, times. Used by most files
// of src/remote.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace remote {

/// Returns the text with all bytes encoded except A-Z a-z 0-9 - . _ ~ and, in paths, '/'.
/// Signatures cover the encoded text.
std::string percent_encoded(std::string_view text, bool path);
/// Returns the encoded form of a path that may be encoded already: existing codes ("%20") stay.
std::string encoded_once(std::string_view path);
/// Returns the text with codes such as "%20" decoded, and with a blank for each '+', as in forms.
/// Invalid codes stay.
std::string percent_decoded(std::string_view text);
/// Returns the text without blanks and line ends at both ends.
std::string_view trimmed(std::string_view text) noexcept;
/// Returns the lower-case letter of an ASCII letter. Header names and schemes are ASCII.
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
/// Returns the text with lower() applied to each character.
std::string lowercase(std::string_view text);
/// True if the two names are equal, ignoring case.
bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;
/// Limit for names in messages, in bytes.
inline constexpr std::size_t longest_name = 1000;
/// Returns two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::string_view bytes);
/// "20261123T184200Z", in UTC.
std::string iso_basic_time(std::chrono::system_clock::time_point when);
/// Parses "2026-11-23T10:00:00Z", or a time with another offset. Returns the epoch if the text is
/// not a time, so that the credentials count as expired. Returns the largest time for years after
/// 2200.
std::chrono::system_clock::time_point parse_iso_time(const std::string& text);
/// Parses "Mon, 23 Nov 2026 18:42:00 GMT". Returns the epoch if the text is not a time.
std::chrono::system_clock::time_point parse_http_time(const std::string& text);

}  // namespace remote
}  // namespace v0
}  // namespace leat
