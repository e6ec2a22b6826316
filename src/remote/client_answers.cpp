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
#include "remote/errors.hpp"
#include "remote/server_error.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

constexpr unsigned most_redirects = 5;

bool is_busy(int status) noexcept { return status == 429 || status == 503; }

bool is_transient(int status) noexcept {
  return status == 408 || status == 500 || status == 502 || status == 504 || is_busy(status);
}

/// True for the codes of transient errors in the body of a response with status 200, and for a body
/// without a code. Stores send this status before they know the result.
bool is_transient(std::string_view code) noexcept {
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
bool may_be_stale_target(int status) noexcept {
  return status == 401 || status == 403 || status == 404 || status == 410;
}

bool is_redirect(int status) noexcept {
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

}  // namespace

void client::fail(call& request, std::errc condition, const std::string& text) {
  const server_error error = server_error_of(request.response);
  answer details{.status = request.response.status,
                 .code = error.code,
                 .request_id = request.response.request_id.empty() ? error.request_id
                                                                   : request.response.request_id,
                 .changed = condition == std::errc::state_not_recoverable};
  std::string message = text;
  if (message.empty()) {
    const std::string description = one_line_message(error);
    if (!error.is_from_xml || description.empty())
      message = std::make_error_condition(condition).message();
    if (!description.empty()) message += (message.empty() ? "" : ": ") + description;
  }
  request.ec = make_error(condition, message, details);
  request.finished = true;
}

/// Puts the call at the front of the queue, because a caller waits for the call. The pause before
/// the next attempt is at least `least`. Returns false if no attempt or no time is left, or if the
/// rest could come from other content.
bool client::repeat(call& request, std::chrono::milliseconds least) {
  if (request.failures >= settings_.retries) return false;
  const auto longest = std::min<std::chrono::milliseconds>(
      10s, settings_.first_pause * (1U << std::min(request.failures, 10U)));
  std::uniform_int_distribution<std::int64_t> jitter(longest.count() / 2, longest.count());
  const auto next =
      call::clock::now() + std::max(least, std::chrono::milliseconds(jitter(random_)));
  if (next > request.deadline_) return false;
  if (request.done != 0 && !request.pinned.is_known()) {
    if (!request.can_restart) return false;
    request.done = 0;
    request.pinned = {};
  }
  ++request.failures;
  request.repeated = true;
  request.next_try_ = next;
  queued_.push_front(&request);
  return true;
}

/// Corrects the reason that the error response names or suggests: checksum, clock, region or
/// expired credentials. Each correction is made at most once per call. Returns false if no
/// correction was made.
bool client::correct(call& request, const server_error& error) {
  return target_.in_store && (correct_checksum(request, error) || correct_clock(request, error) ||
                              correct_region(request, error) || correct_login(request, error));
}

/// Repeats without checksums, for stores that do not support them.
bool client::correct_checksum(call& request, const server_error& error) {
  const int status = request.response.status;
  const std::string text = lowercase(error.code + error.message);
  const bool is_possible_cause =
      status == 501 || (status == 400 && text.find("checksum") != std::string::npos);
  if (!request.sent_checksum_ || !is_possible_cause) return false;
  target_.takes_checksums = false;
  request.dropped_checksum_ = true;
  queued_.push_front(&request);
  return true;
}

/// If this machine's clock may be the reason for the refusal, adopts the server's time.
bool client::correct_clock(call& request, const server_error& error) {
  constexpr auto most = 4min;  // stores allow a difference of 5 or 15 minutes
  const int status = request.response.status;
  const auto date = parse_http_time(request.response.date);
  const auto clock_difference = date - request.signed_at_;
  const bool is_possible_cause = error.code == "RequestTimeTooSkewed" ||
                                 ((status == 400 || status == 401 || status == 403) &&
                                  (clock_difference > most || clock_difference < -most));
  if (!target_.request_signer || !is_possible_cause ||
      date == std::chrono::system_clock::time_point() ||
      std::exchange(request.corrected_clock_, true))
    return false;
  skew_ = date - std::chrono::system_clock::now();
  remember_skew(target_, skew_);
  queued_.push_front(&request);
  return true;
}

bool client::correct_region(call& request, const server_error& error) {
  const int status = request.response.status;
  const bool names_region =
      error.code == "AuthorizationHeaderMalformed" || error.code == "PermanentRedirect" ||
      error.code == "TemporaryRedirect" ||
      (request.response.body.empty() && (status == 301 || status == 307 || status == 400));
  if (!names_region || request.corrected_region_) return false;
  const std::string region = !error.region.empty() ? error.region
                             : !request.response.region.empty()
                                 ? request.response.region
                                 : std::string(region_in(error.endpoint));
  // An earlier response may already have moved this client to the region.
  if (region == target_.region ? !has_new_region_ : !move_to_region(target_, region)) return false;
  has_new_region_ = must_remember_region_ = request.corrected_region_ = true;
  queued_.push_front(&request);
  return true;
}

bool client::correct_login(call& request, const server_error& error) {
  if (error.code != "ExpiredToken" || request.corrected_login_ ||
      !renew_login(target_, settings_, true))
    return false;
  request.corrected_login_ = true;
  queued_.push_front(&request);
  return true;
}

/// Follows a redirect, but never from https to http. Returns false if the redirect has no address
/// or is not allowed, or if the call has already followed five redirects.
bool client::redirect(call& request) {
  if (request.response.location.empty() || request.redirects_++ == most_redirects ||
      !request.headers.empty())  // the headers are for this server only
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
  if (!set(request.origin + request.path + (request.query.empty() ? "" : "?" + request.query)) ||
      !set(request.response.location))
    return false;
  const std::string scheme = part(CURLUPART_SCHEME), port = part(CURLUPART_PORT);
  const bool is_http =
      scheme == "https" || (scheme == "http" && request.origin.starts_with("http:"));
  if (!is_http || !part(CURLUPART_USER).empty()) return false;
  request.host = part(CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
  request.origin = scheme + "://" + request.host;
  request.path = part(CURLUPART_PATH);
  request.query = part(CURLUPART_QUERY);
  queued_.push_front(&request);
  return true;
}

/// If the call used the target of an earlier call's redirect, starts again at the original address.
bool client::undo_redirects(call& request) {
  if (target_.in_store || request.undid_redirects_ || request.redirects_ != 0 ||
      (request.origin == target_.origin && request.path == target_.path &&
       request.query == target_.query))
    return false;
  request.undid_redirects_ = true;
  request.origin = target_.origin;
  request.host = target_.host;
  request.path = target_.path;
  request.query = target_.query;
  queued_.push_front(&request);
  return true;
}

void client::succeed(exchange& attempt) {
  call& request = attempt.request();
  request.finished = true;
  if (std::exchange(must_remember_region_, false)) remember_region(target_);
  if (request.dropped_checksum_)
    remember_no_checksums(target_);  // so the checksum was the reason for the earlier failure
  parallel_limit_ = std::min(most_parallel, parallel_limit_ + 1 / parallel_limit_);
  if (request.wants_range())
    speed_.end(call::clock::now(), request.done, attempt.latency());
  else if (request.body.empty())
    speed_.note_latency(attempt.latency());
}

/// Adds the cost of an answered request. Errors of the store itself (5xx) are free.
void client::add_cost(const exchange& attempt) noexcept {
  const int status = attempt.request().response.status;
  if (!target_.in_store || status < 200 || status >= 500) return;
  const std::string_view method = attempt.request().method;
  if (method == "PUT" || method == "POST")
    cost_ += settings_.prices.per_write;
  else if (method != "DELETE")
    cost_ += settings_.prices.per_read;
  cost_ +=
      static_cast<double>(attempt.received_body_bytes()) / 1e9 * settings_.prices.per_gigabyte_read;
}

void client::judge(exchange& attempt) {
  call& request = attempt.request();
  add_cost(attempt);
  if (attempt.defect() != nullptr) {
    if (!attempt.has_object_changed() && repeat(request, 0ms)) return;
    return fail(
        request,
        attempt.has_object_changed() ? std::errc::state_not_recoverable : std::errc::io_error,
        attempt.defect());
  }
  // An error after the wanted bytes does not matter.
  if (request.wants_range() && request.missing() == 0) return end_range(attempt);
  if (attempt.failure() && request.response.status < 300) {
    if (attempt.had_stale_connection() && request.failures == 0) {
      request.repeated = true;
      queued_.push_front(&request);
      return;
    }
    if (!attempt.failure().is_final && repeat(request, 0ms)) return;
    return fail(request, attempt.failure().condition, attempt.failure().text);
  }
  judge_status(attempt);
}

/// Judges a response without defects by its status.
void client::judge_status(exchange& attempt) {
  call& request = attempt.request();
  const int status = request.response.status;
  if (is_transient(status)) {
    if (is_busy(status) && attempt.began() >= limit_reduced_at_) {
      parallel_limit_ = std::max(1.0, static_cast<double>(parallel()) / 2);
      limit_reduced_at_ = call::clock::now();
    }
    const std::string& text = request.response.retry_after;
    unsigned after = 0;
    std::from_chars(text.data(), text.data() + text.size(), after);
    if (repeat(request, std::chrono::seconds(std::min(after, 3600U)))) return;
    return fail(request, condition_of(status), "");
  }
  if ((status == 412 || status == 416) && request.pinned.is_known())
    return fail(request, std::errc::state_not_recoverable,
                "The object has changed since it was opened");
  if (is_redirect(status) && !target_.in_store) {
    if (redirect(request)) return;
    return fail(request, std::errc::io_error,
                "The server redirects too often, without an address, or to an address that is not "
                "allowed");
  }
  if (may_be_stale_target(status) && undo_redirects(request)) return;
  if (status >= 300) {
    const server_error error = server_error_of(request.response);
    if (is_damaged(error.code) && repeat(request, 0ms)) return;
    if (!is_damaged(error.code) && correct(request, error)) return;
    return fail(request, condition_of(status), "");
  }
  if (request.wants_range()) return judge_range(attempt);
  if (request.needs_etag && request.response.etag.empty()) {
    if (repeat(request, 0ms)) return;
    return fail(request, std::errc::io_error, "The response is not from a store: it has no ETag");
  }
  if (request.root != nullptr && !has_root(request.response.body, request.root)) {
    // Stores send status 200 before they know the result.
    const std::string code = server_error_of(request.response).code;
    if (is_transient(code) && repeat(request, 0ms)) return;
    return fail(
        request, std::errc::io_error,
        code.empty() ? leat::format("The response is not a {}", request.root) : std::string());
  }
  if (!request.checksum.empty() && !checksums_match(request.response, request.body)) {
    if (repeat(request, 0ms)) return;
    return fail(request, std::errc::io_error,
                "The store's checksum differs from the checksum of the sent bytes");
  }
  succeed(attempt);
}

/// Handles a range, or a whole object, that has fewer bytes than `into`.
void client::judge_range(exchange& attempt) {
  call& request = attempt.request();
  if (!attempt.is_range() && request.total_ == call::unknown)
    // The whole body has come, and its end is the object's end.
    request.total_ = request.at + request.done;
  if (request.at + request.done >= request.total_) return end_range(attempt);
  if (repeat(request, 0ms)) return;
  fail(request, std::errc::io_error, "The server sent fewer bytes than requested");
}

/// Ends a complete range. If the range is the whole object, and the call can start again, verifies
/// the object's checksum.
void client::end_range(exchange& attempt) {
  call& request = attempt.request();
  if (!request.can_restart || request.at != 0 || request.done != request.total_ ||
      checksums_match(request.response, {request.into.data(), request.done}))
    return succeed(attempt);
  request.done = 0;
  if (!std::exchange(request.had_wrong_checksum_, true) && repeat(request, 0ms)) return;
  fail(request, std::errc::io_error, "The received bytes do not have the store's checksum");
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
