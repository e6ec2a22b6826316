// Encodings of texts and times in HTTP. Many files of src/remote call these functions.
#include "remote/encoding.hpp"

#include <curl/curl.h>
#include <leat/format.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";

bool is_plain(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_byte(std::string& to, char byte, std::string_view digits) {
  const auto value = static_cast<unsigned char>(byte);
  to += digits[value >> 4U];
  to += digits[value & 15U];
}

}  // namespace

std::string percent_encoded(std::string_view text, bool path) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_plain(c) || (path && c == '/')) {
      encoded += c;
    } else {
      encoded += '%';
      append_byte(encoded, c, upper_digits);
    }
  }
  return encoded;
}

std::string encoded_once(std::string_view path) {
  const auto is_digit = [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f');
  };
  std::string encoded;
  for (std::size_t i = 0; i != path.size(); ++i) {
    const bool is_code =
        path[i] == '%' && i + 2 < path.size() && is_digit(path[i + 1]) && is_digit(path[i + 2]);
    if (is_code)
      encoded += '%';
    else
      encoded += percent_encoded(path.substr(i, 1), true);
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) {
    unsigned char code = 0;
    const char* const end = text.data() + std::min<std::size_t>(3, text.size());
    if (text.front() == '%' &&
        std::from_chars(text.data() + 1, end, code, 16).ptr == text.data() + 3) {
      decoded += static_cast<char>(code);
      text.remove_prefix(3);
    } else {
      decoded += text.front() == '+' ? ' ' : text.front();
      text.remove_prefix(1);
    }
  }
  return decoded;
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string lowercase(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) append_byte(text, byte, lower_digits);
  return text;
}

std::string iso_basic_time(std::chrono::system_clock::time_point when) {
  std::string text = leat::format("{}", std::chrono::floor<std::chrono::seconds>(when));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::chrono::system_clock::time_point parse_iso_time(const std::string& text) {
  std::tm time{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (rest == nullptr) return {};
  if (time.tm_year > 300)
    return std::chrono::system_clock::time_point::max();  // system_clock ends in 2262
  auto found = std::chrono::system_clock::from_time_t(::timegm(&time));
  if (*rest == '.') ++rest;
  while (*rest >= '0' && *rest <= '9') ++rest;
  unsigned hours = 0, minutes = 0;
  if ((*rest == '+' || *rest == '-') && (std::sscanf(rest + 1, "%2u:%2u", &hours, &minutes) == 2 ||
                                         std::sscanf(rest + 1, "%2u%2u", &hours, &minutes) == 2)) {
    const auto offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    found -= *rest == '+' ? offset : -offset;
  }
  return found;
}

std::chrono::system_clock::time_point parse_http_time(const std::string& text) {
  const std::time_t seconds = ::curl_getdate(text.c_str(), nullptr);
  return std::chrono::system_clock::from_time_t(seconds < 0 ? 0 : seconds);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
