#include "remote/connections.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "remote/process.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct spare_connections {
  std::mutex lock;
  std::vector<std::pair<std::string, std::unique_ptr<connections>>> all;
  long process = 0;
};

constexpr std::size_t most_spare = 16;

/// Never destroyed: streams may be closed at exit.
spare_connections& spare() {
  static spare_connections& here = *new spare_connections;
  return here;
}

}  // namespace

std::unique_ptr<connections> connections::take(const std::string& key) {
  auto& here = spare();
  const std::scoped_lock lock(here.lock);
  if (here.process != this_process()) {
    for (auto& [of, unused] : here.all) unused->abandon();
    here.all.clear();
    here.process = this_process();
  }
  const auto found =
      std::ranges::find_if(here.all, [&](const auto& one) { return one.first == key; });
  if (found == here.all.end()) return std::make_unique<connections>(key);
  auto taken = std::move(found->second);
  here.all.erase(found);
  return taken;
}

void connections::give_back(std::unique_ptr<connections> unused) noexcept try {
  auto& here = spare();
  const std::scoped_lock lock(here.lock);
  if (here.all.size() == most_spare) here.all.erase(here.all.begin());
  std::string key = unused->key_;
  here.all.emplace_back(std::move(key), std::move(unused));
} catch (const std::bad_alloc&) {
  return;  // they are closed
}

connections::connections(std::string key) : key_(std::move(key)) {
  // Streams are closed at exit after the functions of atexit(), of which OpenSSL's would end TLS.
  static const auto ready = ::OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1
                                ? ::curl_global_init(CURL_GLOBAL_DEFAULT)
                                : CURLE_FAILED_INIT;
  multi_ = ready == CURLE_OK ? ::curl_multi_init() : nullptr;
  if (multi_ == nullptr) throw std::bad_alloc();
}

connections::~connections() {
  for (CURL* const handle : idle_) ::curl_easy_cleanup(handle);
  if (multi_ != nullptr) ::curl_multi_cleanup(multi_);
}

CURL* connections::take_handle() {
  if (idle_.empty()) {
    CURL* const made = ::curl_easy_init();
    if (made == nullptr) throw std::bad_alloc();
    return made;
  }
  CURL* const handle = idle_.back();
  idle_.pop_back();
  ::curl_easy_reset(handle);
  return handle;
}

void connections::give_back(CURL* handle) noexcept try {
  idle_.push_back(handle);
} catch (const std::bad_alloc&) {
  ::curl_easy_cleanup(handle);
}

void connections::abandon() noexcept {
  idle_.clear();
  multi_ = nullptr;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
