// Reads objects of a store with libcurl, as programs without leat do. The experiments with a store
// measure these readers; command.cpp calls store_endpoint().
#pragma once

#include <leat/file.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace bench {

/// An object read by libcurl. libcurl keeps connections open between calls, and signs requests. The
/// functions that read throw `failure` if a request fails or a range is too short.
class curl_object {
 public:
  explicit curl_object(const std::string& address);
  ~curl_object();
  curl_object(const curl_object&) = delete;
  curl_object& operator=(const curl_object&) = delete;

  /// Reads ranges with one request at a time. `into` gets the bytes of all ranges without gaps, and
  /// must have room for these bytes.
  void read_one_by_one(std::span<const leat::byte_range> ranges, char* into);
  /// Reads ranges as read_one_by_one() does, but with up to `at_a_time` parallel requests.
  void read_many(std::span<const leat::byte_range> ranges, char* into, std::size_t at_a_time);
  /// Reads the first `size` bytes by ranges of 8 MiB, with up to eight requests in parallel.
  void read_all(char* into, std::uint64_t size);
  /// Passes the bytes of one request to `take` as they arrive. If `take` returns false, stops.
  void stream(const std::function<bool(std::string_view)>& take);

  /// Bytes received by libcurl so far, including headers, and the number of requests.
  struct traffic_count {
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
  };
  traffic_count traffic() const;

 private:
  class handles;
  std::unique_ptr<handles> handles_;
};

/// Returns the reason why libcurl cannot be measured here; an empty text if libcurl can be
/// measured. A curl_object takes endpoint, region and credentials only from leat's settings and
/// from environment variables.
std::string no_curl_reason();

/// False if the endpoint begins with "http://".
bool is_encrypted();

/// Returns the endpoint of the store, such as "http://127.0.0.1:9000".
std::string store_endpoint();

}  // namespace bench
