// Where an address leads: the server, the encoded path, and how requests are signed.
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

struct server {
  std::string origin;  ///< "http://127.0.0.1:9000"
  std::string host;    ///< "127.0.0.1:9000", as in the request's header
  /// Path of the bucket, after the endpoint's own; empty if the host name has the bucket.
  std::string bucket_path;
  std::string path;   ///< of the object, encoded
  std::string query;  ///< of an address of http
  std::string ca_file;
  std::string region;
  std::string place;                 ///< the endpoint and the bucket, by which they are remembered
  bool amazon = false;               ///< the endpoint is Amazon's own: its name has the region
  bool in_store = false;             ///< an object of a store, not a page of the web
  bool takes_checksums = false;      ///< as far as is known
  bool direct = false;               ///< by no proxy
  std::optional<signer> signs = {};  // NOLINT(readability-redundant-member-init)
  /// When credentials of a role end.
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

/// An error for a bucket: a request to write or to remove would make or remove the bucket itself.
void need_key(const server& of, std::error_code& ec);

/// Asks again for credentials that have expired, or will soon. False: there are no other ones.
bool renew_login(server& of, const settings& how, bool refused);

/// Where requests are to go from now on, because the store has said so. A host of Amazon changes
/// with the region; any other one stays, so that credentials go to nobody else. False if that is no
/// name of a region.
bool move_to_region(server& of, std::string_view region);
/// Later openings of this bucket go to this region.
void remember_region(const server& of);
/// How far the server's clock is ahead of ours, for all requests that are signed for it from now
/// on.
void remember_skew(const server& of, std::chrono::system_clock::duration ahead);
std::chrono::system_clock::duration remembered_skew(const server& of);
/// Requests to this bucket have no checksums from now on: the store refuses them.
void remember_no_checksums(const server& of);
/// The host of a service in a region: "s3.us-east-1.amazonaws.com".
std::string host_of_amazon(std::string_view service, std::string_view region);
/// The region in a name of Amazon, as "bucket.s3.us-west-2.amazonaws.com", or nothing.
std::string_view region_in(std::string_view host) noexcept;

/// `ec`: the address is none, or the settings lead nowhere.
server find_server(std::string_view text, const settings& how, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
