// The state machine that sends a request and receives its response. client.cpp drives the machine.
#include "remote/exchange.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_head = std::size_t{64} << 10;
constexpr std::size_t longest_answer = std::size_t{8} << 20;  // a list of 1000 keys of 1 KiB fits
constexpr std::size_t head_room = std::size_t{8} << 10;       // bytes received at a time
constexpr std::size_t body_room = std::size_t{64} << 10;
// A connection has stalled if it moves fewer than `least_moved` bytes in the time `stall`.
constexpr auto stall = 15s;
constexpr std::uint64_t least_moved = 15U << 10U;

template <class Number>
bool read_number(std::string_view& text, Number& number) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

/// Parses "bytes 0-99/1000"; the size may be '*'.
struct content_range {
  std::uint64_t first = 0, last = 0, total = ~std::uint64_t{0};

  static bool parse(std::string_view text, content_range& into) noexcept {
    if (!text.starts_with("bytes ")) return false;
    text.remove_prefix(6);
    if (!read_number(text, into.first) || !text.starts_with('-')) return false;
    text.remove_prefix(1);
    if (!read_number(text, into.last) || !text.starts_with('/')) return false;
    text.remove_prefix(1);
    if (into.last < into.first) return false;
    if (text == "*") return true;
    return read_number(text, into.total) && text.empty() && into.last < into.total;
  }
};

/// True for errors that a later attempt would meet again: something does not exist or is not
/// allowed. Also true if there is no memory.
bool is_final(CURLcode result) noexcept {
  switch (result) {
    case CURLE_COULDNT_RESOLVE_HOST:  // in rare cases a name is unknown only for a moment
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_OUT_OF_MEMORY:
      return true;
    default:
      return false;
  }
}

std::errc condition_of(CURLcode result) noexcept {
  switch (result) {
    case CURLE_OUT_OF_MEMORY:
      return std::errc::not_enough_memory;
    case CURLE_OPERATION_TIMEDOUT:
      return std::errc::timed_out;
    case CURLE_COULDNT_CONNECT:
      return std::errc::connection_refused;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return std::errc::host_unreachable;
    case CURLE_PEER_FAILED_VERIFICATION:
      return std::errc::permission_denied;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return std::errc::connection_reset;
    default:
      return std::errc::io_error;
  }
}

struct counters {
  std::atomic<std::uint64_t> requests{0}, received{0}, sent{0};
};

counters& traffic_counters() noexcept {
  static constinit counters counts;
  return counts;
}

attempt_failure failure_of(CURLcode result, const connection& used) {
  const char* const text =
      used.error_message()[0] != '\0' ? used.error_message() : ::curl_easy_strerror(result);
  return {condition_of(result), text, is_final(result)};
}

}  // namespace

exchange::exchange(call& request, bool in_store, std::string head,
                   std::unique_ptr<connection> acquired)
    : request_(request),
      in_store_(in_store),
      head_(std::move(head)),
      connection_(std::move(acquired)),
      done_before_(request.done),
      began_(call::clock::now()),
      sending_began_(began_),
      checked_at_(began_) {
  request_.response = {};
  ++connection_->uses;
}

exchange::~exchange() {
  if (sent_ == 0) return;
  auto& all = traffic_counters();
  all.requests.fetch_add(1, std::memory_order_relaxed);
  all.received.fetch_add(received_body_bytes(), std::memory_order_relaxed);
  all.sent.fetch_add(sent_ - std::min(sent_, head_.size()), std::memory_order_relaxed);
}

traffic_count traffic() noexcept {
  auto& all = traffic_counters();
  return {all.requests.load(std::memory_order_relaxed),
          all.received.load(std::memory_order_relaxed), all.sent.load(std::memory_order_relaxed)};
}

void exchange::on_connected(CURLcode result) {
  if (result == CURLE_OK && connection_->open()) {
    sending_began_ = checked_at_ = call::clock::now();
    transfer();
  } else {
    fail(failure_of(result != CURLE_OK ? result : CURLE_COULDNT_CONNECT, *connection_));
  }
}

short exchange::poll_events() const noexcept {
  return is_sent() || cannot_send_ ? CURL_WAIT_POLLIN : CURL_WAIT_POLLIN | CURL_WAIT_POLLOUT;
}

void exchange::fail(attempt_failure why) noexcept {
  failure_ = std::move(why);
  ended_ = true;
}

void exchange::extend_deadlines(call::clock::duration paused) noexcept {
  checked_at_ += paused;
  request_.deadline_ += paused;
}

call::clock::time_point exchange::check(call::clock::time_point now) {
  if (now - checked_at_ >= stall) {
    const std::uint64_t moved = received_bytes_ + sent_;
    // A store may work for a long time on a request that changes something, and sends only a few
    // blanks in that time. libcurl watches the time to connect.
    const bool is_processing = is_sent() && std::string_view(request_.method) != "GET";
    if (moved - bytes_at_check_ < least_moved && !is_processing && connection_->is_open())
      fail({std::errc::timed_out, "The connection has stalled", false});
    bytes_at_check_ = moved;
    checked_at_ = now;
  }
  if (now >= request_.deadline_) fail({std::errc::timed_out, "The response takes too long", false});
  return std::min(request_.deadline_, checked_at_ + stall);
}

std::unique_ptr<connection> exchange::take_reusable_connection() noexcept {
  return reusable_ ? std::move(connection_) : nullptr;
}

void exchange::transfer() noexcept try {
  if (!is_sent() && !cannot_send_) send();
  receive();
} catch (const std::bad_alloc&) {
  fail({std::errc::not_enough_memory, {}, true});
}

void exchange::send() {
  while (!is_sent()) {
    const std::string_view rest = sent_ < head_.size() ? std::string_view(head_).substr(sent_)
                                                       : request_.body.substr(sent_ - head_.size());
    std::size_t n = 0;
    const CURLcode result = connection_->send(rest, n);
    if (result == CURLE_AGAIN) return;
    // The server may already have sent the reason why it refuses the rest of the body.
    cannot_send_ = result != CURLE_OK;
    if (cannot_send_) return;
    sent_ += n;
  }
}

void exchange::receive() {
  bool more = true;
  while (more && !ended_) more = in_body_ ? receive_body() : receive_head();
}

/// Receives once. Returns false if no bytes came. If no bytes can follow, ends the exchange.
bool exchange::receive_into(std::span<char> memory, std::size_t& n) {
  const CURLcode result = connection_->receive(memory, n);
  received_bytes_ += n;
  if (result == CURLE_OK && n != 0) return true;
  const bool is_end = result != CURLE_AGAIN || cannot_send_;
  if (!is_end) return false;
  if (result == CURLE_OK && in_body_ && !request_.response.chunked && request_.response.length < 0)
    ended_ = true;  // the body ends with the connection
  else if (result == CURLE_OK)
    fail({std::errc::connection_reset, "The server has closed the connection", false});
  else
    fail(failure_of(result == CURLE_AGAIN ? CURLE_SEND_ERROR : result, *connection_));
  return false;
}

bool exchange::receive_head() {
  const std::size_t before = received_.size();
  received_.resize(before + head_room);
  std::size_t n = 0;
  const bool came = receive_into({received_.data() + before, head_room}, n);
  received_.resize(before + n);
  if (!came) return false;
  for (;;) {
    std::size_t size = 0;
    const head_state state = parse_head(received_, request_.response, size);
    if (state == head_state::partial) {
      request_.response.status = 0;
      if (received_.size() <= longest_head) return true;
    }
    if (state != head_state::whole || request_.response.status == 101) {
      defect_ = "The response's head is not valid HTTP/1.1, or is longer than 64 KiB";
      ended_ = true;
      return false;
    }
    received_.erase(0, size);
    head_size_ += size;
    if (request_.response.status >= 200) break;  // a status 1xx announces the final response
  }
  begin_body(received_);
  return true;
}

void exchange::begin_body(std::string_view first) {
  in_body_ = true;
  latency_ = call::clock::now() - sending_began_;
  const reply& response = request_.response;
  const bool has_no_body = std::string_view(request_.method) == "HEAD" || response.status == 204 ||
                           response.status == 304;
  body_left_ = has_no_body ? 0
               : response.chunked || response.length < 0
                   ? call::unknown
                   : static_cast<std::uint64_t>(response.length);
  body_content_ = classify_body();
  // The rest after a broken connection must be of the same content.
  if (body_content_ == content::range || body_content_ == content::whole) {
    if (request_.pinned == version()) request_.pinned = version_of(response);
    if (request_.size == call::unknown) request_.size = request_.total_;
  }
  if (defect_ != nullptr)
    ended_ = true;
  else if (body_left_ == 0)
    end_body(first.empty());
  else
    decode_body(first);
}

/// Classifies the body from the status and the headers.
exchange::content exchange::classify_body() noexcept {
  const reply& response = request_.response;
  if (!request_.wants_range() || (response.status != 200 && response.status != 206))
    return content::text;
  const match same = compare(request_.pinned, response);
  if (same == match::no) return mark_changed();
  if (same == match::unknown) {
    defect_ =
        "The response has no ETag or Last-Modified to compare with those of the first response";
    return content::text;
  }
  // A proxy may answer instead of the store, with a page of its own.
  if (in_store_ && response.status == 200 && request_.size == call::unknown &&
      response.etag.empty() && response.modified.empty()) {
    defect_ = "The response is not from a store: it has no range, no ETag and no time of change";
    return content::text;
  }
  if (response.status == 200) {
    if (response.length >= 0) request_.total_ = static_cast<std::uint64_t>(response.length);
    if (request_.size != call::unknown && request_.total_ != call::unknown &&
        request_.total_ != request_.size)
      return mark_changed();
    return content::whole;
  }
  content_range range;
  if (!content_range::parse(response.content_range, range) ||
      range.first != request_.at + done_before_ ||
      range.last > request_.at + request_.into.size() - 1 ||
      (body_left_ != call::unknown && body_left_ != range.last - range.first + 1)) {
    defect_ = "The server sent another range than requested, or no valid Content-Range";
    return content::text;
  }
  if (request_.size != call::unknown && range.total != call::unknown &&
      range.total != request_.size)
    return mark_changed();
  request_.total_ = range.total;
  return content::range;
}

exchange::content exchange::mark_changed() noexcept {
  object_changed_ = true;
  defect_ = "The object has changed since it was opened";
  return content::text;
}

/// Called when the body is complete. The connection is reusable if the whole request was sent, the
/// server keeps the connection open, and no byte came after the body (`is_all`).
void exchange::end_body(bool is_all) noexcept {
  ended_ = true;
  reusable_ = is_all && request_.response.keep_alive && is_sent();
}

bool exchange::receive_body() {
  std::size_t n = 0;
  if (body_content_ == content::range && !request_.response.chunked) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(request_.missing(), body_left_));
    if (!receive_into(request_.into.subspan(request_.done, size), n)) return false;
    request_.done += n;
    if (body_left_ != call::unknown) body_left_ -= n;
    if (body_left_ == 0)
      end_body(true);
    else if (request_.missing() == 0)
      ended_ = true;  // the rest is not wanted
    return n == size || connection_->is_encrypted();
  }
  received_.resize(body_room);
  if (!receive_into(received_, n)) return false;
  decode_body(std::string_view(received_).substr(0, n));
  return true;
}

/// Takes the next bytes of the body, which may be chunked.
void exchange::decode_body(std::string_view bytes) {
  if (request_.response.chunked) {
    for (auto run = chunks_.next(bytes); !run.empty() && !ended_; run = chunks_.next(bytes))
      store_content(run);
    if (chunks_.is_wrong()) defect_ = "The chunks of the response are not valid HTTP/1.1";
    if (chunks_.is_wrong()) ended_ = true;
    if (chunks_.ended()) end_body(bytes.empty());
    return;
  }
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), body_left_));
  store_content(bytes.substr(0, size));
  if (body_left_ != call::unknown) body_left_ -= size;
  if (body_left_ == 0) end_body(size == bytes.size());
}

/// Takes content. At the first byte that is not wanted, ends the exchange. Also ends the exchange
/// if a text is too long.
void exchange::store_content(std::string_view bytes) {
  if (body_content_ == content::text) {
    std::string& body = request_.response.body;
    if (body.size() + bytes.size() > longest_answer) {
      defect_ = "The server's response is too long";
      ended_ = true;
    } else {
      body += bytes;
    }
    return;
  }
  if (body_content_ == content::whole) {
    const std::uint64_t skip =
        std::min<std::uint64_t>(request_.at + done_before_ - skipped_, bytes.size());
    skipped_ += skip;
    bytes.remove_prefix(static_cast<std::size_t>(skip));
  }
  const std::size_t n = std::min(bytes.size(), request_.missing());
  std::memcpy(request_.into.data() + request_.done, bytes.data(), n);
  request_.done += n;
  if (n < bytes.size()) ended_ = true;  // the rest is not wanted
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
