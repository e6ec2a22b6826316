// The pool of connections, made by libcurl. client.cpp uses the pool.
#include "remote/connections.hpp"

#include <leat/format.hpp>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "component/process.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

struct spare_pools {
  std::mutex lock;
  std::vector<std::pair<std::string, std::unique_ptr<connection_pool>>> all;
  long process = 0;
};

// The limits of what is kept for later: the number of pools, and of idle connections in each pool.
constexpr std::size_t most_kept_pools = 16, most_idle = 16;
/// Servers close connections that are idle for a long time. A connection that was idle for longer
/// than trusted_idle_time is checked before reuse.
constexpr auto trusted_idle_time = 1s;
/// libcurl receives at most this many bytes at a time.
constexpr long receive_buffer_size = 512L << 10;

/// The pools are never destroyed, because streams may be closed at exit.
spare_pools& kept_pools() {
  static spare_pools& pools = *new spare_pools;
  return pools;
}

bool is_alive(connection& idle) noexcept {
  char byte;
  std::size_t n = 0;
  return idle.receive({&byte, 1}, n) == CURLE_AGAIN;
}

}  // namespace

const std::string& user_agent() {
  static const std::string& name = *new std::string(
      leat::format("leat/{}.{}.{}", LEAT_VERSION_MAJOR, LEAT_VERSION_MINOR, LEAT_VERSION_PATCH));
  return name;
}

// --- one connection ------------------------------------------------------------------------------

connection::connection(CURLM* multi, const connection_options& options)
    : multi_(multi), handle_(::curl_easy_init()), origin_(options.origin), direct_(options.direct) {
  if (handle_ == nullptr) throw std::bad_alloc();
  const auto set = [this](CURLoption option, auto value) {
    ::curl_easy_setopt(handle_, option, value);
  };
  set(CURLOPT_URL, origin_.c_str());
  set(CURLOPT_CONNECT_ONLY, 1L);
  set(CURLOPT_HTTPPROXYTUNNEL, 1L);              // with https, the proxy sees no plain text
  set(CURLOPT_USERAGENT, user_agent().c_str());  // for the proxy
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS, std::max<long>(1, static_cast<long>(options.timeout.count())));
  set(CURLOPT_BUFFERSIZE, receive_buffer_size);
  if (options.direct) set(CURLOPT_PROXY, "");
  if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  if (::curl_multi_add_handle(multi_, handle_) != CURLM_OK) {
    ::curl_easy_cleanup(handle_);
    throw std::bad_alloc();
  }
}

connection::~connection() {
  if (handle_ == nullptr) return;
  ::curl_multi_remove_handle(multi_, handle_);
  ::curl_easy_cleanup(handle_);
}

bool connection::open() noexcept {
  if (::curl_easy_getinfo(handle_, CURLINFO_ACTIVESOCKET, &socket_) != CURLE_OK)
    socket_ = CURL_SOCKET_BAD;
  return is_open();
}

CURLcode connection::send(std::string_view bytes, std::size_t& n) noexcept {
  n = 0;
  return ::curl_easy_send(handle_, bytes.data(), bytes.size(), &n);
}

CURLcode connection::receive(std::span<char> into, std::size_t& n) noexcept {
  n = 0;
  return ::curl_easy_recv(handle_, into.data(), into.size(), &n);
}

// --- a pool of connections -----------------------------------------------------------------------

std::unique_ptr<connection_pool> connection_pool::acquire(const std::string& key) {
  auto& pools = kept_pools();
  const std::scoped_lock lock(pools.lock);
  if (pools.process != component::this_process()) {
    for (auto& [key_of_pool, kept] : pools.all) kept->abandon();
    pools.all.clear();
    pools.process = component::this_process();
  }
  const auto found =
      std::ranges::find_if(pools.all, [&](const auto& one) { return one.first == key; });
  if (found == pools.all.end()) return std::make_unique<connection_pool>(key);
  auto pool = std::move(found->second);
  pools.all.erase(found);
  return pool;
}

void connection_pool::keep_for_reuse(std::unique_ptr<connection_pool> unused) noexcept try {
  auto& pools = kept_pools();
  const std::scoped_lock lock(pools.lock);
  unused->close_surplus();
  if (pools.all.size() == most_kept_pools) pools.all.erase(pools.all.begin());
  std::string key = unused->key_;
  pools.all.emplace_back(std::move(key), std::move(unused));
} catch (const std::bad_alloc&) {
  return;  // the connections are closed
}

connection_pool::connection_pool(std::string key) : key_(std::move(key)) {
  static const auto ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  multi_ = ready == CURLE_OK ? ::curl_multi_init() : nullptr;
  if (multi_ == nullptr) throw std::bad_alloc();
}

connection_pool::~connection_pool() {
  idle_.clear();
  if (multi_ != nullptr) ::curl_multi_cleanup(multi_);
}

std::unique_ptr<connection> connection_pool::acquire(const connection_options& options) {
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t i = idle_.size(); i-- != 0;) {
    if (idle_[i]->origin() != options.origin || idle_[i]->is_direct() != options.direct) continue;
    auto found = std::move(idle_[i]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    if (now - found->idle_since < trusted_idle_time || is_alive(*found)) return found;
  }
  return std::make_unique<connection>(multi_, options);
}

void connection_pool::keep_for_reuse(std::unique_ptr<connection> idle) noexcept try {
  idle->idle_since = std::chrono::steady_clock::now();
  idle_.push_back(std::move(idle));
} catch (const std::bad_alloc&) {
  return;  // the connection is closed
}

void connection_pool::close_surplus() noexcept {
  if (idle_.size() > most_idle)
    idle_.erase(idle_.begin(), idle_.end() - static_cast<std::ptrdiff_t>(most_idle));
}

void connection_pool::abandon() noexcept {
  for (auto& one : idle_) one->abandon();
  idle_.clear();
  multi_ = nullptr;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
