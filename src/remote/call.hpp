// A request to a server, and its result. client.hpp runs requests.
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

/// One request and its result. Not movable, because the client points to the call while the call
/// runs. The destructor cancels the call. `body` and `into` are the caller's memory, which must
/// stay until the call has ended.
struct call {
  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call();

  using clock = std::chrono::steady_clock;
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  // The request. Header names are in lower case. The client adds the host, the signature and other
  // headers.
  const char* method = "GET";
  std::string path, query;   ///< encoded
  std::string origin, host;  ///< if empty, or in a store: the client uses its own server
  header_list headers;
  std::string_view body;  ///< of PUT and POST
  std::string checksum;   ///< CRC-32C of the body, in base64; the store verifies it; empty: none
  bool has_part_checksums = false;  ///< begins an upload whose parts have checksums
  std::span<char> into;  ///< gets the bytes from `at` on; empty: `response` gets the whole body
  std::uint64_t at = 0;
  std::uint64_t size = unknown;  ///< of the object, if known
  int deadline_multiplier = 1;
  bool needs_etag = false;     ///< a success without an ETag is an error: stores send ETags
  const char* root = nullptr;  ///< expected name of the XML root element; null: other content
  version pinned;              ///< the content that the object must have
  bool whole = false;          ///< requests the whole object instead of a range; `at` is 0
  /// A failed attempt may restart at the first byte, because `into` is read only after the call.
  bool can_restart = false;

  // The result.
  bool finished = false;
  std::error_code ec;
  reply response;  ///< of the last attempt
  /// The number of bytes in `into`. After a success, `into` is full, or the object has ended.
  std::size_t done = 0;
  /// Failed attempts since the start, or since bytes of a known version last arrived.
  unsigned failures = 0;
  bool repeated = false;  ///< an attempt failed, but the server may have executed the request

  bool wants_range() const noexcept { return !into.empty(); }
  std::size_t missing() const noexcept { return into.size() - done; }
  /// The object's size, from the headers of the response or from the end of a whole body. `unknown`
  /// if the response had neither, or if `into` is empty.
  std::uint64_t total() const noexcept { return total_; }

 private:
  friend class client;
  friend class exchange;
  clock::time_point next_try_, deadline_;  // deadline_ is set by the first attempt
  std::uint64_t total_ = unknown;
  client* client_ = nullptr;  // runs the call; null before start() and after the end
  std::chrono::system_clock::time_point signed_at_;
  bool sent_checksum_ = false;  // in the last attempt; a store may refuse checksums
  bool dropped_checksum_ = false;
  bool had_wrong_checksum_ = false;  // complete content did not match its checksum
  // Corrections that were made, each at most once.
  bool corrected_clock_ = false, corrected_region_ = false, corrected_login_ = false;
  bool undid_redirects_ = false;  // the call went back from a redirect to the original address
  unsigned redirects_ = 0;        // number of redirects followed
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
