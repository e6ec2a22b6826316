// The queue and the loop of requests. The devices, bucket.cpp, conditions.cpp and roles.cpp use the
// client; client_answers.cpp judges the responses.
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

// The aim is that one request completes every 250 us. So the number of parallel requests is the
// latency divided by this time, within limits.
constexpr auto usual_distance = 250us;

}  // namespace

call::~call() {
  if (by_ != nullptr) by_->cancel(*this);
}

client::client(server where, settings how)
    : where_(std::move(where)),
      how_(std::move(how)),
      skew_(remembered_skew(where_)),
      random_(std::random_device{}()),
      process_(component::this_process()) {
  use_connections();
}

client::~client() {
  if (process_ != component::this_process()) reset_after_fork();
  while (!running_.empty()) cancel(running_.back()->of());
  for (call* const one : queued_) one->by_ = nullptr;
  if (connections_ != nullptr) connections::keep_for_reuse(std::move(connections_));
}

void client::use_connections() {
  if (connections_ == nullptr)
    connections_ = connections::take(where_.origin + " " + where_.ca_file);
}

/// After fork() the child must not touch its parent's connections, so it sends all unfinished
/// requests again. A range continues after the bytes that it has.
void client::reset_after_fork() {
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

/// The text of the request's head, signed if the server needs signatures.
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
  // The headers below are not signed, because proxies may change them.
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
  if (one.origin.empty() || where_.in_store) {  // a store's bucket may have moved to another region
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
    launch(one);  // may throw; the call then stays queued
    queued_.erase(queued_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Continues connections that are being established.
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

/// Extends the deadlines of requests and the limits of stalls by the time that the program has
/// spent outside pump(), if that time was a second or more.
void client::extend_deadlines(call::clock::duration away) {
  if (away < 1s) return;
  for (call* const one : queued_)
    if (one->deadline_ != call::clock::time_point()) one->deadline_ += away;
  for (const auto& one : running_) one->extend_deadlines(away);
  speed_.begin(call::clock::now());
}

void client::pump(std::chrono::milliseconds patience) {
  if (process_ != component::this_process()) reset_after_fork();
  use_connections();
  extend_deadlines(call::clock::now() - pumped_);
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

/// Continues the exchanges whose sockets have events.
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
    if (auto idle = over->reusable()) connections_->keep_for_reuse(std::move(idle));
  }
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
