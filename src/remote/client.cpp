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
#include "remote/errors.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

// The aim is that one request completes every 250 us. So the number of parallel requests is the
// latency divided by this time, within limits.
constexpr auto target_interval = 250us;

}  // namespace

call::~call() {
  if (client_ != nullptr) client_->cancel(*this);
}

client::client(server target, settings how)
    : target_(std::move(target)),
      settings_(std::move(how)),
      skew_(remembered_skew(target_)),
      random_(std::random_device{}()),
      process_(component::this_process()) {
  ensure_connections();
}

client::~client() {
  if (process_ != component::this_process()) reset_after_fork();
  while (!running_.empty()) cancel(running_.back()->request());
  for (call* const one : queued_) one->client_ = nullptr;
  if (connections_ != nullptr) connection_pool::keep_for_reuse(std::move(connections_));
}

void client::ensure_connections() {
  if (connections_ == nullptr)
    connections_ = connection_pool::acquire(target_.origin + " " + target_.ca_file);
}

/// After fork() the child must not touch its parent's connections, so the child sends all
/// unfinished requests again. A range continues after the bytes that it has.
void client::reset_after_fork() {
  if (connections_ != nullptr) connections_->abandon();
  for (const auto& one : running_) {
    one->abandon();
    queued_.push_back(&one->request());
  }
  running_.clear();
  connections_.reset();
  process_ = component::this_process();
}

std::size_t client::parallel() const noexcept {
  const double wanted = std::clamp(static_cast<double>(speed_.latency() / target_interval),
                                   least_parallel, most_parallel);
  return static_cast<std::size_t>(std::min(wanted, parallel_limit_));
}

void client::start(call& request) {
  if (running_.empty() && queued_.empty()) speed_.begin(call::clock::now());
  request.finished = false;
  request.ec.clear();
  request.done = 0;
  request.failures = request.redirects_ = 0;
  request.next_try_ = call::clock::now();
  request.deadline_ = {};
  queued_.push_back(&request);
  request.client_ = this;
}

void client::cancel(call& request) noexcept {
  request.client_ = nullptr;
  std::erase(queued_, &request);
  const auto running = std::ranges::find_if(
      running_, [&](const auto& each) { return &each->request() == &request; });
  if (running == running_.end()) return;
  if (process_ != component::this_process()) (*running)->abandon();
  running_.erase(running);
}

/// The text of the request's head, signed if the server needs signatures.
std::string client::request_head(call& request) {
  signed_request signed_parts{request.method, request.path, request.query, request.headers};
  auto& headers = signed_parts.headers;
  headers.emplace_back("host", request.host);
  if (request.pinned.has_strong_etag())
    headers.emplace_back("if-match", request.pinned.etag);
  else if (!request.pinned.modified.empty())
    headers.emplace_back("if-unmodified-since", request.pinned.modified);
  request.sent_checksum_ =
      target_.takes_checksums && (!request.checksum.empty() || request.has_part_checksums);
  if (request.sent_checksum_ && !request.checksum.empty())
    headers.emplace_back("x-amz-checksum-crc32c", request.checksum);
  if (request.sent_checksum_ && request.has_part_checksums)
    headers.emplace_back("x-amz-checksum-algorithm", "CRC32C");
  if (target_.in_store && request.wants_range() && request.can_restart)
    headers.emplace_back("x-amz-checksum-mode", "ENABLED");
  if (target_.request_signer && request.origin == target_.origin) {
    const auto now = call::clock::now();
    request.signed_at_ = std::chrono::system_clock::now() + skew_;
    if (target_.expires - request.signed_at_ < 5min && now > next_renewal_) {
      next_renewal_ = now + 30s;
      renew_login(target_, settings_, false);
    }
    const bool is_small = request.body.size() < 4096;
    target_.request_signer->sign(signed_parts,
                                 request.body.empty() ? std::string(empty_hash)
                                 : is_small           ? hexadecimal(sha256(request.body))
                                                      : "UNSIGNED-PAYLOAD",
                                 request.signed_at_);
  }
  // The headers below are not signed, because proxies may change them.
  if (request.wants_range() && !request.whole)
    headers.emplace_back("range", leat::format("bytes={}-{}", request.at + request.done,
                                               request.at + request.into.size() - 1));
  if (!request.body.empty() || request.method[0] == 'P')
    headers.emplace_back("content-length", std::to_string(request.body.size()));
  headers.emplace_back("accept", "*/*");
  headers.emplace_back("user-agent", user_agent());
  std::string text;
  text.reserve(1024);
  text.append(request.method).append(" ").append(request.path);
  if (!request.query.empty()) text.append("?").append(request.query);
  text.append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : headers)
    text.append(name).append(": ").append(value).append("\r\n");
  return text.append("\r\n");
}

void client::launch(call& request) {
  running_.reserve(running_.size() + 1);
  // An earlier response may have moved this client to another region.
  if (request.origin.empty() || target_.in_store) {
    request.origin = target_.origin;
    request.host = target_.host;
  }
  if (request.deadline_ == call::clock::time_point()) {
    const std::size_t size = std::max(request.into.size(), request.body.size());
    request.deadline_ = call::clock::now() + request.deadline_multiplier * settings_.deadline +
                        std::chrono::seconds(size >> 18U);
  }
  auto acquired = connections_->acquire({.origin = request.origin,
                                         .ca_file = target_.ca_file,
                                         .direct = target_.direct,
                                         .timeout = settings_.connect_timeout});
  const bool is_open = acquired->is_open();
  running_.push_back(std::make_unique<exchange>(request, target_.in_store, request_head(request),
                                                std::move(acquired)));
  if (is_open) running_.back()->transfer();
}

void client::launch_queued() {
  const auto now = call::clock::now();
  for (std::size_t i = 0; i < queued_.size() && running_.size() < parallel();) {
    call& request = *queued_[i];
    if (request.next_try_ > now) {
      ++i;
      continue;
    }
    launch(request);  // may throw; the call then stays queued
    queued_.erase(queued_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Continues connections that are being established.
void client::continue_connecting() {
  const auto is_connecting = [](const auto& one) {
    return !one->used_connection().is_open() && !one->ended();
  };
  if (std::ranges::none_of(running_, is_connecting)) return;
  CURLM* const multi = connections_->multi();
  int still_running = 0;
  ::curl_multi_perform(multi, &still_running);
  int left = 0;
  while (const CURLMsg* const message = ::curl_multi_info_read(multi, &left)) {
    const auto connecting = std::ranges::find_if(running_, [&](const auto& one) {
      return one->used_connection().handle() == message->easy_handle && is_connecting(one);
    });
    if (message->msg == CURLMSG_DONE && connecting != running_.end())
      (*connecting)->on_connected(message->data.result);
  }
}

/// If the program has spent a second or more outside pump(), extends the deadlines of requests and
/// the limits of stalls by this time.
void client::extend_deadlines(call::clock::duration away) {
  if (away < 1s) return;
  for (call* const one : queued_)
    if (one->deadline_ != call::clock::time_point()) one->deadline_ += away;
  for (const auto& one : running_) one->extend_deadlines(away);
  speed_.begin(call::clock::now());
}

void client::pump(std::chrono::milliseconds patience) {
  if (process_ != component::this_process()) reset_after_fork();
  ensure_connections();
  extend_deadlines(call::clock::now() - last_pump_);
  launch_queued();
  continue_connecting();
  const auto now = call::clock::now();
  auto next = now + patience;
  for (const call* const one : queued_)
    if (one->next_try_ > now) next = std::min(next, one->next_try_);
  poll_fds_.clear();
  polled_exchanges_.clear();
  for (const auto& one : running_) {
    if (!one->ended()) next = std::min(next, one->check(now));
    if (one->ended()) next = now;
    if (one->ended() || !one->used_connection().is_open()) continue;
    poll_fds_.push_back({one->used_connection().socket(), one->poll_events(), 0});
    polled_exchanges_.push_back(one.get());
  }
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  ::curl_multi_poll(connections_->multi(), poll_fds_.data(),
                    static_cast<unsigned>(poll_fds_.size()),
                    static_cast<int>(std::max<std::int64_t>(pause, 0)), nullptr);
  move_bytes();
  continue_connecting();
  collect_ended();
  launch_queued();
  last_pump_ = call::clock::now();
}

/// Continues the exchanges whose sockets have events.
void client::move_bytes() {
  const auto is_large = [](const auto& one) {
    return one->request().into.size() >= speed_meter::large;
  };
  bool flows = false;
  for (std::size_t i = 0; i != poll_fds_.size(); ++i) {
    if (poll_fds_[i].revents == 0) continue;
    if (!flows && is_large(polled_exchanges_[i])) speed_.flow(call::clock::now(), flows = true);
    polled_exchanges_[i]->transfer();
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
    const auto ended = std::move(running_.back());
    running_.pop_back();
    call& request = ended->request();
    if (ended->has_new_bytes() && request.pinned.is_known()) request.failures = 0;
    try {
      judge(*ended);
    } catch (const std::bad_alloc&) {
      request.ec = no_memory();
      request.finished = true;
    }
    if (request.finished) request.client_ = nullptr;
    if (auto idle = ended->take_reusable_connection())
      connections_->keep_for_reuse(std::move(idle));
  }
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
