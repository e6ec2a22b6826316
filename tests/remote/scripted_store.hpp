// Responses with which a scripted_server answers as a store does, and the fixture of the tests of
// requests.
#pragma once

#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>

#include "remote/scripted_server.hpp"

namespace leat_test {

/// Returns `settings` with two retries after short pauses, and without the probe of conditions.
inline leat::remote::settings with_quick_retries(leat::remote::settings settings) {
  settings.retries = 2;
  settings.first_pause = std::chrono::milliseconds(1);
  settings.keeps_conditions = true;
  return settings;
}

class requests : public testing::Test {
 protected:
  void TearDown() override { leat::remote::set_defaults({}); }
};

/// The body of an error response of a store.
inline std::string xml_error(std::string_view code, std::string_view message) {
  return "<Error><Code>" + std::string(code) + "</Code><Message>" + std::string(message) +
         "</Message></Error>";
}

/// The response of a store that accepts every request except HEAD, which gets 404. GET returns
/// `text`, up to the end of a requested range, for each key. Lists are empty. `extra_headers`:
/// further headers.
inline scripted_server::response store_response(const std::string& head,
                                                const std::string& text = "text",
                                                const std::string& extra_headers = {}) {
  const std::string tag = "ETag: \"00000000000000000000000000000000\"\r\n" + extra_headers;
  if (head.starts_with("DELETE ")) return scripted_server::make_response("204 No Content", "");
  if (head.starts_with("GET /bucket/?") || head.find("list-type=2") != head.npos)
    return scripted_server::make_response("200 OK", "<ListBucketResult></ListBucketResult>");
  if (head.starts_with("GET ")) {
    const std::string range = header_value(head, "range");
    if (range.empty()) return scripted_server::make_response("200 OK", text, tag);
    const std::size_t end =
        std::min<std::size_t>(std::stoul(range.substr(range.find('-') + 1)), text.size() - 1);
    return scripted_server::make_response("206 Partial Content", text.substr(0, end + 1),
                                          tag + "Content-Range: bytes 0-" + std::to_string(end) +
                                              "/" + std::to_string(text.size()) + "\r\n");
  }
  if (head.starts_with("HEAD ")) return scripted_server::make_response("404 Not Found", "");
  if (head.starts_with("PUT ")) return scripted_server::make_response("200 OK", "", tag);
  const std::string root = head.find("?uploads=") != head.npos ? "InitiateMultipartUploadResult"
                                                               : "CompleteMultipartUploadResult";
  return scripted_server::make_response(
      "200 OK", "<" + root + "><UploadId>u</UploadId></" + root + ">", extra_headers);
}

/// Writes an object of `size` bytes to s3://bucket/key. Returns the first error of open or close.
inline std::error_code write_object(std::size_t size, bool exclusive = false) {
  std::error_code ec;
  auto out = leat::create("s3://bucket/key", {.exclusive = exclusive}, ec);
  if (ec) return ec;
  out.write(std::string(size, 'x'));
  out.close(ec);
  return ec;
}

}  // namespace leat_test
