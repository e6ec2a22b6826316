// Finds the server of an address, and remembers what servers reported. remote.cpp, bucket.cpp,
// roles.cpp, client.cpp and client_answers.cpp call this code.
#include "remote/server.hpp"

#include <leat/detail/escaped.hpp>
#include <leat/format.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "remote/credentials.hpp"
#include "remote/encoding.hpp"
#include "remote/errors.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

std::string first_nonempty(std::string a, std::string b, std::string c, std::string d) {
  if (!a.empty()) return a;
  if (!b.empty()) return b;
  return c.empty() ? std::move(d) : std::move(c);
}

/// False for names with dots, because these names do not match the certificates of
/// "*.s3.region.amazonaws.com". False for names with characters that a host's name can't have.
bool is_host_label(std::string_view bucket) noexcept {
  return std::ranges::all_of(
      bucket, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

bool is_region(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

/// The reports of servers, kept for later clients.
struct server_reports {
  std::mutex lock;
  std::map<std::string, std::string> regions;                        // key: bucket_id
  std::map<std::string, std::chrono::system_clock::duration> skews;  // key: origin
  std::set<std::string> without_checksums;                           // of bucket_id
};

/// The reports are never destroyed, because streams may be closed at exit.
server_reports& reports() {
  static server_reports& stored = *new server_reports;
  return stored;
}

/// If the map is full, clears the map.
template <class Map>
Map& cleared_if_full(Map& map) {
  constexpr std::size_t most = 1024;
  if (map.size() >= most) map.clear();
  return map;
}

std::string reported_region(const std::string& key) {
  const std::scoped_lock lock(reports().lock);
  const auto found = reports().regions.find(key);
  return found == reports().regions.end() ? "" : found->second;
}

bool may_take_checksums(const std::string& key) {
  const std::scoped_lock lock(reports().lock);
  return !reports().without_checksums.contains(key);
}

void set_region(server& target, std::string_view region) {
  if (target.amazon) {
    const std::string bucket =
        target.host.substr(0, target.host.size() - amazon_host("s3", target.region).size());
    target.host = bucket + amazon_host("s3", region);
    target.origin = "https://" + target.host;
  }
  target.region = region;
  if (target.request_signer) target.request_signer->move_to(target.region);
}

std::string configured_endpoint(const settings& how, const profile& from) {
  if (!how.endpoint.empty()) return how.endpoint;
  std::string ignored = from_environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  if (ignored.empty()) ignored = from["ignore_configured_endpoint_urls"];
  if (equal_ignoring_case(ignored, "true")) return {};
  const auto service = from.services.find("endpoint_url");
  return first_nonempty(
      from_environment("AWS_ENDPOINT_URL_S3"), from_environment("AWS_ENDPOINT_URL"),
      service == from.services.end() ? "" : service->second, from["endpoint_url"]);
}

server find_store(const address& object, const settings& how, std::error_code& ec) {
  server found;
  const profile from = read_profile(how.profile, ec);
  if (ec) return found;
  found.in_store = true;
  found.region = first_nonempty(how.region, from_environment("AWS_REGION"),
                                from_environment("AWS_DEFAULT_REGION"), from["region"]);
  if (found.region.empty()) found.region = "us-east-1";
  found.ca_file =
      first_nonempty(how.ca_file, from_environment("AWS_CA_BUNDLE"), from["ca_bundle"], "");
  const std::string endpoint = configured_endpoint(how, from);
  const bool is_default_endpoint = endpoint.empty();
  const std::string base =
      is_default_endpoint ? "https://" + amazon_host("s3", found.region) : endpoint;
  const address endpoint_address = parse_address(base, ec);
  if (ec || (endpoint_address.scheme != "http" && endpoint_address.scheme != "https") ||
      base.find_first_of("?#") != std::string::npos) {
    ec = make_error(std::errc::invalid_argument,
                    leat::format("The endpoint must be http(s)://HOST[:PORT][/PATH], not '{}'",
                                 detail::escaped(base, longest_name)));
    return found;
  }
  std::string_view base_path = endpoint_address.path;  // path above the buckets
  while (base_path.ends_with('/')) base_path.remove_suffix(1);
  const bool in_host =
      how.style == bucket_style::host || (how.style == bucket_style::automatic &&
                                          is_default_endpoint && is_host_label(object.authority));
  found.host = in_host
                   ? std::string(object.authority) + "." + std::string(endpoint_address.authority)
                   : std::string(endpoint_address.authority);
  found.origin = std::string(endpoint_address.scheme) + "://" + found.host;
  found.amazon = endpoint_address.scheme == "https" &&
                 endpoint_address.authority == amazon_host("s3", found.region) && base_path.empty();
  found.bucket_id =
      leat::format("{}{} {}", found.amazon ? "Amazon" : found.origin, base_path, object.authority);
  found.bucket_path = encoded_once(base_path);
  if (!in_host) found.bucket_path += "/" + percent_encoded(object.authority, false);
  found.takes_checksums = may_take_checksums(found.bucket_id);
  found.path = found.bucket_path + "/" + percent_encoded(object.path, true);
  if (const auto found_login = find_login(how, from, found.region, false, ec)) {
    found.request_signer.emplace(found_login->keys, found.region);
    found.expires = found_login->expires;
    ec.clear();
  } else if (!ec && !how.anonymous) {
    ec = make_error(std::errc::permission_denied,
                    "There are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  if (const std::string known = reported_region(found.bucket_id); !known.empty())
    set_region(found, known);
  return found;
}

}  // namespace

std::string amazon_host(std::string_view service, std::string_view region) {
  return leat::format("{}.{}.amazonaws.com{}", service, region,
                      region.starts_with("cn-") ? ".cn" : "");
}

bool move_to_region(server& target, std::string_view region) {
  if (!is_region(region)) return false;
  set_region(target, region);
  return true;
}

void remember_region(const server& target) {
  const std::scoped_lock lock(reports().lock);
  cleared_if_full(reports().regions)[target.bucket_id] = target.region;
}

void remember_skew(const server& target, std::chrono::system_clock::duration ahead) {
  const std::scoped_lock lock(reports().lock);
  cleared_if_full(reports().skews)[target.origin] = ahead;
}

std::chrono::system_clock::duration remembered_skew(const server& target) {
  const std::scoped_lock lock(reports().lock);
  const auto found = reports().skews.find(target.origin);
  return found == reports().skews.end() ? std::chrono::system_clock::duration() : found->second;
}

void remember_no_checksums(const server& target) {
  const std::scoped_lock lock(reports().lock);
  cleared_if_full(reports().without_checksums).insert(target.bucket_id);
}

std::string_view region_in(std::string_view host) noexcept {
  const std::size_t end = host.find(".amazonaws.com");
  if (end == std::string_view::npos) return {};
  host = host.substr(0, end);  // "bucket.s3.us-west-2", "bucket.s3-us-west-2"
  host.remove_prefix(std::min(host.rfind('.') + 1, host.size()));
  if (host.starts_with("s3-")) host.remove_prefix(3);
  return host == "s3" || host == "vpce" || !is_region(host) ? std::string_view() : host;
}

void require_key(const server& target, std::error_code& ec) {
  if (target.in_store && target.path == target.bucket_path + "/")
    ec = make_error(std::errc::invalid_argument, "The address has no key: s3://bucket/key");
}

bool renew_login(server& target, const settings& how, bool refused) {
  std::error_code ec;
  const profile from = read_profile(how.profile, ec);
  if (ec) return false;
  const auto found_login = find_login(how, from, target.region, refused, ec);
  if (!found_login) return false;
  target.request_signer.emplace(found_login->keys, target.region);
  target.expires = found_login->expires;
  return true;
}

server find_server(std::string_view text, const settings& how, std::error_code& ec) {
  const address object = parse_address(text, ec);
  if (ec) return {};
  if (object.in_store()) return find_store(object, how, ec);
  server found;
  found.host = object.authority;
  found.origin = std::string(object.scheme) + "://" + found.host;
  const std::size_t question = std::min(object.path.find('?'), object.path.size());
  const std::string_view path = object.path.substr(0, question);
  found.path = leat::format("{}{}", path.starts_with('/') ? "" : "/", path);
  if (question != object.path.size()) found.query = object.path.substr(question + 1);
  found.ca_file = first_nonempty(how.ca_file, from_environment("AWS_CA_BUNDLE"), "", "");
  return found;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
