// Objects of other machines: leat::open("s3://bucket/key"), "https://host/path", "http://…".
//
// Including this header makes every function that opens paths take such addresses, in the whole
// program; link leat_remote. Linking it without the header changes nothing. docs/object-stores.md
// tells more.
#pragma once

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

/// What a store lets somebody in by. They appear in no message.
struct credentials {
  std::string access_key = {};
  std::string secret_key = {};
  std::string session_token = {};  ///< empty for credentials that stay valid
};

/// How the bucket is told: in the host's name, or as the first part of the path.
enum class bucket_style { automatic, host, path };

/// What a store asks for, in US dollars, to tell what batches cost (leat::batch_plan::dollars).
/// These are Amazon's prices of S3 Standard in us-east-1, as they were listed in 2024. Bytes that
/// stay within a region are free there, and stores of your own may be free at all: set these to 0.
struct prices {
  double per_read = 0.0004 / 1000;  ///< a GET or HEAD
  double per_write = 0.005 / 1000;  ///< a PUT or POST; removing is free
  double per_gigabyte_read = 0.09;  ///< of 10^9 bytes that leave the store, to the internet
};

/// How stores are reached. What is empty comes from the environment and from the files of the AWS
/// command line (AWS_…, ~/.aws/config, ~/.aws/credentials); each member tells which.
struct settings {
  /// For example "http://127.0.0.1:9000". Empty: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the
  /// profile's endpoint_url, or Amazon.
  std::string endpoint = {};
  /// Empty: AWS_REGION, AWS_DEFAULT_REGION, the profile's region, or "us-east-1".
  std::string region = {};
  /// automatic: in the host's name at Amazon, in the path where there is an endpoint.
  bucket_style style = bucket_style::automatic;
  /// None: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; a web identity; the profile; a container's
  /// or the instance's role. A key without a secret is an error.
  std::optional<remote::credentials> login = {};
  bool anonymous = false;    ///< requests are not signed, as public buckets allow
  std::string profile = {};  ///< of ~/.aws, where it must be; empty: AWS_PROFILE, or "default"
  std::string ca_file = {};  ///< PEM; empty: AWS_CA_BUNDLE, or the system's

  /// Failed requests are repeated so often: refused and broken connections, and the statuses 408,
  /// 429, 500, 502, 503 and 504. A request of which bytes have come begins to count anew. The
  /// pauses double from `first_pause` to 10 s, with jitter, and are at least what the server asks
  /// for (Retry-After).
  unsigned retries = 6;
  std::chrono::milliseconds first_pause{100};
  /// A request fails for good after this time and a second for each 256 KiB that it moves; the end
  /// of an upload after five times as long.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);

  /// The store is known to keep to If-None-Match, on which `exclusive` depends. Else that is tried,
  /// once for each bucket: an empty object KEY.leat-probe-… is made and removed.
  bool keeps_conditions = false;
  remote::prices prices = {};
};

// NOLINTEND(readability-redundant-member-init)

/// From now on addresses are opened with these settings. Streams that are open keep theirs.
LEAT_API void set_defaults(const settings& how);
/// The settings with which addresses are opened now.
LEAT_API settings defaults();

/// Opens an address with settings of its own: `leat::file_reader in(leat::remote::open(…))`.
LEAT_API std::unique_ptr<device> open(const address_request& request, const settings& how,
                                      std::error_code& ec) noexcept;

/// An object of a list.
struct object {
  std::string address;     ///< "s3://bucket/key"
  std::uint64_t size = 0;  ///< bytes
  std::string etag;        ///< changes with the content
  std::string modified;    ///< as the store tells it: "2026-11-23T10:00:00.000Z"
};

/// All objects whose address begins with `prefix`, as "s3://bucket/logs/", in the store's order.
/// Throws io_error, or sets `ec` and returns what it has got.
LEAT_API std::vector<object> list(std::string_view prefix, const settings& how = defaults());
LEAT_API std::vector<object> list(std::string_view prefix, const settings& how,
                                  std::error_code& ec);
/// An upload that was begun, and neither completed nor aborted: what a killed program leaves, or
/// what one is writing just now. Stores keep its parts, and their owner pays for them.
struct upload {
  std::string address;
  std::string id;
  std::string begun;  ///< when, as the store tells it
};
/// As list(), for uploads.
LEAT_API std::vector<upload> uploads(std::string_view prefix, const settings& how = defaults());
LEAT_API std::vector<upload> uploads(std::string_view prefix, const settings& how,
                                     std::error_code& ec);
/// Ends an upload; its parts are gone. A program that is still writing it gets an error. A store
/// may keep a part that arrives at this moment: then uploads() tells the upload again.
LEAT_API void abort(const upload& one, const settings& how = defaults());
LEAT_API void abort(const upload& one, const settings& how, std::error_code& ec);

/// Removes an object. Stores don't tell whether there was one.
LEAT_API void remove(std::string_view address, const settings& how = defaults());
LEAT_API void remove(std::string_view address, const settings& how, std::error_code& ec);

/// What this process has asked of servers, retries and the services of credentials included.
struct traffic_count {
  std::uint64_t requests = 0;
  std::uint64_t received = 0;  ///< bytes of answers, without their heads
  std::uint64_t sent = 0;      ///< bytes of new contents
};
/// Until now. Requests that are under way are counted when they end.
LEAT_API traffic_count traffic() noexcept;

// NOLINTBEGIN(readability-redundant-member-init)

/// What a failed request was answered. `message()` of the code has it all in words.
struct answer {
  int status = 0;               ///< of HTTP; 0 if there was no answer
  std::string code = {};        ///< the store's, as "NoSuchKey"
  std::string request_id = {};  ///< for the people who run the store
  bool changed = false;         ///< the object has changed since it was opened
};

// NOLINTEND(readability-redundant-member-init)

/// The answer behind an error of this component, if it is one of the last 256.
LEAT_API answer answer_of(const std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
