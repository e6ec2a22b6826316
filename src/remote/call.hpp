// A request to a server, and what came of it.
#pragma once

#include "remote/http.hpp"
#include "remote/signature.hpp"
#include "remote/version.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

class client;

/// It stays where it is; its end cancels it.
struct call {
  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call();

  using clock = std::chrono::steady_clock;
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  // What is asked. Headers have names in lower case; host and signature come later.
  const char* method = "GET";
  std::string path, query;   ///< encoded
  std::string origin, host;  ///< empty: the client's server
  header_list headers;
  std::string_view body;    ///< for PUT and POST
  std::string checksum;     ///< of the body, for the store to check; empty: none
  bool sums_parts = false;  ///< begins an upload whose parts have checksums
  std::span<char> into;     ///< the bytes from `at` on; empty: the whole body, into `said`
  std::uint64_t at = 0;
  std::uint64_t size = unknown;  ///< of the object, if it is known
  int slowness = 1;              ///< Deadline multiplier.
  bool needs_etag = false;       ///< the answer is about an object of a store
  const char* root =
      nullptr;         ///< the root of the XML that a success is; null: it is something else
  version pinned;      ///< the content that the object must have
  bool whole = false;  ///< no range is asked for: `into` begins at 0
  /// A failed attempt may restart at the first byte: `into` is read only after the call ended.
  bool restarts = false;

  // What came of it.
  bool finished = false;
  std::error_code ec;
  reply said;             ///< of the last attempt
  std::size_t done = 0;   ///< bytes in `into`; fewer than its size only at the object's end
  unsigned failures = 0;  ///< attempts in a row that brought no byte
  bool repeated = false;  ///< an attempt has failed after the server may have done what was asked

  bool wants_range() const noexcept { return !into.empty(); }
  std::size_t missing() const noexcept { return into.size() - done; }
  /// The object's size, as the answer to a range tells it.
  std::uint64_t total() const noexcept { return total_; }

 private:
  friend class client;
  friend class exchange;
  clock::time_point next_try_, deadline_;  // none before the first try
  std::uint64_t total_ = unknown;
  client* by_ = nullptr;  // runs it; null before start() and after the end
  std::chrono::system_clock::time_point signed_at_;
  bool sent_checksum_ = false;  // and the store may not know it
  bool dropped_checksum_ = false;
  bool met_damage_ = false;  // all has come once, and was not what its checksum is of
  // What has been mended once.
  bool mended_clock_ = false, mended_region_ = false, mended_login_ = false;
  bool went_back_ = false;   // from where a redirection had led
  unsigned redirected_ = 0;  // Redirections followed.
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
