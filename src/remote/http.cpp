// Strict parsers of the head and the chunks of a response. exchange.cpp calls the parsers.
#include "remote/http.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "remote/encoding.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

/// True if the list "a, b" contains the word.
bool has_word(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), word)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// Removes the first line from `text` and returns the line without its line end. `text` must
/// contain a '\n'.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Parses "HTTP/1.1 200 OK".
bool read_status(std::string_view line, reply& into) noexcept {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return false;
  if (line[7] != '0' && line[7] != '1') return false;
  into.keep_alive = line[7] == '1';
  const char* const digits = line.data() + 9;
  const auto [end, error] = std::from_chars(digits, digits + 3, into.status);
  if (line.size() > 13) into.reason = trimmed(line.substr(13));
  return error == std::errc() && end == digits + 3 && into.status >= 100 &&
         (line.size() == 12 || line[12] == ' ');
}

bool read_length(std::string_view digits, reply& into) noexcept {
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '-')
    return false;
  const std::int64_t before = std::exchange(into.length, length);
  return before == -1 || before == length;
}

bool read_header(std::string_view line, reply& into) {
  const std::size_t colon = line.find(':');
  // Parsers disagree about a blank before the colon or at the beginning of the line, and so about
  // the end of the response.
  if (colon == 0 || colon == std::string_view::npos || line.find_first_of(" \t") < colon)
    return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (value.find('\r') != std::string_view::npos)
    return false;  // some parsers take '\r' for a line end
  const std::pair<std::string_view, std::string*> known[] = {
      {"content-type", &into.content_type},
      {"etag", &into.etag},
      {"last-modified", &into.modified},
      {"content-range", &into.content_range},
      {"x-amz-request-id", &into.request_id},
      {"retry-after", &into.retry_after},
      {"date", &into.date},
      {"x-amz-bucket-region", &into.region},
      {"location", &into.location},
  };
  for (const auto& [known_name, to] : known)
    if (equal_ignoring_case(name, known_name)) *to = value;
  constexpr std::string_view checksum = "x-amz-checksum-";
  if (name.size() > checksum.size() &&
      equal_ignoring_case(name.substr(0, checksum.size()), checksum)) {
    std::string checksum_name = lowercase(name.substr(checksum.size()));
    if (checksum_name != "algorithm" && checksum_name != "type")
      into.checksums.emplace_back(std::move(checksum_name), value);
  }
  if (equal_ignoring_case(name, "content-length"))
    return !value.empty() && read_length(value, into);
  if (equal_ignoring_case(name, "transfer-encoding")) {
    if (into.chunked || !equal_ignoring_case(value, "chunked")) return false;
    into.chunked = true;
  }
  if (equal_ignoring_case(name, "connection")) {
    if (has_word(value, "keep-alive")) into.keep_alive = true;
    if (has_word(value, "close")) into.keep_alive = false;
  }
  return true;
}

}  // namespace

head_state parse_head(std::string_view bytes, reply& into, std::size_t& size) {
  const std::size_t with_returns = bytes.find("\n\r\n"), without = bytes.find("\n\n");
  const std::size_t last = std::min(with_returns, without);
  if (last == std::string_view::npos) return head_state::partial;
  size = last + (last == without ? 2 : 3);
  std::string_view head = bytes.substr(0, last + 1);
  if (head.find('\0') != std::string_view::npos) return head_state::wrong;
  into = {};
  if (!read_status(take_line(head), into)) return head_state::wrong;
  while (!head.empty())
    if (!read_header(take_line(head), into)) return head_state::wrong;
  // If Content-Length and Transfer-Encoding are present, treat the body as chunked, ignore the
  // length (request smuggling), and close the connection after the body.
  if (into.chunked && std::exchange(into.length, -1) != -1) into.keep_alive = false;
  return head_state::whole;
}

void chunked_body::read_size(char c) noexcept {
  const char lower_c = lower(c);
  const bool letter = lower_c >= 'a' && lower_c <= 'f';
  if (letter || (c >= '0' && c <= '9')) {
    left_ = left_ << 4U | static_cast<std::uint64_t>(letter ? lower_c - 'a' + 10 : c - '0');
    if (++digits_ > 15) state_ = state::wrong;
  } else if (digits_ != 0 && (c == '\n' || c == '\r' || c == ';' || c == ' ' || c == '\t')) {
    state_ = state::extension;
  } else {
    state_ = state::wrong;
  }
}

std::string_view chunked_body::next(std::string_view& bytes) noexcept {
  while (!bytes.empty() && !ended() && !is_wrong()) {
    if (state_ == state::content) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      const std::string_view run = bytes.substr(0, n);
      bytes.remove_prefix(n);
      left_ -= n;
      if (left_ == 0) state_ = state::line_end;
      return run;
    }
    const char c = bytes.front();
    bytes.remove_prefix(1);
    switch (state_) {
      case state::size:
        read_size(c);
        [[fallthrough]];
      case state::extension:
        if (state_ == state::extension && c == '\n') {
          state_ = left_ != 0 ? state::content : state::trailer;
          digits_ = 0;
        }
        break;
      case state::line_end:
        if (c == '\n')
          state_ = state::size;
        else if (c != '\r')
          state_ = state::wrong;
        break;
      case state::trailer:  // an empty line ends the trailer
        if (c == '\n')
          state_ = state::end;
        else if (c != '\r')
          state_ = state::trailer_line;
        break;
      case state::trailer_line:
        if (c == '\n') state_ = state::trailer;
        break;
      default:
        break;
    }
  }
  return {};
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
