// Functions of <leat/remote.hpp>: lists and removes objects, and lists and aborts incomplete
// uploads.
#include <leat/remote.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <utility>

#include "remote/client.hpp"
#include "remote/encoding.hpp"
#include "remote/errors.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

void raise_if(const std::error_code& ec, const char* operation, std::string_view address) {
  if (ec) throw io_error({ec, operation}, address);
}

server find_store(std::string_view text, const settings& how, std::error_code& ec) {
  const address parsed = parse_address(text, ec);
  if (ec || !parsed.in_store())
    ec =
        make_error(std::errc::invalid_argument, "An address of a store is needed: s3://bucket/key");
  return ec ? server{} : find_server(text, how, ec);
}

server find_object(std::string_view text, const settings& how, std::error_code& ec) {
  server found = find_store(text, how, ec);
  if (!ec) require_key(found, ec);
  return found;
}

std::string bucket_of(std::string_view address) {
  std::error_code ec;
  return "s3://" + std::string(parse_address(address, ec).authority) + "/";
}

std::string encoded_key(std::string_view address) {
  std::error_code ec;
  return percent_encoded(parse_address(address, ec).path, false);
}

/// A page of a list: its format, and the position at which the next page begins.
struct page {
  std::string token, key, upload;
  bool is_last = false, is_truncated = false;  // the store sent IsTruncated: false, or true
  bool is_encoded = false;                     // the store has percent-encoded the keys
  bool asks_encoded = true;

  /// The part of a query that requests percent-encoded keys, or nothing.
  std::string encoding() const { return asks_encoded ? "encoding-type=url&" : ""; }
  std::string decoded(std::string text) const {
    return is_encoded ? percent_decoded(text) : std::move(text);
  }
  bool has_next() const noexcept {
    return !is_last && !(token.empty() && key.empty() && upload.empty());
  }
  bool begins_as(const page& other) const noexcept {
    return token == other.token && key == other.key && upload == other.upload;
  }
};

/// Reads a list page by page. `root` and `entry` are the names of the list's and of an entry's XML
/// element. `query` returns the query for the page after `before`. `found` gets each element of an
/// entry, and stores the key in the entry's address. On an error sets `ec`; the result is then
/// incomplete. leat requests percent-encoded keys, because XML cannot contain some characters.
template <class Entry>
std::vector<Entry> all_pages(
    std::string_view prefix, const settings& how, const char* root, const std::string& entry,
    const std::function<std::string(const page& before)>& query,
    const std::function<void(std::string_view path, std::string_view text, Entry& one)>& found,
    std::error_code& ec) {
  std::vector<Entry> all;
  server target = find_store(prefix, how, ec);
  if (ec) return all;
  const std::string bucket_path = target.bucket_path + "/", bucket = bucket_of(prefix);
  client store(std::move(target), how);
  page last;
  bool asks_again = false;
  do {
    const page before = std::exchange(last, {});
    last.asks_encoded = before.asks_encoded;
    call request;
    request.path = bucket_path;
    request.query = query(before);
    request.root = root;
    store.perform(request);
    ec = request.ec;
    if (ec) return all;
    const std::size_t old = all.size();
    Entry next;
    parse_xml(request.response.body, [&](std::string_view path, std::string_view text) {
      if (!path.starts_with(root) || path.size() == std::string_view(root).size()) return;
      path.remove_prefix(std::string_view(root).size() + 1);
      if (path == "NextContinuationToken") last.token = text;
      if (path == "NextKeyMarker") last.key = text;
      if (path == "NextUploadIdMarker") last.upload = text;
      if (path == "IsTruncated") {
        last.is_truncated = equal_ignoring_case(trimmed(text), "true");
        last.is_last = !last.is_truncated;
      }
      if (path == "EncodingType") last.is_encoded = text == "url";
      if (path == entry) all.push_back(std::exchange(next, {}));
      if (path.starts_with(entry + "/")) found(path.substr(entry.size() + 1), text, next);
    });
    // Ceph 16 encodes the keys of uploads without reporting the encoding. So a key with '%' is
    // ambiguous: ask again without encoding.
    const auto is_unclear = [](const Entry& e) { return e.address.find('%') != std::string::npos; };
    asks_again = last.asks_encoded && !last.is_encoded &&
                 std::any_of(all.begin() + static_cast<std::ptrdiff_t>(old), all.end(), is_unclear);
    if (asks_again) {
      all.resize(old);
      last = before;
      last.asks_encoded = false;
      continue;
    }
    for (std::size_t i = old; i != all.size(); ++i)
      all[i].address = bucket + last.decoded(std::move(all[i].address));
    last.key = last.decoded(std::move(last.key));
    if (last.is_truncated && !last.has_next())
      ec = make_error(std::errc::io_error,
                      "The list is truncated, but the store gives no continuation token or marker");
    if (last.has_next() && last.begins_as(before))
      ec = make_error(std::errc::io_error, "The store sent the same part of the list again");
    if (ec) return all;
  } while (asks_again || last.has_next());
  return all;
}

void perform_removal(const server& target, const settings& how, const std::string& query,
                     std::error_code& ec) {
  call request;
  request.method = "DELETE";
  request.path = target.path;
  request.query = query;
  client store(target, how);
  store.perform(request);
  ec = request.ec;
  if (!ec && request.response.status != 204)
    ec = make_error(std::errc::io_error, "The store's response does not confirm the removal",
                    {.status = request.response.status});
}

}  // namespace

std::vector<object> list(std::string_view prefix, const settings& how, std::error_code& ec) {
  return all_pages<object>(
      prefix, how, "ListBucketResult", "Contents",
      [&](const page& before) {
        return (before.token.empty()
                    ? ""
                    : "continuation-token=" + percent_encoded(before.token, false) + "&") +
               before.encoding() + "list-type=2&prefix=" + encoded_key(prefix);
      },
      [](std::string_view path, std::string_view text, object& one) {
        if (path == "Key") one.address = text;
        if (path == "ETag") one.etag = text;
        if (path == "LastModified") one.modified = text;
        if (path == "Size") std::from_chars(text.data(), text.data() + text.size(), one.size);
      },
      ec);
}

std::vector<object> list(std::string_view prefix, const settings& how) {
  std::error_code ec;
  auto all = list(prefix, how, ec);
  raise_if(ec, "list", prefix);
  return all;
}

std::vector<upload> uploads(std::string_view prefix, const settings& how, std::error_code& ec) {
  return all_pages<upload>(
      prefix, how, "ListMultipartUploadsResult", "Upload",
      [&](const page& before) {
        std::string query = before.encoding();
        if (!before.key.empty()) query += "key-marker=" + percent_encoded(before.key, false) + "&";
        query += "prefix=" + encoded_key(prefix);
        if (!before.upload.empty())
          query += "&upload-id-marker=" + percent_encoded(before.upload, false);
        return query + "&uploads=";
      },
      [](std::string_view path, std::string_view text, upload& one) {
        if (path == "Key") one.address = text;
        if (path == "UploadId") one.id = text;
        if (path == "Initiated") one.begun = text;
      },
      ec);
}

std::vector<upload> uploads(std::string_view prefix, const settings& how) {
  std::error_code ec;
  auto all = uploads(prefix, how, ec);
  raise_if(ec, "list", prefix);
  return all;
}

void abort(const upload& one, const settings& how, std::error_code& ec) {
  const server target = find_object(one.address, how, ec);
  if (!ec) perform_removal(target, how, "uploadId=" + percent_encoded(one.id, false), ec);
}

void abort(const upload& one, const settings& how) {
  std::error_code ec;
  abort(one, how, ec);
  raise_if(ec, "abort", one.address);
}

void remove(std::string_view address, const settings& how, std::error_code& ec) {
  const server target = find_object(address, how, ec);
  if (!ec) perform_removal(target, how, {}, ec);
}

void remove(std::string_view address, const settings& how) {
  std::error_code ec;
  remove(address, how, ec);
  raise_if(ec, "remove", address);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
