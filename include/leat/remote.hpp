// Object storage and HTTP: leat::open("s3://bucket/key"), "https://host/path", "http://…".
//
// With this header, every function that opens paths accepts such addresses, in the whole program;
// link leat_remote. Linking has no effect without the header. See docs/object-stores.md.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/remote.h>
#include <leat/error.hpp>
#include <leat/scheme.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

// Each member of these structs has a default, so that callers name only what they change.
// NOLINTBEGIN(readability-redundant-member-init)

/// Credentials for a store. No message contains credentials.
struct credentials {
  std::string access_key = {};
  std::string secret_key = {};
  std::string session_token = {};  ///< empty for credentials that stay valid
};

/// The position of the bucket's name: in the host's name, or as the first part of the path.
enum class bucket_style { automatic, host, path };

/// A store's prices in US dollars, for the cost of batches (leat::batch_plan::dollars). The
/// defaults are Amazon's list prices of S3 Standard in us-east-1 in 2024. Amazon's traffic within a
/// region is free, and your own stores may be free: set the prices to 0.
struct prices {
  double per_read = 0.0004 / 1000;  ///< a GET or HEAD
  double per_write = 0.005 / 1000;  ///< a PUT or POST; removing is free
  double per_gigabyte_read = 0.09;  ///< of 10^9 bytes that leave the store, to the internet
};

/// How to connect to stores. Empty members are taken from the environment and from the files of the
/// AWS command line (AWS_…, ~/.aws/config, ~/.aws/credentials), as described at each member.
struct settings {
  /// For example "http://127.0.0.1:9000". Empty: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the
  /// endpoint_url of the profile's services or of the profile, or Amazon. With
  /// AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true: Amazon.
  std::string endpoint = {};
  /// Empty: AWS_REGION, AWS_DEFAULT_REGION, the profile's region, or "us-east-1".
  std::string region = {};
  /// automatic: `host` for Amazon, if the bucket's name fits into a host's name; else `path`.
  bucket_style style = bucket_style::automatic;
  /// None: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY if `profile` is not set, a web identity, the
  /// profile, the files of older tools (AWS_CREDENTIAL_FILE, boto), or the role of a container
  /// or of the instance, in this order. A key without a secret is an error.
  std::optional<remote::credentials> login = {};
  bool anonymous = false;  ///< requests are not signed, as public buckets allow
  /// A profile that exists in ~/.aws; empty: AWS_DEFAULT_PROFILE, AWS_PROFILE, or "default".
  std::string profile = {};
  /// PEM; empty: AWS_CA_BUNDLE, the profile's ca_bundle, or the system's file.
  std::string ca_file = {};

  /// The number of retries after refused and broken connections and the statuses 408, 429, 500,
  /// 502, 503 and 504. If the object's version is known, the count restarts after a request has
  /// received bytes. Pauses double from `first_pause` to 10 s, with jitter, and are at least the
  /// server's Retry-After.
  unsigned retries = 6;
  std::chrono::milliseconds first_pause{100};
  /// A request fails permanently after this time plus one second for each 256 KiB of its content.
  /// The completion of an upload fails after five times this time.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);

  /// True: the store is known to support If-None-Match, which `exclusive` needs. False: once for
  /// each bucket that is not Amazon's, leat tests whether the store supports If-None-Match, by
  /// creating and removing an empty object KEY.leat-probe-….
  bool keeps_conditions = false;
  remote::prices prices = {};
};

// NOLINTEND(readability-redundant-member-init)

/// Sets the settings for opening addresses from now on. Open streams keep their settings.
LEAT_API void set_defaults(const settings& how);
/// Returns the current settings for opening addresses.
LEAT_API settings defaults();

/// Opens an address with these settings: `leat::file_reader in(leat::remote::open(…))`. On failure
/// returns null and sets `ec`.
LEAT_API std::unique_ptr<device> open(const address_request& request, const settings& how,
                                      std::error_code& ec) noexcept;

/// An object in the result of list().
struct object {
  std::string address;     ///< "s3://bucket/key"
  std::uint64_t size = 0;  ///< bytes
  std::string etag;        ///< changes with the content
  std::string modified;    ///< as the store reports it: "2026-11-23T10:00:00.000Z"
};

/// Returns all objects whose address begins with `prefix`, such as "s3://bucket/logs/", in the
/// store's order. Throws io_error, or sets `ec` and returns a partial list.
LEAT_API std::vector<object> list(std::string_view prefix, const settings& how = defaults());
LEAT_API std::vector<object> list(std::string_view prefix, const settings& how,
                                  std::error_code& ec);
/// A multipart upload that is neither completed nor aborted: left by a killed program, or still
/// being written. Stores keep and bill its parts.
struct upload {
  std::string address;  ///< "s3://bucket/key"
  std::string id;       ///< the store's name for the upload
  std::string begun;    ///< start time, as the store reports it
};
/// Returns all uploads that are neither completed nor aborted and whose address begins with
/// `prefix`. Throws io_error, or sets `ec` and returns a partial list.
LEAT_API std::vector<upload> uploads(std::string_view prefix, const settings& how = defaults());
LEAT_API std::vector<upload> uploads(std::string_view prefix, const settings& how,
                                     std::error_code& ec);
/// Aborts an upload and removes its parts. A program that is still writing the upload gets an
/// error. A store may keep a part that arrives during the call; uploads() then lists the upload
/// again. Throws io_error, or sets `ec`.
LEAT_API void abort(const upload& one, const settings& how = defaults());
LEAT_API void abort(const upload& one, const settings& how, std::error_code& ec);

/// Removes an object. Stores don't report whether the object existed. Throws io_error, or sets
/// `ec`.
LEAT_API void remove(std::string_view address, const settings& how = defaults());
LEAT_API void remove(std::string_view address, const settings& how, std::error_code& ec);

/// The requests of this process to servers, including retries and credential services.
struct traffic_count {
  std::uint64_t requests = 0;
  std::uint64_t received = 0;  ///< bytes of response bodies
  std::uint64_t sent = 0;      ///< bytes of request bodies
};
/// Returns the counts so far. Requests in flight are counted when they end.
LEAT_API traffic_count traffic() noexcept;

// NOLINTBEGIN(readability-redundant-member-init)

/// The response to a failed request. `message()` of the error code has the response as text.
struct answer {
  int status = 0;               ///< HTTP status; 0 without a response
  std::string code = {};        ///< the store's error code, such as "NoSuchKey"
  std::string request_id = {};  ///< for the operators of the store
  bool changed = false;         ///< the object has changed since it was opened
};

// NOLINTEND(readability-redundant-member-init)

/// Returns the response that an error of this component is about. Responses are kept for the last
/// 256 errors; for older errors the result is empty.
LEAT_API answer answer_of(const std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
