#include <leat/remote.hpp>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "remote/encoding.hpp"
#include "remote/incident.hpp"
#include "remote/object_reader.hpp"
#include "remote/object_writer.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct default_settings {
  std::mutex lock;
  settings value;
};

/// Never destroyed: streams may be opened at exit.
default_settings& current() {
  static default_settings& here = *new default_settings;
  return here;
}

void raise_if(const std::error_code& ec, const char* operation, std::string_view address) {
  if (ec) throw io_error({ec, operation}, address);
}

/// The answer to a question about a bucket, by pages.
struct page {
  std::vector<object> objects;
  std::string next;  // where the next one begins; empty: there is none
};

page read_page(const std::string& body, std::string_view bucket, std::error_code& ec) {
  page read;
  bool complete = false;
  object one;
  std::string key;
  parse_xml(body, [&](std::string_view path, std::string_view text) {
    constexpr std::string_view each = "ListBucketResult/Contents";
    if (path == "ListBucketResult/NextContinuationToken") read.next = text;
    if (path == "ListBucketResult") complete = true;
    if (!path.starts_with(each)) return;
    const std::string_view member = path.substr(std::min(each.size() + 1, path.size()));
    if (member == "Key") key = text;
    if (member == "ETag") one.etag = text;
    if (member == "LastModified") one.modified = text;
    if (member == "Size") one.size = std::strtoull(std::string(text).c_str(), nullptr, 10);
    if (member.empty()) {
      one.address = "s3://" + std::string(bucket) + "/" + key;
      read.objects.push_back(std::exchange(one, {}));
    }
  });
  if (!complete) ec = incident(std::errc::io_error, "The answer is no list of objects");
  return read;
}

/// For addresses that leat::open and its like are given.
std::unique_ptr<device> open_by_default(const address_request& request,
                                        std::error_code& ec) noexcept try {
  return open(request, defaults(), ec);
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return nullptr;
}

}  // namespace

void set_defaults(const settings& how) {
  const std::scoped_lock lock(current().lock);
  current().value = how;
}

settings defaults() {
  const std::scoped_lock lock(current().lock);
  return current().value;
}

std::unique_ptr<device> open(const address_request& request, const settings& how,
                             std::error_code& ec) noexcept try {
  ec.clear();
  server where = find_server(request.address, how, ec);
  if (ec) return nullptr;
  if (request.use == address_use::create)
    return object_writer::open(std::move(where), how, request.exclusive, ec);
  return object_reader::open(std::move(where), how, request.use, request.pattern, ec);
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return nullptr;
}

std::vector<object> list(std::string_view prefix, const settings& how, std::error_code& ec) {
  std::vector<object> all;
  const address parsed = parse_address(prefix, ec);
  if (!ec && !parsed.in_store()) ec = std::make_error_code(std::errc::operation_not_supported);
  if (ec) return all;
  server where = find_server(prefix, how, ec);
  if (ec) return all;
  const std::string bucket_path = where.bucket_path + "/";
  client store(std::move(where), how);
  std::string next;
  do {
    call one;
    one.path = bucket_path;
    one.query = next.empty() ? "" : "continuation-token=" + percent_encoded(next, false) + "&";
    one.query += "list-type=2&prefix=" + percent_encoded(parsed.path, false);
    store.perform(one);
    ec = one.ec;
    if (ec) return all;
    page read = read_page(one.said.body, parsed.authority, ec);
    if (ec) return all;
    std::ranges::move(read.objects, std::back_inserter(all));
    next = std::move(read.next);
  } while (!next.empty());
  return all;
}

std::vector<object> list(std::string_view prefix, const settings& how) {
  std::error_code ec;
  auto all = list(prefix, how, ec);
  raise_if(ec, "list", prefix);
  return all;
}

void remove(std::string_view address, const settings& how, std::error_code& ec) {
  const auto parsed = parse_address(address, ec);
  if (!ec && !parsed.in_store()) ec = std::make_error_code(std::errc::operation_not_supported);
  if (ec) return;
  server where = find_server(address, how, ec);
  if (ec) return;
  call one;
  one.method = "DELETE";
  one.path = where.path;
  client store(std::move(where), how);
  store.perform(one);
  ec = one.ec;
  if (!ec && one.said.status != 204)
    ec = incident(std::errc::io_error, "The answer does not say that the object is removed",
                  {.status = one.said.status});
}

void remove(std::string_view address, const settings& how) {
  std::error_code ec;
  remove(address, how, ec);
  raise_if(ec, "remove", address);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat

void leat_remote_register(void) {
  for (const char* const scheme : {"s3", "http", "https"})
    leat::register_scheme(scheme, leat::remote::open_by_default);
}
