// Versions by ETag or Last-Modified. object_reader.cpp and exchange.cpp call these functions.
#include "remote/version.hpp"

#include <algorithm>
#include <chrono>

#include "remote/encoding.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;
using time_point = std::chrono::system_clock::time_point;

/// Resolution of the clocks of servers and their file systems.
constexpr auto resolution = 2s;
/// How much this machine's clock may differ from the server's clock, if the server sends no date.
constexpr auto clock_error = 60s;

/// Parses a time that can be sent back unchanged. Returns the epoch for other texts.
time_point sendable_time(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
  return is_plain ? parse_http_time(text) : time_point();
}

/// False if the content is so new that a later content could have the same Last-Modified.
bool is_unambiguous(time_point modified, const reply& response) {
  const time_point date = parse_http_time(response.date);
  return date != time_point() ? date - modified >= resolution
                              : std::chrono::system_clock::now() - modified >= clock_error;
}

}  // namespace

version version_of(const reply& response) {
  version result{.etag = response.etag, .modified = {}};
  if (result.has_strong_etag()) return result;
  const time_point modified = sendable_time(response.modified);
  if (modified != time_point() && is_unambiguous(modified, response))
    result.modified = response.modified;
  return result;
}

match compare(const version& wanted, const reply& response) {
  if (!wanted.etag.empty() && !response.etag.empty() && wanted.etag != response.etag)
    return match::no;
  if (wanted.has_strong_etag()) return response.etag.empty() ? match::unknown : match::yes;
  if (wanted.modified.empty()) return match::yes;
  if (response.modified.empty()) return match::unknown;
  return parse_http_time(response.modified) == parse_http_time(wanted.modified) ? match::yes
                                                                                : match::no;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
