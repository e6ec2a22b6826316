// The headers of requests, for example the client's name and the checksums of bodies. After a
// refusal (because of a clock, a region, a checksum), leat repeats the request or reports the
// server's message.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "opening/open.hpp"
#include "remote/checksums.hpp"
#include "remote/encoding.hpp"
#include "remote/roles.hpp"
#include "remote/scripted_server.hpp"
#include "remote/server.hpp"
#include "remote/store.hpp"
#include "remote/words.hpp"
#include "support/files.hpp"

namespace {

using leat_test::header_of;
using leat_test::scripted_server;
using answer = scripted_server::answer;
using leat::remote::checksum_of;

leat::remote::settings quick(leat::remote::settings how) {
  how.retries = 2;
  how.first_pause = std::chrono::milliseconds(1);
  how.keeps_conditions = true;
  return how;
}

class requests : public testing::Test {
 protected:
  void TearDown() override { leat::remote::set_defaults({}); }
};

std::string error_page(std::string_view code, std::string_view message) {
  return "<Error><Code>" + std::string(code) + "</Code><Message>" + std::string(message) +
         "</Message></Error>";
}

/// The response of a store that accepts every request. GET returns `text` for each key; HEAD gets
/// 404. `more`: further headers.
answer serve(const std::string& head, const std::string& text = "text",
             const std::string& more = {}) {
  const std::string tag = "ETag: \"00000000000000000000000000000000\"\r\n" + more;
  if (head.starts_with("DELETE ")) return scripted_server::page("204 No Content", "");
  if (head.starts_with("GET /bucket/?") || head.find("list-type=2") != head.npos)
    return scripted_server::page("200 OK", "<ListBucketResult></ListBucketResult>");
  if (head.starts_with("GET ")) {
    const std::string range = header_of(head, "range");
    if (range.empty()) return scripted_server::page("200 OK", text, tag);
    const std::size_t end =
        std::min<std::size_t>(std::stoul(range.substr(range.find('-') + 1)), text.size() - 1);
    return scripted_server::page("206 Partial Content", text.substr(0, end + 1),
                                 tag + "Content-Range: bytes 0-" + std::to_string(end) + "/" +
                                     std::to_string(text.size()) + "\r\n");
  }
  if (head.starts_with("HEAD ")) return scripted_server::page("404 Not Found", "");
  if (head.starts_with("PUT ")) return scripted_server::page("200 OK", "", tag);
  const std::string root = head.find("?uploads=") != head.npos ? "InitiateMultipartUploadResult"
                                                               : "CompleteMultipartUploadResult";
  return scripted_server::page("200 OK", "<" + root + "><UploadId>u</UploadId></" + root + ">",
                               more);
}

std::error_code write_object(std::size_t size, bool exclusive = false) {
  std::error_code ec;
  auto out = leat::create("s3://bucket/key", {.exclusive = exclusive}, ec);
  if (ec) return ec;
  out.write(std::string(size, 'x'));
  out.close(ec);
  return ec;
}

/// Makes each kind of request at least once, until one fails. Returns the error.
std::error_code ask_for_everything(const leat::remote::settings& how) {
  leat::remote::set_defaults(how);
  std::error_code ec;
  static_cast<void>(leat::read_file("s3://bucket/key", ec));
  if (!ec) static_cast<void>(leat::file::open("s3://bucket/key", leat::mode::read, {}, ec));
  if (!ec) static_cast<void>(leat::remote::list("s3://bucket/", how, ec));
  if (!ec) ec = write_object(100, true);
  if (!ec) ec = write_object(9 << 20);
  if (!ec) leat::remote::remove("s3://bucket/key", how, ec);
  return ec;
}

// --- the client's name ---

TEST_F(requests, have_the_name_of_their_client) {
  const scripted_server here([](const std::string& head) { return serve(head); });
  EXPECT_FALSE(ask_for_everything(quick(here.how())));
  leat::remote::set_defaults({});
  EXPECT_EQ(leat::read_file(here.address() + "/page"), "text");
  for (const std::string& head : here.requests()) {
    EXPECT_TRUE(header_of(head, "user-agent").starts_with("leat/")) << head;
    EXPECT_EQ(header_of(head, "accept"), "*/*");
  }
}

// --- the server's messages ---

TEST_F(requests, that_fail_tell_the_server_s_words) {
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
    const scripted_server here([&](const std::string&) {
      return scripted_server::page(one.status, one.body, "Content-Type: " + one.type + "\r\n");
    });
    std::error_code ec;
    static_cast<void>(leat::open(here.address() + "/page", ec));
    EXPECT_EQ(ec, std::errc::permission_denied);
    EXPECT_NE(ec.message().find(one.words), std::string::npos) << ec.message();
    EXPECT_TRUE(ec.message().ends_with(" (HTTP 403)")) << ec.message();
  }
  // A store's messages, and the fields that only stores send.
  const scripted_server here([](const std::string&) {
    return scripted_server::page("403 Forbidden", error_page("Access\nDenied", "Not\n  you\x7f."),
                                 "x-amz-request-id: R\x01\r\n");
  });
  leat::remote::set_defaults(here.how());
  std::error_code ec;
  static_cast<void>(leat::open("s3://bucket/key", ec));
  EXPECT_EQ(ec.message(), "Not you\\x7f. (HTTP 403, Access\\nDenied, request R\\x01)");
}

TEST_F(requests, of_roles_tell_the_server_s_words) {
  const scripted_server here([](const std::string&) {
    return scripted_server::page("400 Bad Request",
                                 "<ErrorResponse><Error><Code>InvalidIdentityToken</Code>"
                                 "<Message>No such provider</Message></Error>"
                                 "<RequestId>R</RequestId></ErrorResponse>");
  });
  const leat_test::temporary_folder folder;
  leat_test::write_file(folder / "token", "t");
  ::setenv("AWS_ENDPOINT_URL_STS", here.address().c_str(), 1);
  std::error_code ec;
  static_cast<void>(leat::remote::find_role(
      {.token_file = folder / "token", .role = "arn:r", .session = {}}, "us-east-1", true, ec));
  ::unsetenv("AWS_ENDPOINT_URL_STS");
  EXPECT_EQ(ec.message(), "No such provider (HTTP 400, InvalidIdentityToken, request R)");
}

// --- endpoints ---

TEST_F(requests, go_below_the_path_of_their_endpoint) {
  const scripted_server here([](const std::string& head) {
    std::string shorter = head;
    const std::size_t at = shorter.find("/storage/v1/s%20a%2b3/");
    if (at == shorter.npos) return scripted_server::page("404 Not Found", "");
    return serve(shorter.erase(at, 21));
  });
  for (const char* const path : {"/storage/v1/s%20a%2b3", "/storage/v1/s%20a%2b3/"}) {
    auto how = quick(here.how());
    how.endpoint += path;
    const std::error_code ec = ask_for_everything(how);
    EXPECT_FALSE(ec) << ec.message();
    leat::remote::abort({.address = "s3://bucket/key", .id = "u", .begun = {}}, how);
    std::error_code none;
    static_cast<void>(leat::create("s3://bucket/", none));
    EXPECT_EQ(none, std::errc::invalid_argument) << "no key";
  }
  for (const char* const wrong : {"?a=b", "/a#b", "/a?b"}) {
    auto how = quick(here.how());
    how.endpoint += wrong;
    std::error_code ec;
    leat::remote::find_server("s3://bucket/key", how, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument) << wrong;
  }
  auto how = quick(here.how());
  how.style = leat::remote::bucket_style::host;
  how.endpoint = "http://host:1/a+b/";
  std::error_code ec;
  const auto found = leat::remote::find_server("s3://bucket/key", how, ec);
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

/// The response of a store whose clock is `ahead` of ours. The store refuses signatures that differ
/// by more than 15 minutes, with this error code; if `code` is empty, without a body.
answer by_another_clock(const std::string& head, std::chrono::seconds ahead, const char* code) {
  const auto now = std::chrono::system_clock::now() + ahead;
  const std::string date = "Date: " + http_date(now) + "\r\n",
                    signed_at = header_of(head, "x-amz-date");
  std::tm time{};
  ::strptime(signed_at.c_str(), "%Y%m%dT%H%M%SZ", &time);
  const auto off = now - std::chrono::system_clock::from_time_t(::timegm(&time));
  if (off > std::chrono::minutes(15) || off < -std::chrono::minutes(15))
    return scripted_server::page("403 Forbidden",
                                 *code == 0 || head.starts_with("HEAD ")
                                     ? ""
                                     : error_page(code, "The difference is too large."),
                                 date);
  return serve(head, "text", date);
}

TEST_F(requests, are_signed_by_the_server_s_clock_after_one_refusal) {
  for (const int hours : {1, -1, 24 * 365}) {
    for (const char* const code : {"RequestTimeTooSkewed", "AccessDenied", ""}) {
      const scripted_server here([&](const std::string& head) {
        return by_another_clock(head, std::chrono::hours(hours), code);
      });
      SCOPED_TRACE(testing::Message() << hours << " hours, '" << code << "'");
      const std::error_code ec = ask_for_everything(quick(here.how()));
      EXPECT_FALSE(ec) << ec.message();
      const auto all = here.requests();
      const auto same = [&](const std::string& head) {
        return head.substr(0, head.find("\r\n")) == all[0].substr(0, all[0].find("\r\n"));
      };
      EXPECT_TRUE(same(all[1])) << "the first request is repeated";
      const auto puts = std::ranges::count_if(
          all, [](const std::string& head) { return head.starts_with("PUT /bucket/key HTTP"); });
      EXPECT_EQ(puts, 1) << "and no other request";
    }
  }
}

/// If the clock is right, nothing changes. A refusal for another reason is reported at once.
TEST_F(requests, are_not_signed_again_without_a_reason) {
  const scripted_server here([](const std::string&) {
    return scripted_server::page("403 Forbidden", error_page("AccessDenied", "No."),
                                 "Date: " + http_date(std::chrono::system_clock::now()) + "\r\n");
  });
  leat::remote::set_defaults(quick(here.how()));
  std::error_code ec;
  static_cast<void>(leat::open("s3://bucket/key", ec));
  EXPECT_EQ(ec, std::errc::permission_denied);
  EXPECT_EQ(here.requests().size(), 1U);
  const scripted_server wrong([](const std::string&) {
    return scripted_server::page("403 Forbidden", error_page("RequestTimeTooSkewed", "Too late."),
                                 "Date: Mon, 23 Nov 2020 10:00:00 GMT\r\n");
  });
  leat::remote::set_defaults(quick(wrong.how()));
  static_cast<void>(leat::open("s3://bucket/key", ec));
  EXPECT_EQ(leat::remote::answer_of(ec).code, "RequestTimeTooSkewed");
  EXPECT_EQ(wrong.requests().size(), 2U) << "once";
}

/// A store may refuse first the clock, then the region.
TEST_F(requests, may_need_a_clock_and_a_region) {
  const scripted_server here([](const std::string& head) {
    answer said = by_another_clock(head, std::chrono::hours(2), "RequestTimeTooSkewed");
    if (said.bytes.starts_with("HTTP/1.1 403") || head.find("/far-1/s3/") != head.npos) return said;
    return scripted_server::page("400 Bad Request",
                                 "<Error><Code>AuthorizationHeaderMalformed</Code>"
                                 "<Region>far-1</Region></Error>");
  });
  leat::remote::set_defaults(quick(here.how()));
  EXPECT_EQ(leat::read_file("s3://bucket/key"), "text");
}

// --- checksums ---

/// A store whose object has `size` bytes. If `fails`, only the first byte can be read.
scripted_server::script object_of(std::uint64_t size, bool fails = false) {
  return [=](const std::string& head) -> answer {
    const std::string range = header_of(head, "range");
    const std::uint64_t begin = std::stoull(range.substr(6));
    const std::uint64_t end =
        std::min<std::uint64_t>(std::stoull(range.substr(range.find('-') + 1)) + 1, size);
    if (fails && end != 1)
      return scripted_server::page("500 Internal Server Error", error_page("InternalError", "no"));
    return scripted_server::page(
        "206 Partial Content", std::string(static_cast<std::size_t>(end - begin), 'x'),
        "ETag: \"a\"\r\nContent-Range: bytes " + std::to_string(begin) + "-" +
            std::to_string(end - 1) + "/" + std::to_string(size) + "\r\n");
  };
}

/// Calls read_ready until the error is not operation_would_block, at most for 10 s.
std::size_t polled(leat::device& from, std::uint64_t at, std::error_code& ec) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    char byte = '-';
    const std::size_t n = from.read_ready(at, {&byte, 1}, ec);
    if (ec != std::errc::operation_would_block || std::chrono::steady_clock::now() > end) return n;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(requests, for_announcements_are_limited) {
  const scripted_server here(object_of(100'000'000'000, true));
  leat::remote::set_defaults(here.how());
  std::error_code ec;
  const auto device = leat::open_random("s3://bucket/large", false, {}, ec);
  ASSERT_FALSE(ec) << ec.message();
  device->announce(0, 100'000'000'000);
  char byte = '-';
  EXPECT_EQ(device->read_at(0, {&byte, 1}, ec), 0u);
  EXPECT_TRUE(ec) << "the announced request has failed";
  const auto heads = here.requests();
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(header_of(heads[1], "range"), "bytes=0-67108863");
}

TEST_F(requests, that_fail_are_reported_by_reads_that_do_not_wait) {
  const scripted_server here(object_of(1 << 20, true));
  leat::remote::set_defaults(here.how());
  std::error_code ec;
  const auto device = leat::open_random("s3://bucket/a", false, {}, ec);
  ASSERT_FALSE(ec) << ec.message();
  char byte = '-';
  EXPECT_EQ(device->read_ready(0, {&byte, 1}, ec), 0u);
  EXPECT_EQ(ec, std::errc::operation_would_block);
  device->announce(0, 100);
  EXPECT_EQ(polled(*device, 0, ec), 0u);
  EXPECT_EQ(ec, std::errc::io_error) << ec.message();
}

TEST_F(requests, ahead_of_a_stream_are_found_by_reads_that_do_not_wait) {
  const std::uint64_t size = 16 << 20;
  const scripted_server here(object_of(size));
  leat::remote::set_defaults(here.how());
  std::error_code ec;
  const auto device = leat::open_existing("s3://bucket/a", {}, ec);
  ASSERT_FALSE(ec) << ec.message();
  const auto is_asked_for = [&](std::uint64_t at) {
    const std::string begin = "bytes=" + std::to_string(at) + "-";
    return std::ranges::any_of(here.requests(), [&](const std::string& head) {
      return header_of(head, "range").starts_with(begin);
    });
  };
  std::vector<char> block(64 << 10);
  std::uint64_t at = 0;
  while (at == 0 || (at < size && !is_asked_for(at))) {
    const std::size_t n = device->read_at(at, block, ec);
    ASSERT_FALSE(ec) << ec.message();
    at += n;
  }
  ASSERT_LT(at, size) << "nothing was read ahead";
  EXPECT_EQ(polled(*device, at, ec), 1u) << "at " << at;
  EXPECT_FALSE(ec) << ec.message();
}

TEST(checksums, are_the_known_ones) {
  using leat::remote::reply;
  EXPECT_EQ(checksum_of(""), "AAAAAA==");
  EXPECT_EQ(checksum_of("123456789"), "4waSgw==");
  const struct {
    const char *name, *value;
  } all[] = {{"crc32c", "4waSgw=="},
             {"crc32", "y/Q5Jg=="},
             {"crc64nvme", "rosUhgp5mIg="},
             {"sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="},
             {"sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="}};
  for (const auto& one : all) {
    reply said;
    said.checksums = {{one.name, one.value}};
    EXPECT_TRUE(agrees(said, "123456789")) << one.name;
    EXPECT_FALSE(agrees(said, "123456780")) << one.name;
  }
  reply said;
  said.checksums = {{"crc32c", "AAAAAA==-3"}, {"md6", "x"}};
  EXPECT_TRUE(agrees(said, "1")) << "of parts, and unknown ones: not compared";
  const std::vector<std::string> parts{checksum_of("1"), checksum_of("2")};
  EXPECT_TRUE(leat::remote::checksum_of_parts(parts).ends_with("==-2"));
}

/// Buckets with Object Lock accept only objects with checksums.
TEST_F(requests, tell_the_checksum_of_each_body) {
  const scripted_server here([](const std::string& head) {
    const bool has_body = head.starts_with("PUT ");
    if (has_body && header_of(head, "x-amz-checksum-crc32c").empty())
      return scripted_server::page("400 Bad Request",
                                   error_page("InvalidRequest", "Content-MD5 is missing"));
    const bool begins = head.find("?uploads=") != head.npos;
    if (begins && header_of(head, "x-amz-checksum-algorithm") != "CRC32C")
      return scripted_server::page("400 Bad Request", error_page("InvalidRequest", "no algorithm"));
    return serve(head);
  });
  auto how = quick(here.how());
  how.keeps_conditions = false;
  leat::remote::set_defaults(how);
  EXPECT_EQ(write_object(0), std::error_code());
  EXPECT_EQ(header_of(here.requests().back(), "x-amz-checksum-crc32c"), "AAAAAA==");
  EXPECT_NE(header_of(here.requests().back(), "authorization").find("x-amz-checksum-crc32c"),
            std::string::npos)
      << "it is signed";
  EXPECT_EQ(write_object(100), std::error_code());
  EXPECT_EQ(header_of(here.requests().back(), "x-amz-checksum-crc32c"),
            checksum_of(std::string(100, 'x')));
  EXPECT_EQ(write_object(9 << 20), std::error_code());
  EXPECT_EQ(write_object(10, true), std::errc::operation_not_supported) << "the probe has one, too";
}

/// A damaged body is sent again.
TEST_F(requests, are_repeated_where_the_checksum_is_not_the_one_of_the_body) {
  for (const char* const code : {"BadDigest", "XAmzContentChecksumMismatch"}) {
    for (const int times : {1, 100}) {
      std::atomic<int> left = times;
      const scripted_server here([&](const std::string& head) {
        if (head.starts_with("PUT ") && left-- > 0)
          return scripted_server::page("400 Bad Request",
                                       error_page(code, "The checksum did not match."));
        return serve(head);
      });
      leat::remote::set_defaults(quick(here.how()));
      const std::error_code ec = write_object(100);
      EXPECT_EQ(static_cast<bool>(ec), times == 100) << ec.message();
      EXPECT_EQ(header_of(here.requests().back(), "x-amz-checksum-crc32c").empty(), false);
    }
  }
  // The store may return the checksum of the bytes that it received.
  for (const int times : {1, 100}) {
    std::atomic<int> left = times;
    const scripted_server here([&](const std::string& head) {
      return serve(head, "text", left-- > 0 ? "x-amz-checksum-crc32c: AAAAAA==\r\n" : "");
    });
    leat::remote::set_defaults(quick(here.how()));
    const std::error_code ec = write_object(100);
    EXPECT_EQ(static_cast<bool>(ec), times == 100) << ec.message();
  }
}

/// Stores say in different ways that they do not know the header.
TEST_F(requests, go_without_checksums_where_a_store_does_not_know_them) {
  const answer refusals[] = {
      scripted_server::page("501 Not Implemented",
                            error_page("NotImplemented", "A header is unknown")),
      scripted_server::page(
          "400 Bad Request",
          error_page("InvalidArgument", "Unsupported header 'x-amz-checksum-crc32c'")),
  };
  for (const answer& refusal : refusals) {
    const scripted_server here([&](const std::string& head) {
      return leat_test::value_of(head, "x-amz-checksum-crc32c") != head.npos ||
                     leat_test::value_of(head, "x-amz-checksum-algorithm") != head.npos
                 ? refusal
                 : serve(head);
    });
    leat::remote::set_defaults(quick(here.how()));
    EXPECT_EQ(write_object(100), std::error_code());
    EXPECT_EQ(here.requests().size(), 2U);
    EXPECT_EQ(write_object(100), std::error_code());
    EXPECT_EQ(here.requests().size(), 3U) << "it is remembered";
    EXPECT_EQ(write_object(9 << 20), std::error_code());
    EXPECT_EQ(here.requests().size(), 7U);
  }
}

TEST_F(requests, complete_parts_with_the_checksums_that_the_store_knows) {
  for (const bool knows : {false, true}) {
    for (const char* const whole : {"", "parts", "all", "AAAAAA==", "AAAAAA==-2"}) {
      const std::string first(8 << 20, 'x'), second(1 << 20, 'x');
      const std::vector<std::string> parts{checksum_of(first), checksum_of(second)};
      std::string told = whole;
      if (told == "parts") told = leat::remote::checksum_of_parts(parts);
      if (told == "all") told = checksum_of(first + second);
      const scripted_server here([&](const std::string& head) {
        if (head.starts_with("PUT "))
          return serve(
              head, "",
              knows ? "x-amz-checksum-crc32c: " + header_of(head, "x-amz-checksum-crc32c") + "\r\n"
                    : "");
        if (head.starts_with("POST ") && head.find("?uploadId=") != head.npos)
          return scripted_server::page("200 OK",
                                       "<CompleteMultipartUploadResult><ChecksumCRC32C>" + told +
                                           "</ChecksumCRC32C></CompleteMultipartUploadResult>");
        return serve(head);
      });
      leat::remote::set_defaults(quick(here.how()));
      const std::error_code ec = write_object(9 << 20);
      const bool is_wrong = std::string_view(whole).starts_with("AAAA");
      EXPECT_EQ(static_cast<bool>(ec), is_wrong) << whole << ": " << ec.message();
      std::string complete;
      for (const std::string& head : here.requests())
        if (head.starts_with("POST ") && head.find("?uploadId=") != head.npos) complete = head;
      const std::string plain =
          "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
          "<ETag>\"00000000000000000000000000000000\"</ETag></Part><Part><PartNumber>2</PartNumber>"
          "<ETag>\"00000000000000000000000000000000\"</ETag></Part></CompleteMultipartUpload>";
      const std::size_t extra =
          2 * std::string_view("<ChecksumCRC32C>12345678</ChecksumCRC32C>").size();
      EXPECT_EQ(leat_test::length_of(complete), plain.size() + (knows ? extra : 0U));
    }
  }
}

TEST_F(requests, for_objects_check_the_checksums_that_come) {
  const std::string text = leat_test::numbered_text(10'000);
  for (const auto& [name, right] :
       {std::pair("crc32c", checksum_of(text)), std::pair("crc32c", std::string("AAAAAA==-3"))}) {
    const scripted_server here([&](const std::string& head) {
      return serve(head, text, "x-amz-checksum-" + std::string(name) + ": " + right + "\r\n");
    });
    leat::remote::set_defaults(quick(here.how()));
    EXPECT_TRUE(leat::read_file("s3://bucket/key") == text);
    EXPECT_EQ(header_of(here.requests()[0], "x-amz-checksum-mode"), "ENABLED");
  }
  for (const int times : {1, 100}) {
    std::atomic<int> left = times;
    const scripted_server here([&](const std::string& head) {
      std::string damaged = text;
      if (left-- > 0) damaged[500] = static_cast<char>(damaged[500] ^ 1);
      return serve(head, damaged, "x-amz-checksum-crc32c: " + checksum_of(text) + "\r\n");
    });
    leat::remote::set_defaults(quick(here.how()));
    std::error_code ec;
    const std::string got = leat::read_file("s3://bucket/key", ec);
    EXPECT_EQ(static_cast<bool>(ec), times == 100) << ec.message();
    EXPECT_TRUE(ec || got == text);
    EXPECT_LT(here.requests().size(), 5U);
  }
}

using objects_with_checksums = leat_test::with_store;

/// A real store accepts the checksums, in one request and in parts.
TEST_F(objects_with_checksums, are_written_and_read) {
  for (const std::size_t size : std::vector<std::size_t>{0, 10, 9 << 20}) {
    const std::string text = leat_test::numbered_text(size);
    auto out = leat::create("s3://bucket/summed");
    out.write(text);
    out.close();
    EXPECT_TRUE(leat::read_file("s3://bucket/summed") == text) << size;
  }
}

}  // namespace
