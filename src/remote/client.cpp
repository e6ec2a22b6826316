#include "remote/client.hpp"

#include <leat/format.hpp>

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

#include "component/process.hpp"
#include "remote/checksums.hpp"
#include "remote/encoding.hpp"
#include "remote/incident.hpp"
#include "remote/words.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

// Requests under way: so many that on a long way one ends each quarter of a millisecond.
constexpr double least_parallel = 16, most_parallel = 128;
constexpr auto usual_distance = 250us;
constexpr unsigned most_redirects = 5;

bool is_busy(int status) noexcept { return status == 429 || status == 503; }

bool may_pass(int status) noexcept {
  return status == 408 || status == 500 || status == 502 || status == 504 || is_busy(status);
}

/// Errors in an answer that began as a success, which a store would tell by 500 or 503 otherwise.
bool may_pass(std::string_view code) noexcept {
  return code.empty() || code == "InternalError" || code == "ServiceUnavailable" ||
         code == "SlowDown" || code == "OperationAborted" || code == "RequestTimeout";
}

/// The body is not what its checksum says.
bool is_damaged(std::string_view code) noexcept {
  return code == "BadDigest" || code == "XAmzContentChecksumMismatch" ||
         code == "XAmzContentSHA256Mismatch";
}

/// Whether a text is XML with this root.
bool has_root(std::string_view text, std::string_view root) {
  bool found = false;
  const bool is_xml = parse_xml(
      text, [&](std::string_view path, std::string_view) { found = found || path == root; });
  return is_xml && found;
}

/// Where a redirection has led may be for a while only.
bool may_have_ended(int status) noexcept {
  return status == 401 || status == 403 || status == 404 || status == 410;
}

bool is_redirect(int status) noexcept {
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

}  // namespace

call::~call() {
  if (by_ != nullptr) by_->cancel(*this);
}

client::client(server where, settings how)
    : where_(std::move(where)),
      how_(std::move(how)),
      skew_(remembered_skew(where_)),
      allowed_(most_parallel),
      random_(std::random_device{}()),
      process_(component::this_process()) {
  use_connections();
}

client::~client() {
  if (process_ != component::this_process()) leave_parent();
  while (!running_.empty()) cancel(running_.back()->of());
  for (call* const one : queued_) one->by_ = nullptr;
  if (connections_ != nullptr) connections::give_back(std::move(connections_));
}

void client::use_connections() {
  if (connections_ == nullptr)
    connections_ = connections::take(where_.origin + " " + where_.ca_file);
}

/// A child has no connections of its own yet, and must not touch its parent's.
void client::leave_parent() {
  if (connections_ != nullptr) connections_->abandon();
  for (const auto& one : running_) {
    one->abandon();
    queued_.push_back(&one->of());
  }
  running_.clear();
  connections_.reset();
  process_ = component::this_process();
}

std::size_t client::parallel() const noexcept {
  const double wanted = std::clamp(static_cast<double>(speed_.latency() / usual_distance),
                                   least_parallel, most_parallel);
  return static_cast<std::size_t>(std::min(wanted, allowed_));
}

void client::start(call& one) {
  if (running_.empty() && queued_.empty()) speed_.begin(call::clock::now());
  one.finished = false;
  one.ec.clear();
  one.done = 0;
  one.failures = one.redirected_ = 0;
  one.next_try_ = call::clock::now();
  one.deadline_ = {};
  queued_.push_back(&one);
  one.by_ = this;
}

void client::cancel(call& one) noexcept {
  one.by_ = nullptr;
  std::erase(queued_, &one);
  const auto running =
      std::ranges::find_if(running_, [&](const auto& each) { return &each->of() == &one; });
  if (running == running_.end()) return;
  if (process_ != component::this_process()) (*running)->abandon();
  running_.erase(running);
}

/// The request as it is sent.
std::string client::head_of(call& one) {
  signed_request request{one.method, one.path, one.query, one.headers};
  auto& headers = request.headers;
  headers.emplace_back("host", one.host);
  if (one.pinned.has_strong_etag())
    headers.emplace_back("if-match", one.pinned.etag);
  else if (!one.pinned.modified.empty())
    headers.emplace_back("if-unmodified-since", one.pinned.modified);
  one.sent_checksum_ = where_.takes_checksums && (!one.checksum.empty() || one.sums_parts);
  if (one.sent_checksum_ && !one.checksum.empty())
    headers.emplace_back("x-amz-checksum-crc32c", one.checksum);
  if (one.sent_checksum_ && one.sums_parts)
    headers.emplace_back("x-amz-checksum-algorithm", "CRC32C");
  if (where_.in_store && one.wants_range() && one.restarts)
    headers.emplace_back("x-amz-checksum-mode", "ENABLED");
  if (where_.signs && one.origin == where_.origin) {
    const auto now = call::clock::now();
    one.signed_at_ = std::chrono::system_clock::now() + skew_;
    if (where_.expires - one.signed_at_ < 5min && now > next_renewal_) {
      next_renewal_ = now + 30s;
      renew_login(where_, how_, false);
    }
    const bool small = one.body.size() < 4096;
    where_.signs->sign(request,
                       one.body.empty() ? std::string(empty_hash)
                       : small          ? hexadecimal(sha256(one.body))
                                        : "UNSIGNED-PAYLOAD",
                       one.signed_at_);
  }
  // Proxies may change these, so they are not signed.
  if (one.wants_range() && !one.whole)
    headers.emplace_back(
        "range", leat::format("bytes={}-{}", one.at + one.done, one.at + one.into.size() - 1));
  if (!one.body.empty() || one.method[0] == 'P')
    headers.emplace_back("content-length", std::to_string(one.body.size()));
  headers.emplace_back("accept", "*/*");
  headers.emplace_back("user-agent", user_agent());
  std::string text;
  text.reserve(1024);
  text.append(one.method).append(" ").append(one.path);
  if (!one.query.empty()) text.append("?").append(one.query);
  text.append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : headers)
    text.append(name).append(": ").append(value).append("\r\n");
  return text.append("\r\n");
}

void client::launch(call& one) {
  running_.reserve(running_.size() + 1);
  if (one.origin.empty() || where_.in_store) {  // a store may have moved to another region
    one.origin = where_.origin;
    one.host = where_.host;
  }
  if (one.deadline_ == call::clock::time_point()) {
    const std::size_t size = std::max(one.into.size(), one.body.size());
    one.deadline_ =
        call::clock::now() + one.slowness * how_.deadline + std::chrono::seconds(size >> 18U);
  }
  auto by = connections_->take({.origin = one.origin,
                                .ca_file = where_.ca_file,
                                .direct = where_.direct,
                                .timeout = how_.connect_timeout});
  const bool is_open = by->is_open();
  running_.push_back(std::make_unique<exchange>(one, where_.in_store, head_of(one), std::move(by)));
  if (is_open) running_.back()->go_on();
}

void client::launch_queued() {
  const auto now = call::clock::now();
  for (std::size_t i = 0; i < queued_.size() && running_.size() < parallel();) {
    call& one = *queued_[i];
    if (one.next_try_ > now) {
      ++i;
      continue;
    }
    launch(one);  // may throw; then it stays in the queue
    queued_.erase(queued_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Goes on with connections that are being made.
void client::look_after_opening() {
  const auto opens = [](const auto& one) { return !one->by().is_open() && !one->ended(); };
  if (std::ranges::none_of(running_, opens)) return;
  CURLM* const multi = connections_->multi();
  int still = 0;
  ::curl_multi_perform(multi, &still);
  int left = 0;
  while (const CURLMsg* const message = ::curl_multi_info_read(multi, &left)) {
    const auto of = std::ranges::find_if(running_, [&](const auto& one) {
      return one->by().handle() == message->easy_handle && opens(one);
    });
    if (message->msg == CURLMSG_DONE && of != running_.end())
      (*of)->connected(message->data.result);
  }
}

/// What the program has done meanwhile is no fault of the servers.
void client::forgive(call::clock::duration away) {
  if (away < 1s) return;
  for (call* const one : queued_)
    if (one->deadline_ != call::clock::time_point()) one->deadline_ += away;
  for (const auto& one : running_) one->forgive(away);
  speed_.begin(call::clock::now());
}

void client::pump(std::chrono::milliseconds patience) {
  if (process_ != component::this_process()) leave_parent();
  use_connections();
  forgive(call::clock::now() - pumped_);
  launch_queued();
  look_after_opening();
  const auto now = call::clock::now();
  auto next = now + patience;
  for (const call* const one : queued_)
    if (one->next_try_ > now) next = std::min(next, one->next_try_);
  waits_.clear();
  waiting_.clear();
  for (const auto& one : running_) {
    if (!one->ended()) next = std::min(next, one->check(now));
    if (one->ended()) next = now;
    if (one->ended() || !one->by().is_open()) continue;
    waits_.push_back({one->by().socket(), one->waits_for(), 0});
    waiting_.push_back(one.get());
  }
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  ::curl_multi_poll(connections_->multi(), waits_.data(), static_cast<unsigned>(waits_.size()),
                    static_cast<int>(std::max<std::int64_t>(pause, 0)), nullptr);
  move_bytes();
  look_after_opening();
  collect_ended();
  launch_queued();
  pumped_ = call::clock::now();
}

/// Goes on with all that something has come for.
void client::move_bytes() {
  const auto is_large = [](const auto& one) { return one->of().into.size() >= speed_meter::large; };
  bool flows = false;
  for (std::size_t i = 0; i != waits_.size(); ++i) {
    if (waits_[i].revents == 0) continue;
    if (!flows && is_large(waiting_[i])) speed_.flow(call::clock::now(), flows = true);
    waiting_[i]->go_on();
  }
  flows = std::ranges::any_of(running_, [&](const auto& one) {
    return is_large(one) && one->is_in_body() && !one->ended();
  });
  speed_.flow(call::clock::now(), flows);
}

void client::collect_ended() {
  for (std::size_t i = 0; i != running_.size();) {
    if (!running_[i]->ended()) {
      ++i;
      continue;
    }
    std::swap(running_[i], running_.back());
    const auto over = std::move(running_.back());
    running_.pop_back();
    call& one = over->of();
    if (over->brought_bytes() && one.pinned.is_known()) one.failures = 0;
    try {
      judge(*over);
    } catch (const std::bad_alloc&) {
      one.ec = no_memory();
      one.finished = true;
    }
    if (one.finished) one.by_ = nullptr;
    if (auto idle = over->reusable()) connections_->give_back(std::move(idle));
  }
}

void client::fail(call& one, std::errc like, const std::string& text) {
  const words by = words_of(one.said);
  answer of{.status = one.said.status,
            .code = by.code,
            .request_id = one.said.request_id.empty() ? by.request_id : one.said.request_id,
            .changed = like == std::errc::state_not_recoverable};
  std::string message = text;
  if (message.empty()) {
    const std::string said = told(by);
    if (!by.by_xml || said.empty()) message = std::make_error_condition(like).message();
    if (!said.empty()) message += (message.empty() ? "" : ": ") + said;
  }
  one.ec = incident(like, message, of);
  one.finished = true;
}

/// Puts it into the queue once more, in front, because somebody waits for it. False: it has been
/// tried often enough.
bool client::repeat(call& one, std::chrono::milliseconds least) {
  if (one.failures >= how_.retries) return false;
  const auto longest = std::min<std::chrono::milliseconds>(
      10s, how_.first_pause * (1U << std::min(one.failures, 10U)));
  std::uniform_int_distribution<std::int64_t> jitter(longest.count() / 2, longest.count());
  const auto next =
      call::clock::now() + std::max(least, std::chrono::milliseconds(jitter(random_)));
  if (next > one.deadline_) return false;
  if (one.done != 0 && !one.pinned.is_known()) {
    // The rest may be of another content.
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

/// Corrects what the error response names; each correction at most once per request.
bool client::correct(call& one, const words& by) {
  return where_.in_store && (correct_checksum(one, by) || correct_clock(one, by) ||
                             correct_region(one, by) || correct_login(one, by));
}

/// Goes on without checksums where a store does not know them.
bool client::correct_checksum(call& one, const words& by) {
  const int status = one.said.status;
  const std::string told = lowercase(by.code + by.message);
  const bool may_be =
      status == 501 || (status == 400 && told.find("checksum") != std::string::npos);
  if (!one.sent_checksum_ || !may_be) return false;
  where_.takes_checksums = false;
  one.dropped_checksum_ = true;
  queued_.push_front(&one);
  return true;
}

/// Takes the server's time where ours may be why it refuses us.
bool client::correct_clock(call& one, const words& by) {
  constexpr auto most = 4min;  // stores allow 5 or 15
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
  const bool is_told = by.code == "AuthorizationHeaderMalformed" ||
                       by.code == "PermanentRedirect" || by.code == "TemporaryRedirect" ||
                       (one.said.body.empty() && (status == 301 || status == 307 || status == 400));
  if (!is_told || one.mended_region_) return false;
  const std::string region = !by.region.empty()         ? by.region
                             : !one.said.region.empty() ? one.said.region
                                                        : std::string(region_in(by.endpoint));
  // Another request may have been told before.
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

/// Follows the answer to another address, but not where others may read along.
bool client::redirect(call& one) {
  if (one.said.location.empty() || one.redirected_++ == most_redirects ||
      !one.headers.empty())  // which are for this server alone
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

/// Begins again at the address that was given, if the call was to another one.
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
  if (one.dropped_checksum_) remember_no_checksums(where_);  // it was the reason
  allowed_ = std::min(most_parallel, allowed_ + 1 / allowed_);
  if (one.wants_range())
    speed_.end(call::clock::now(), one.done, over.latency());
  else if (one.body.empty())
    speed_.meet_latency(over.latency());
}

/// What an answered request costs. Errors of the store itself are free.
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
  // Whatever came behind it: the rest was not wanted.
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

/// There is an answer.
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
                "The server redirects too often, or to no place of the web");
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
    return fail(one, std::errc::io_error, "The answer is no store's: it has no ETag");
  }
  if (one.root != nullptr && !has_root(one.said.body, one.root)) {
    // Stores begin an answer before they know how it ends.
    const std::string code = words_of(one.said).code;
    if (may_pass(code) && repeat(one, 0ms)) return;
    return fail(one, std::errc::io_error,
                code.empty() ? leat::format("The answer is no {}", one.root) : std::string());
  }
  if (!one.checksum.empty() && !agrees(one.said, one.body)) {
    if (repeat(one, 0ms)) return;
    return fail(one, std::errc::io_error,
                "The store's checksum differs from that of the bytes sent");
  }
  succeed(over);
}

/// A range, or a whole object, that has fewer bytes than there is room for.
void client::judge_range(exchange& over) {
  call& one = over.of();
  if (!over.is_range() && one.total_ == call::unknown)
    one.total_ = one.at + one.done;  // a body without a length has ended
  if (one.at + one.done >= one.total_) return end_range(over);
  if (repeat(one, 0ms)) return;
  fail(one, std::errc::io_error, "The server sends fewer bytes than it was asked for");
}

/// All of a range has come. If that is all of the object, its checksum can be told.
void client::end_range(exchange& over) {
  call& one = over.of();
  if (!one.restarts || one.at != 0 || one.done != one.total_ ||
      agrees(one.said, {one.into.data(), one.done}))
    return succeed(over);
  one.done = 0;
  if (!std::exchange(one.met_damage_, true) && repeat(one, 0ms)) return;
  fail(one, std::errc::io_error,
       "The bytes that came are not those that the store's checksum is of");
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
