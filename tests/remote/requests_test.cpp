// The headers of requests (User-Agent, the time of the signature), the paths of endpoints, and
// requests ahead of reads. After a refusal because of a clock or a region, leat repeats the
// request. After other refusals, leat reports the server's message.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "opening/open.hpp"
#include "remote/encoding.hpp"
#include "remote/roles.hpp"
#include "remote/scripted_server.hpp"
#include "remote/scripted_store.hpp"
#include "remote/server.hpp"
#include "remote/server_error.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;
using response = scripted_server::response;

/// Reads, lists, writes and removes objects, until a request fails. Some objects are read or
/// written in parts. Returns the error.
std::error_code make_all_requests(const leat::remote::settings& settings) {
  leat::remote::set_defaults(settings);
  std::error_code ec;
  static_cast<void>(leat::read_file("s3://bucket/key", ec));
  if (!ec) static_cast<void>(leat::file::open("s3://bucket/key", leat::mode::read, {}, ec));
  if (!ec) static_cast<void>(leat::remote::list("s3://bucket/", settings, ec));
  if (!ec) ec = write_object(100, true);
  if (!ec) ec = write_object(9 << 20);
  if (!ec) leat::remote::remove("s3://bucket/key", settings, ec);
  return ec;
}

// --- the user agent ---

TEST_F(requests, name_leat_as_the_user_agent) {
  const scripted_server server([](const std::string& head) { return store_response(head); });
  EXPECT_FALSE(make_all_requests(with_quick_retries(server.store_settings())));
  leat::remote::set_defaults({});
  EXPECT_EQ(leat::read_file(server.address() + "/page"), "text");
  for (const std::string& head : server.requests()) {
    EXPECT_TRUE(header_value(head, "user-agent").starts_with("leat/")) << head;
    EXPECT_EQ(header_value(head, "accept"), "*/*");
  }
}

// --- the server's messages ---

TEST_F(requests, a_failed_request_reports_the_message_of_the_server) {
  const std::string long_text(5000, 'w');
  const struct {
    std::string status, type, body, words;
  } cases[] = {
      {"403 Forbidden", "text/plain", "The link has expired.\nAsk again.\n",
       "The link has expired. Ask again."},
      {"403 Forbidden", "text/html",
       "<html><head><title>No &amp; never</title></head><body>x</body></html>", "No &amp; never"},
      {"403 Forbidden", "text/html", "<p>Only <b>members</b></p>", "Only members"},
      {"403 Forbidden", "application/json", R"({"error":{"code":403,"message":"no quota"}})",
       "no quota"},
      {"403 Forbidden", "application/json", R"({"error":"invalid","error_description":"late"})",
       "late"},
      {"403 Forbidden", "application/xml", "<a><Error><Message>By XML</Message></Error></a>",
       "By XML"},
      {"403 Quota exceeded", "text/plain", "", "Quota exceeded"},
      {"403 Forbidden", "image/png", "\x89PNG\r\n", "Forbidden"},
      {"403 Forbidden", "text/plain", "a\x1b[31mb\x01 \xff\xc3\xa4\xc2\x9b",
       "a\\x1b[31mb\\x01 \\xff\xc3\xa4\\u009b"},
      {"403 Forbidden", "text/plain", long_text, long_text.substr(0, 500) + "..."},
  };
  for (const auto& one : cases) {
    const scripted_server server([&](const std::string&) {
      return scripted_server::make_response(one.status, one.body,
                                            "Content-Type: " + one.type + "\r\n");
    });
    std::error_code ec;
    static_cast<void>(leat::open(server.address() + "/page", ec));
    EXPECT_EQ(ec, std::errc::permission_denied);
    EXPECT_NE(ec.message().find(one.words), std::string::npos) << ec.message();
    EXPECT_TRUE(ec.message().ends_with(" (HTTP 403)")) << ec.message();
  }
  // A store's messages, and the fields that only stores send.
  const scripted_server server([](const std::string&) {
    return scripted_server::make_response("403 Forbidden",
                                          xml_error("Access\nDenied", "Not\n  you\x7f."),
                                          "x-amz-request-id: R\x01\r\n");
  });
  leat::remote::set_defaults(server.store_settings());
  std::error_code ec;
  static_cast<void>(leat::open("s3://bucket/key", ec));
  EXPECT_EQ(ec.message(), "Not you\\x7f. (HTTP 403, Access\\nDenied, request R\\x01)");
}

TEST_F(requests, a_failed_request_of_a_role_reports_the_message_of_the_server) {
  const scripted_server server([](const std::string&) {
    return scripted_server::make_response("400 Bad Request",
                                          "<ErrorResponse><Error><Code>InvalidIdentityToken</Code>"
                                          "<Message>No such provider</Message></Error>"
                                          "<RequestId>R</RequestId></ErrorResponse>");
  });
  const temporary_folder folder;
  write_file(folder / "token", "t");
  ::setenv("AWS_ENDPOINT_URL_STS", server.address().c_str(), 1);
  std::error_code ec;
  static_cast<void>(leat::remote::find_role_login(
      {.token_file = folder / "token", .role = "arn:r", .session = {}}, "us-east-1", true, ec));
  ::unsetenv("AWS_ENDPOINT_URL_STS");
  EXPECT_EQ(ec.message(), "No such provider (HTTP 400, InvalidIdentityToken, request R)");
}

// --- endpoints ---

TEST_F(requests, begin_with_the_path_of_the_endpoint) {
  const scripted_server server([](const std::string& head) {
    std::string shorter = head;
    const std::size_t at = shorter.find("/storage/v1/s%20a%2b3/");
    if (at == shorter.npos) return scripted_server::make_response("404 Not Found", "");
    return store_response(shorter.erase(at, 21));
  });
  for (const char* const path : {"/storage/v1/s%20a%2b3", "/storage/v1/s%20a%2b3/"}) {
    auto settings = with_quick_retries(server.store_settings());
    settings.endpoint += path;
    const std::error_code ec = make_all_requests(settings);
    EXPECT_FALSE(ec) << ec.message();
    leat::remote::abort({.address = "s3://bucket/key", .id = "u", .begun = {}}, settings);
    std::error_code none;
    static_cast<void>(leat::create("s3://bucket/", none));
    EXPECT_EQ(none, std::errc::invalid_argument) << "an address without a key is refused";
  }
  for (const char* const wrong : {"?a=b", "/a#b", "/a?b"}) {
    auto settings = with_quick_retries(server.store_settings());
    settings.endpoint += wrong;
    std::error_code ec;
    leat::remote::find_server("s3://bucket/key", settings, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument) << wrong;
  }
  auto settings = with_quick_retries(server.store_settings());
  settings.style = leat::remote::bucket_style::host;
  settings.endpoint = "http://host:1/a+b/";
  std::error_code ec;
  const auto found = leat::remote::find_server("s3://bucket/key", settings, ec);
  EXPECT_EQ(found.host, "bucket.host:1");
  EXPECT_EQ(found.path, "/a%2Bb/key");
}

// --- clocks ---

std::string http_date(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  char text[64];
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&seconds));
  return text;
}

/// The response of a store whose clock is `ahead` of the client's clock. The store refuses
/// signatures whose time differs by more than 15 minutes. The refusal has the error code `code`. If
/// `code` is empty or the request is a HEAD, the refusal has no body.
response response_with_clock(const std::string& head, std::chrono::seconds ahead,
                             const char* code) {
  const auto now = std::chrono::system_clock::now() + ahead;
  const std::string date = "Date: " + http_date(now) + "\r\n",
                    signed_at = header_value(head, "x-amz-date");
  std::tm time{};
  ::strptime(signed_at.c_str(), "%Y%m%dT%H%M%SZ", &time);
  const auto difference = now - std::chrono::system_clock::from_time_t(::timegm(&time));
  if (difference > std::chrono::minutes(15) || difference < -std::chrono::minutes(15))
    return scripted_server::make_response("403 Forbidden",
                                          *code == 0 || head.starts_with("HEAD ")
                                              ? ""
                                              : xml_error(code, "The difference is too large."),
                                          date);
  return store_response(head, "text", date);
}

TEST_F(requests, are_signed_by_the_clock_of_the_server_after_a_refusal) {
  for (const int hours : {1, -1, 24 * 365}) {
    for (const char* const code : {"RequestTimeTooSkewed", "AccessDenied", ""}) {
      const scripted_server server([&](const std::string& head) {
        return response_with_clock(head, std::chrono::hours(hours), code);
      });
      SCOPED_TRACE(testing::Message() << hours << " hours, '" << code << "'");
      const std::error_code ec = make_all_requests(with_quick_retries(server.store_settings()));
      EXPECT_FALSE(ec) << ec.message();
      const auto all = server.requests();
      const auto is_same_request = [&](const std::string& head) {
        return head.substr(0, head.find("\r\n")) == all[0].substr(0, all[0].find("\r\n"));
      };
      EXPECT_TRUE(is_same_request(all[1])) << "the first request is repeated";
      const auto puts = std::ranges::count_if(
          all, [](const std::string& head) { return head.starts_with("PUT /bucket/key HTTP"); });
      EXPECT_EQ(puts, 1) << "only the first request is repeated";
    }
  }
}

/// If the client's clock is right, leat reports a refusal at once. If the repeated request is
/// refused, too, leat reports the second refusal.
TEST_F(requests, are_signed_again_only_once_and_only_for_a_wrong_clock) {
  const scripted_server server([](const std::string&) {
    return scripted_server::make_response(
        "403 Forbidden", xml_error("AccessDenied", "No."),
        "Date: " + http_date(std::chrono::system_clock::now()) + "\r\n");
  });
  leat::remote::set_defaults(with_quick_retries(server.store_settings()));
  std::error_code ec;
  static_cast<void>(leat::open("s3://bucket/key", ec));
  EXPECT_EQ(ec, std::errc::permission_denied);
  EXPECT_EQ(server.requests().size(), 1U);
  const scripted_server wrong([](const std::string&) {
    return scripted_server::make_response("403 Forbidden",
                                          xml_error("RequestTimeTooSkewed", "Too late."),
                                          "Date: Mon, 23 Nov 2020 10:00:00 GMT\r\n");
  });
  leat::remote::set_defaults(with_quick_retries(wrong.store_settings()));
  static_cast<void>(leat::open("s3://bucket/key", ec));
  EXPECT_EQ(leat::remote::answer_of(ec).code, "RequestTimeTooSkewed");
  EXPECT_EQ(wrong.requests().size(), 2U) << "the request is repeated only once";
}

/// A store may refuse first the clock, then the region.
TEST_F(requests, are_signed_again_for_a_clock_and_then_for_a_region) {
  const scripted_server server([](const std::string& head) {
    response answer = response_with_clock(head, std::chrono::hours(2), "RequestTimeTooSkewed");
    if (answer.bytes.starts_with("HTTP/1.1 403") || head.find("/far-1/s3/") != head.npos)
      return answer;
    return scripted_server::make_response("400 Bad Request",
                                          "<Error><Code>AuthorizationHeaderMalformed</Code>"
                                          "<Region>far-1</Region></Error>");
  });
  leat::remote::set_defaults(with_quick_retries(server.store_settings()));
  EXPECT_EQ(leat::read_file("s3://bucket/key"), "text");
}

// --- requests ahead of reads ---

/// A store whose object has `size` bytes. If `fails`, only requests for the first byte succeed.
scripted_server::script object_script(std::uint64_t size, bool fails = false) {
  return [=](const std::string& head) -> response {
    const std::string range = header_value(head, "range");
    const std::uint64_t begin = std::stoull(range.substr(6));
    const std::uint64_t end =
        std::min<std::uint64_t>(std::stoull(range.substr(range.find('-') + 1)) + 1, size);
    if (fails && end != 1)
      return scripted_server::make_response("500 Internal Server Error",
                                            xml_error("InternalError", "no"));
    return scripted_server::make_response(
        "206 Partial Content", std::string(static_cast<std::size_t>(end - begin), 'x'),
        "ETag: \"a\"\r\nContent-Range: bytes " + std::to_string(begin) + "-" +
            std::to_string(end - 1) + "/" + std::to_string(size) + "\r\n");
  };
}

/// Calls read_ready until the error is not operation_would_block, at most for 10 s. Returns the
/// result of the last call.
std::size_t poll_ready(leat::device& from, std::uint64_t at, std::error_code& ec) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    char byte = '-';
    const std::size_t n = from.read_ready(at, {&byte, 1}, ec);
    if (ec != std::errc::operation_would_block || std::chrono::steady_clock::now() > end) return n;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(requests, an_announcement_requests_at_most_64_mib) {
  const scripted_server server(object_script(100'000'000'000, true));
  leat::remote::set_defaults(server.store_settings());
  std::error_code ec;
  const auto device = leat::open_random("s3://bucket/large", false, {}, ec);
  ASSERT_FALSE(ec) << ec.message();
  device->announce(0, 100'000'000'000);
  char byte = '-';
  EXPECT_EQ(device->read_at(0, {&byte, 1}, ec), 0u);
  EXPECT_TRUE(ec) << "the announced request has failed";
  const auto heads = server.requests();
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(header_value(heads[1], "range"), "bytes=0-67108863");
}

TEST_F(requests, read_ready_reports_an_announced_request_that_has_failed) {
  const scripted_server server(object_script(1 << 20, true));
  leat::remote::set_defaults(server.store_settings());
  std::error_code ec;
  const auto device = leat::open_random("s3://bucket/a", false, {}, ec);
  ASSERT_FALSE(ec) << ec.message();
  char byte = '-';
  EXPECT_EQ(device->read_ready(0, {&byte, 1}, ec), 0u);
  EXPECT_EQ(ec, std::errc::operation_would_block);
  device->announce(0, 100);
  EXPECT_EQ(poll_ready(*device, 0, ec), 0u);
  EXPECT_EQ(ec, std::errc::io_error) << ec.message();
}

TEST_F(requests, read_ready_returns_bytes_that_a_stream_has_requested_ahead) {
  const std::uint64_t size = 16 << 20;
  const scripted_server server(object_script(size));
  leat::remote::set_defaults(server.store_settings());
  std::error_code ec;
  const auto device = leat::open_existing("s3://bucket/a", {}, ec);
  ASSERT_FALSE(ec) << ec.message();
  const auto is_requested = [&](std::uint64_t at) {
    const std::string begin = "bytes=" + std::to_string(at) + "-";
    return std::ranges::any_of(server.requests(), [&](const std::string& head) {
      return header_value(head, "range").starts_with(begin);
    });
  };
  std::vector<char> block(64 << 10);
  std::uint64_t at = 0;
  while (at == 0 || (at < size && !is_requested(at))) {
    const std::size_t n = device->read_at(at, block, ec);
    ASSERT_FALSE(ec) << ec.message();
    at += n;
  }
  ASSERT_LT(at, size) << "nothing was read ahead";
  EXPECT_EQ(poll_ready(*device, at, ec), 1u) << "at " << at;
  EXPECT_FALSE(ec) << ec.message();
}

}  // namespace
