// The server of an address, the encoded path, and the signer of the requests. Also remembers what
// servers reported, for later clients. Used by the devices, the client, bucket.cpp and roles.cpp.
#pragma once

#include <leat/remote.hpp>

#include "remote/address.hpp"
#include "remote/signature.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// A server, and the path of an object or page on the server.
struct server {
  std::string origin;  ///< "http://127.0.0.1:9000"
  std::string host;    ///< "127.0.0.1:9000", for the header "host"
  /// The endpoint's own path and the bucket's name; only the path if the host contains the name.
  std::string bucket_path;
  std::string path;   ///< of the object, encoded
  std::string query;  ///< of an http address
  std::string ca_file;
  std::string region;
  std::string bucket_id;         ///< endpoint and bucket: identifies the bucket in reports
  bool amazon = false;           ///< the endpoint is Amazon's own: its name contains the region
  bool in_store = false;         ///< an object of a store, not a web page
  bool takes_checksums = false;  ///< a store that is not known to refuse checksums
  bool direct = false;           ///< without a proxy
  std::optional<signer> request_signer = {};  // NOLINT(readability-redundant-member-init)
  /// When the credentials expire.
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

/// If the address of a store has no key, sets an error: PUT or DELETE would make or remove the
/// bucket itself.
void require_key(const server& target, std::error_code& ec);

/// Looks for the credentials again, because they have expired or will expire soon. If the server
/// has refused the credentials (`refused`), cached credentials are not used. Returns false if no
/// usable credentials were found, or if a file of the AWS command line is malformed or can't be
/// read.
bool renew_login(server& target, const settings& how, bool refused);

/// Directs further requests to the region that the store reported. Amazon's host changes with the
/// region. Another host stays, so that credentials go nowhere else. Returns false if `region` is
/// not a region's name.
bool move_to_region(server& target, std::string_view region);
/// Makes later clients of this bucket start with this region.
void remember_region(const server& target);
/// Remembers how far the server's clock is ahead of this machine's clock, for later clients.
void remember_skew(const server& target, std::chrono::system_clock::duration ahead);
/// Returns how far the server's clock was ahead of this machine's clock; 0 if unknown.
std::chrono::system_clock::duration remembered_skew(const server& target);
/// Makes later clients of this bucket send no checksums, because the store refuses them.
void remember_no_checksums(const server& target);
/// The host name of a service in a region: "s3.us-east-1.amazonaws.com".
std::string amazon_host(std::string_view service, std::string_view region);
/// The region in "bucket.s3.us-west-2.amazonaws.com"; empty if the host contains none.
std::string_view region_in(std::string_view host) noexcept;

/// Returns the server of an address. Errors: the address, the settings or the files of the AWS
/// command line are invalid; there are no usable credentials for a store.
server find_server(std::string_view text, const settings& how, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
