// Judges the response to a call: the call succeeds, is repeated, or fails. client.cpp calls this
// code.
#include <leat/format.hpp>

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

#include "remote/checksums.hpp"
#include "remote/client.hpp"
#include "remote/encoding.hpp"
#include "remote/incident.hpp"
#include "remote/words.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

constexpr unsigned most_redirects = 5;

bool is_busy(int status) noexcept { return status == 429 || status == 503; }

bool may_pass(int status) noexcept {
  return status == 408 || status == 500 || status == 502 || status == 504 || is_busy(status);
}

/// True for the codes of transient errors in the body of a response with status 200, and for a body
/// without a code. Stores send this status before they know the result.
bool may_pass(std::string_view code) noexcept {
  return code.empty() || code == "InternalError" || code == "ServiceUnavailable" ||
         code == "SlowDown" || code == "OperationAborted" || code == "RequestTimeout";
}

/// True for the codes of a store that found that the body does not match its checksum.
bool is_damaged(std::string_view code) noexcept {
  return code == "BadDigest" || code == "XAmzContentChecksumMismatch" ||
         code == "XAmzContentSHA256Mismatch";
}

bool has_root(std::string_view text, std::string_view root) {
  bool found = false;
  const bool is_xml = parse_xml(
      text, [&](std::string_view path, std::string_view) { found = found || path == root; });
  return is_xml && found;
}

/// True if the target of an earlier redirect may no longer be valid.
bool may_have_ended(int status) noexcept {
  return status == 401 || status == 403 || status == 404 || status == 410;
}

bool is_redirect(int status) noexcept {
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

}  // namespace

void client::fail(call& one, std::errc like, const std::string& text) {
  const words by = words_of(one.said);
  answer of{.status = one.said.status,
            .code = by.code,
            .request_id = one.said.request_id.empty() ? by.request_id : one.said.request_id,
            .changed = like == std::errc::state_not_recoverable};
  std::string message = text;
  if (message.empty()) {
    const std::string said = described(by);
    if (!by.by_xml || said.empty()) message = std::make_error_condition(like).message();
    if (!said.empty()) message += (message.empty() ? "" : ": ") + said;
  }
  one.ec = incident(like, message, of);
  one.finished = true;
}

/// Puts the call at the front of the queue, because a caller waits for the call. The pause before
/// the next attempt is at least `least`. Returns false if no attempt or no time is left, or if the
/// rest could be of another content.
bool client::repeat(call& one, std::chrono::milliseconds least) {
  if (one.failures >= how_.retries) return false;
  const auto longest = std::min<std::chrono::milliseconds>(
      10s, how_.first_pause * (1U << std::min(one.failures, 10U)));
  std::uniform_int_distribution<std::int64_t> jitter(longest.count() / 2, longest.count());
  const auto next =
      call::clock::now() + std::max(least, std::chrono::milliseconds(jitter(random_)));
  if (next > one.deadline_) return false;
  if (one.done != 0 && !one.pinned.is_known()) {
    if (!one.restarts) return false;
    one.done = 0;
    one.pinned = {};
  }
  ++one.failures;
  one.repeated = true;
  one.next_try_ = next;
  queued_.push_front(&one);
  return true;
}

/// Corrects what the error response names or suggests as its reason: checksum, clock, region or
/// expired credentials. Each correction is made at most once per call. Returns false if no
/// correction was made.
bool client::correct(call& one, const words& by) {
  return where_.in_store && (correct_checksum(one, by) || correct_clock(one, by) ||
                             correct_region(one, by) || correct_login(one, by));
}

/// Repeats without checksums, for stores that do not support them.
bool client::correct_checksum(call& one, const words& by) {
  const int status = one.said.status;
  const std::string text = lowercase(by.code + by.message);
  const bool may_be =
      status == 501 || (status == 400 && text.find("checksum") != std::string::npos);
  if (!one.sent_checksum_ || !may_be) return false;
  where_.takes_checksums = false;
  one.dropped_checksum_ = true;
  queued_.push_front(&one);
  return true;
}

/// Adopts the server's time if this machine's clock may be the reason for the refusal.
bool client::correct_clock(call& one, const words& by) {
  constexpr auto most = 4min;  // stores allow a difference of 5 or 15 minutes
  const int status = one.said.status;
  const auto date = parse_http_time(one.said.date);
  const auto off = date - one.signed_at_;
  const bool may_be =
      by.code == "RequestTimeTooSkewed" ||
      ((status == 400 || status == 401 || status == 403) && (off > most || off < -most));
  if (!where_.signs || !may_be || date == std::chrono::system_clock::time_point() ||
      std::exchange(one.mended_clock_, true))
    return false;
  skew_ = date - std::chrono::system_clock::now();
  remember_skew(where_, skew_);
  queued_.push_front(&one);
  return true;
}

bool client::correct_region(call& one, const words& by) {
  const int status = one.said.status;
  const bool names_region =
      by.code == "AuthorizationHeaderMalformed" || by.code == "PermanentRedirect" ||
      by.code == "TemporaryRedirect" ||
      (one.said.body.empty() && (status == 301 || status == 307 || status == 400));
  if (!names_region || one.mended_region_) return false;
  const std::string region = !by.region.empty()         ? by.region
                             : !one.said.region.empty() ? one.said.region
                                                        : std::string(region_in(by.endpoint));
  // An earlier response may already have moved this client to the region.
  if (region == where_.region ? !moved_ : !move_to_region(where_, region)) return false;
  moved_ = is_news_ = one.mended_region_ = true;
  queued_.push_front(&one);
  return true;
}

bool client::correct_login(call& one, const words& by) {
  if (by.code != "ExpiredToken" || one.mended_login_ || !renew_login(where_, how_, true))
    return false;
  one.mended_login_ = true;
  queued_.push_front(&one);
  return true;
}

/// Follows a redirect, but never from https to http. Returns false if the redirect is not allowed,
/// or if the call has already followed five.
bool client::redirect(call& one) {
  if (one.said.location.empty() || one.redirected_++ == most_redirects ||
      !one.headers.empty())  // the headers are for this server only
    return false;
  const std::unique_ptr<CURLU, void (*)(CURLU*)> url(::curl_url(), &::curl_url_cleanup);
  if (url == nullptr) throw std::bad_alloc();
  const auto set = [&](const std::string& text) {
    return ::curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK;
  };
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    ::curl_url_get(url.get(), which, &text, 0);
    std::string copy = text != nullptr ? text : "";
    ::curl_free(text);
    return copy;
  };
  if (!set(one.origin + one.path + (one.query.empty() ? "" : "?" + one.query)) ||
      !set(one.said.location))
    return false;
  const std::string scheme = part(CURLUPART_SCHEME), port = part(CURLUPART_PORT);
  const bool is_http = scheme == "https" || (scheme == "http" && one.origin.starts_with("http:"));
  if (!is_http || !part(CURLUPART_USER).empty()) return false;
  one.host = part(CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
  one.origin = scheme + "://" + one.host;
  one.path = part(CURLUPART_PATH);
  one.query = part(CURLUPART_QUERY);
  queued_.push_front(&one);
  return true;
}

/// Starts again at the original address, if the call used the target of an earlier call's redirect.
bool client::go_back(call& one) {
  if (where_.in_store || one.went_back_ || one.redirected_ != 0 ||
      (one.origin == where_.origin && one.path == where_.path && one.query == where_.query))
    return false;
  one.went_back_ = true;
  one.origin = where_.origin;
  one.host = where_.host;
  one.path = where_.path;
  one.query = where_.query;
  queued_.push_front(&one);
  return true;
}

void client::succeed(exchange& over) {
  call& one = over.of();
  one.finished = true;
  if (std::exchange(is_news_, false)) remember_region(where_);
  if (one.dropped_checksum_)
    remember_no_checksums(where_);  // so the checksum was the reason for the earlier failure
  allowed_ = std::min(most_parallel, allowed_ + 1 / allowed_);
  if (one.wants_range())
    speed_.end(call::clock::now(), one.done, over.latency());
  else if (one.body.empty())
    speed_.note_latency(over.latency());
}

/// Adds the cost of an answered request. Errors of the store itself (5xx) are free.
void client::count(const exchange& over) noexcept {
  const int status = over.of().said.status;
  if (!where_.in_store || status < 200 || status >= 500) return;
  const std::string_view method = over.of().method;
  if (method == "PUT" || method == "POST")
    cost_ += how_.prices.per_write;
  else if (method != "DELETE")
    cost_ += how_.prices.per_read;
  cost_ += static_cast<double>(over.body_size()) / 1e9 * how_.prices.per_gigabyte_read;
}

void client::judge(exchange& over) {
  call& one = over.of();
  count(over);
  if (over.wrong() != nullptr) {
    if (!over.changed() && repeat(one, 0ms)) return;
    return fail(one, over.changed() ? std::errc::state_not_recoverable : std::errc::io_error,
                over.wrong());
  }
  // An error after the wanted bytes does not matter.
  if (one.wants_range() && one.missing() == 0) return end_range(over);
  if (over.failed() && one.said.status < 300) {
    if (over.met_closed() && one.failures == 0) {
      one.repeated = true;
      queued_.push_front(&one);
      return;
    }
    if (!over.failed().is_final && repeat(one, 0ms)) return;
    return fail(one, over.failed().like, over.failed().text);
  }
  judge_status(over);
}

/// Judges a response without defects by its status.
void client::judge_status(exchange& over) {
  call& one = over.of();
  const int status = one.said.status;
  if (may_pass(status)) {
    if (is_busy(status) && over.began() >= shrunk_) {
      allowed_ = std::max(1.0, static_cast<double>(parallel()) / 2);
      shrunk_ = call::clock::now();
    }
    const std::string& text = one.said.retry_after;
    unsigned after = 0;
    std::from_chars(text.data(), text.data() + text.size(), after);
    if (repeat(one, std::chrono::seconds(std::min(after, 3600U)))) return;
    return fail(one, condition_of(status), "");
  }
  if ((status == 412 || status == 416) && one.pinned.is_known())
    return fail(one, std::errc::state_not_recoverable,
                "The object has changed since it was opened");
  if (is_redirect(status) && !where_.in_store) {
    if (redirect(one)) return;
    return fail(one, std::errc::io_error,
                "The server redirects too often, or to an address that is not allowed");
  }
  if (may_have_ended(status) && go_back(one)) return;
  if (status >= 300) {
    const words by = words_of(one.said);
    if (is_damaged(by.code) && repeat(one, 0ms)) return;
    if (!is_damaged(by.code) && correct(one, by)) return;
    return fail(one, condition_of(status), "");
  }
  if (one.wants_range()) return judge_range(over);
  if (one.needs_etag && one.said.etag.empty()) {
    if (repeat(one, 0ms)) return;
    return fail(one, std::errc::io_error, "The response is not from a store: it has no ETag");
  }
  if (one.root != nullptr && !has_root(one.said.body, one.root)) {
    // Stores send status 200 before they know the result.
    const std::string code = words_of(one.said).code;
    if (may_pass(code) && repeat(one, 0ms)) return;
    return fail(one, std::errc::io_error,
                code.empty() ? leat::format("The response is not a {}", one.root) : std::string());
  }
  if (!one.checksum.empty() && !agrees(one.said, one.body)) {
    if (repeat(one, 0ms)) return;
    return fail(one, std::errc::io_error,
                "The store's checksum differs from the checksum of the sent bytes");
  }
  succeed(over);
}

/// Handles a range, or a whole object, that has fewer bytes than `into`.
void client::judge_range(exchange& over) {
  call& one = over.of();
  if (!over.is_range() && one.total_ == call::unknown)
    one.total_ = one.at + one.done;  // the whole body has come, and its end is the object's end
  if (one.at + one.done >= one.total_) return end_range(over);
  if (repeat(one, 0ms)) return;
  fail(one, std::errc::io_error, "The server sent fewer bytes than requested");
}

/// Ends a complete range. If the range is the whole object, and the call can start again, verifies
/// the object's checksum.
void client::end_range(exchange& over) {
  call& one = over.of();
  if (!one.restarts || one.at != 0 || one.done != one.total_ ||
      agrees(one.said, {one.into.data(), one.done}))
    return succeed(over);
  one.done = 0;
  if (!std::exchange(one.met_damage_, true) && repeat(one, 0ms)) return;
  fail(one, std::errc::io_error, "The received bytes do not have the store's checksum");
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
