// What a bucket has: objects, and uploads that were not completed.
#include <leat/remote.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <utility>

#include "remote/client.hpp"
#include "remote/encoding.hpp"
#include "remote/incident.hpp"
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
    ec = incident(std::errc::invalid_argument, "This needs an address of a store: s3://bucket/key");
  return ec ? server{} : find_server(text, how, ec);
}

/// A list that comes in pages. `query` is the question for the page behind a mark, `found` gets
/// each element below `root` and returns the mark of the next page, when it comes by.
void for_all_pages(std::string_view prefix, const settings& how, std::string_view root,
                   const std::function<std::string(const std::string& mark)>& query,
                   const std::function<void(std::string_view path, std::string_view text,
                                            std::string& mark)>& found,
                   std::error_code& ec) {
  server where = find_store(prefix, how, ec);
  if (ec) return;
  const std::string bucket_path = where.bucket_path + "/";
  client store(std::move(where), how);
  std::string mark, next;
  do {
    mark = std::exchange(next, {});
    call one;
    one.path = bucket_path;
    one.query = query(mark);
    store.perform(one);
    ec = one.ec;
    if (ec) return;
    bool complete = false;
    parse_xml(one.said.body, [&](std::string_view path, std::string_view text) {
      if (path == root)
        complete = true;
      else if (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/')
        found(path.substr(root.size() + 1), text, next);
    });
    if (!complete) ec = incident(std::errc::io_error, "The answer is no list");
    if (!next.empty() && next == mark)
      ec = incident(std::errc::io_error, "The store gives the same part of its list again");
    if (ec) return;
  } while (!next.empty());
}

std::string bucket_of(std::string_view address) {
  std::error_code ec;
  return "s3://" + std::string(parse_address(address, ec).authority) + "/";
}

std::string encoded_key(std::string_view address) {
  std::error_code ec;
  return percent_encoded(parse_address(address, ec).path, false);
}

void perform_removal(const server& where, const settings& how, const std::string& query,
                     std::error_code& ec) {
  call one;
  one.method = "DELETE";
  one.path = where.path;
  one.query = query;
  client store(where, how);
  store.perform(one);
  ec = one.ec;
  if (!ec && one.said.status != 204)
    ec = incident(std::errc::io_error, "The answer does not say that it is removed",
                  {.status = one.said.status});
}

}  // namespace

std::vector<object> list(std::string_view prefix, const settings& how, std::error_code& ec) {
  std::vector<object> all;
  object one;
  for_all_pages(
      prefix, how, "ListBucketResult",
      [&](const std::string& mark) {
        return (mark.empty() ? "" : "continuation-token=" + percent_encoded(mark, false) + "&") +
               "list-type=2&prefix=" + encoded_key(prefix);
      },
      [&](std::string_view path, std::string_view text, std::string& mark) {
        if (path == "NextContinuationToken") mark = text;
        if (path == "Contents/Key") one.address = bucket_of(prefix).append(text);
        if (path == "Contents/ETag") one.etag = text;
        if (path == "Contents/LastModified") one.modified = text;
        if (path == "Contents/Size")
          std::from_chars(text.data(), text.data() + text.size(), one.size);
        if (path == "Contents") all.push_back(std::exchange(one, {}));
      },
      ec);
  return all;
}

std::vector<object> list(std::string_view prefix, const settings& how) {
  std::error_code ec;
  auto all = list(prefix, how, ec);
  raise_if(ec, "list", prefix);
  return all;
}

std::vector<upload> uploads(std::string_view prefix, const settings& how, std::error_code& ec) {
  std::vector<upload> all;
  upload one;
  std::string key;
  for_all_pages(
      prefix, how, "ListMultipartUploadsResult",
      // The mark has both, a key and an upload of it, as they stand in the query.
      [&](const std::string& mark) {
        const std::size_t blank = std::min(mark.find(' '), mark.size());
        std::string query = mark.empty() ? "" : "key-marker=" + mark.substr(0, blank) + "&";
        query += "prefix=" + encoded_key(prefix);
        if (!mark.empty()) query += "&upload-id-marker=" + mark.substr(blank + 1);
        return query + "&uploads=";
      },
      [&](std::string_view path, std::string_view text, std::string& mark) {
        if (path == "NextKeyMarker") key = percent_encoded(text, false);
        if (path == "NextUploadIdMarker" && !text.empty())
          mark = key + " " + percent_encoded(text, false);
        if (path == "Upload/Key") one.address = bucket_of(prefix).append(text);
        if (path == "Upload/UploadId") one.id = text;
        if (path == "Upload/Initiated") one.begun = text;
        if (path == "Upload") all.push_back(std::exchange(one, {}));
      },
      ec);
  return all;
}

std::vector<upload> uploads(std::string_view prefix, const settings& how) {
  std::error_code ec;
  auto all = uploads(prefix, how, ec);
  raise_if(ec, "list", prefix);
  return all;
}

void abort(const upload& one, const settings& how, std::error_code& ec) {
  const server where = find_store(one.address, how, ec);
  if (!ec) perform_removal(where, how, "uploadId=" + percent_encoded(one.id, false), ec);
}

void abort(const upload& one, const settings& how) {
  std::error_code ec;
  abort(one, how, ec);
  raise_if(ec, "abort", one.address);
}

void remove(std::string_view address, const settings& how, std::error_code& ec) {
  const server where = find_store(address, how, ec);
  if (!ec) perform_removal(where, how, {}, ec);
}

void remove(std::string_view address, const settings& how) {
  std::error_code ec;
  remove(address, how, ec);
  raise_if(ec, "remove", address);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
