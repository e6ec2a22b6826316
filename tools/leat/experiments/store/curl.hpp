// What programs without leat write over libcurl, to read objects of a store.
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

/// An object by libcurl: its connections stay open from call to call, and it signs by itself. Each
/// function throws `failure`.
class curl_object {
 public:
  explicit curl_object(const std::string& address);
  ~curl_object();
  curl_object(const curl_object&) = delete;
  curl_object& operator=(const curl_object&) = delete;

  /// Reads ranges one behind the other into memory, one request after the other.
  void read_one_by_one(std::span<const leat::byte_range> ranges, char* into);
  /// The same, with so many requests at a time.
  void read_many(std::span<const leat::byte_range> ranges, char* into, std::size_t at_a_time);
  /// Reads all `size` bytes by ranges of 8 MiB, eight at a time.
  void read_all(char* into, std::uint64_t size);
  /// Hands out all bytes of one request as they come. It ends when `take` returns false.
  void stream(const std::function<bool(std::string_view)>& take);

  /// What libcurl has received so far, with the headers, and asked for.
  struct count {
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
  };
  count so_far() const;

 private:
  class handles;
  std::unique_ptr<handles> handles_;
};

/// Why libcurl can't be measured here; empty: it can. It takes endpoint, region and credentials
/// from leat's settings and from variables of the environment, and knows no other place.
std::string why_no_curl();

/// Whether the connection to the store is encrypted.
bool is_encrypted();

/// Where the store is, as "http://127.0.0.1:9000".
std::string store_endpoint();

}  // namespace bench
