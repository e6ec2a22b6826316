// Responses in the various forms that stores send: lists, errors with status 200, sizes and ranges.
#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "remote/encoding.hpp"
#include "remote/scripted_server.hpp"
#include "remote/xml.hpp"

namespace {

using leat_test::scripted_server;

/// Returns a script that answers with the pages in order, and then always with the last page.
scripted_server::script response_sequence(std::vector<std::string> all) {
  return [all = std::move(all), n = std::size_t{0}](const std::string&) mutable {
    return scripted_server::make_response("200 OK", all[std::min(n++, all.size() - 1)]);
  };
}

TEST(lists, of_objects_continue_at_the_token) {
  const scripted_server server(response_sequence(
      {"<ListBucketResult><Contents><Key>a%2Bb+c%01</Key><Size>7</Size></Contents>"
       "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
       "<NextContinuationToken>t=1</NextContinuationToken></ListBucketResult>",
       "<ListBucketResult><Contents><Key>a%2Bb+c</Key></Contents>"
       "<IsTruncated>false</IsTruncated>"
       "<NextContinuationToken>none</NextContinuationToken></ListBucketResult>"}));
  const auto all = leat::remote::list("s3://bucket/a", server.store_settings());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].address, "s3://bucket/a+b c\x01");
  EXPECT_EQ(all[0].size, 7U);
  EXPECT_EQ(all[1].address, "s3://bucket/a%2Bb+c") << "this page is not encoded";
  ASSERT_EQ(server.requests().size(), 3U) << "the third request asks for keys without encoding";
  EXPECT_TRUE(server.requests()[0].starts_with(
      "GET /bucket/?encoding-type=url&list-type=2&prefix=a HTTP/1.1\r\n"));
  EXPECT_TRUE(server.requests()[1].starts_with(
      "GET /bucket/?continuation-token=t%3D1&encoding-type=url&list-type=2&prefix=a HTTP/1.1\r\n"));
}

/// Ceph 16 encodes the keys, but leaves out EncodingType.
TEST(lists, keys_are_decoded_even_if_the_store_names_no_encoding_type) {
  const scripted_server server([](const std::string& request) {
    const bool asks = request.find("encoding-type=url") != std::string::npos;
    return scripted_server::make_response("200 OK",
                                          std::string("<ListMultipartUploadsResult><Upload><Key>") +
                                              (asks ? "a%2520b" : "a%20b") +
                                              "</Key></Upload></ListMultipartUploadsResult>");
  });
  const auto all = leat::remote::uploads("s3://bucket/", server.store_settings());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].address, "s3://bucket/a%20b");
}

/// Amazon sends the key and upload markers with the last page, too. The markers come in any order,
/// and a store may send only one.
TEST(lists, of_uploads_continue_at_the_key_and_the_upload) {
  const scripted_server server(response_sequence(
      {"<ListMultipartUploadsResult><NextUploadIdMarker>u/1</NextUploadIdMarker>"
       "<NextKeyMarker>a%20b</NextKeyMarker><EncodingType>url</EncodingType>"
       "<Upload><Key>a%20b</Key><UploadId>u/1</UploadId></Upload>"
       "</ListMultipartUploadsResult>",
       "<ListMultipartUploadsResult><NextKeyMarker>c</NextKeyMarker>"
       "<IsTruncated>true</IsTruncated></ListMultipartUploadsResult>",
       "<ListMultipartUploadsResult><NextKeyMarker>d</NextKeyMarker>"
       "<NextUploadIdMarker>u</NextUploadIdMarker><IsTruncated>false</IsTruncated>"
       "</ListMultipartUploadsResult>"}));
  const auto all = leat::remote::uploads("s3://bucket/", server.store_settings());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].address, "s3://bucket/a b");
  EXPECT_EQ(all[0].id, "u/1");
  ASSERT_EQ(server.requests().size(), 3U);
  EXPECT_TRUE(
      server.requests()[1].starts_with("GET /bucket/?encoding-type=url&key-marker=a%20b&prefix="
                                       "&upload-id-marker=u%2F1&uploads= HTTP/1.1\r\n"));
  EXPECT_TRUE(server.requests()[2].starts_with(
      "GET /bucket/?encoding-type=url&key-marker=c&prefix=&uploads= HTTP/1.1\r\n"));
}

TEST(lists, that_are_invalid_or_endless_are_errors) {
  for (const char* text :
       {"<ListBucketResult><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
        "<Other/>", "<ListBucketResult></ListBucketResult> and more", "<ListBucketResult>",
        "<!DOCTYPE a [<!ENTITY e \"x\">]><ListBucketResult>&e;</ListBucketResult>"}) {
    const scripted_server server(response_sequence({text}));
    std::error_code ec;
    leat::remote::list("s3://bucket/", server.store_settings(), ec);
    EXPECT_EQ(ec, std::errc::io_error) << text;
    EXPECT_LE(server.requests().size(), 2U);
  }
}

/// A truncated list must name the next page. If the name is missing, the keys of the next page
/// would seem not to exist.
TEST(lists, that_are_truncated_without_a_token_are_errors) {
  for (const char* const truncated : {"true", " TRUE ", "True"}) {
    const std::string mark = "<IsTruncated>" + std::string(truncated) + "</IsTruncated>";
    const scripted_server server([&](const std::string& request) {
      const std::string root = request.find("uploads=") == std::string::npos
                                   ? "ListBucketResult"
                                   : "ListMultipartUploadsResult";
      return scripted_server::make_response(
          "200 OK", "<" + root + "><Contents><Key>a</Key></Contents>" + mark + "</" + root + ">");
    });
    std::error_code ec;
    leat::remote::list("s3://bucket/", server.store_settings(), ec);
    EXPECT_EQ(ec, std::errc::io_error) << truncated;
    leat::remote::uploads("s3://bucket/", server.store_settings(), ec);
    EXPECT_EQ(ec, std::errc::io_error) << truncated;
    EXPECT_THROW(leat::remote::list("s3://bucket/", server.store_settings()), leat::io_error);
  }
}

/// Stores begin a response before they know whether the request will succeed, so a response with
/// status 200 may contain an error.
TEST(successes, that_contain_an_error_are_repeated_and_then_reported) {
  for (const char* const code : {"InternalError", "SlowDown", "ServiceUnavailable"}) {
    for (const int times : {1, 2, 100}) {
      std::atomic<int> left = times;
      const scripted_server server([&](const std::string& head) {
        if (head.starts_with("PUT "))
          return scripted_server::make_response("200 OK", "",
                                                "ETag: \"00000000000000000000000000000000\"\r\n");
        if (head.starts_with("DELETE "))
          return scripted_server::make_response("204 No Content", "");
        if (left-- > 0)
          return scripted_server::make_response(
              "200 OK", "<?xml version=\"1.0\"?>\n\n<Error><Code>" + std::string(code) +
                            "</Code><Message>We have met a fault.</Message>"
                            "<RequestId>R7</RequestId></Error>");
        const std::string root = head.starts_with("GET ") ? "ListBucketResult"
                                 : head.find("uploads=") != std::string::npos
                                     ? "InitiateMultipartUploadResult"
                                     : "CompleteMultipartUploadResult";
        return scripted_server::make_response(
            "200 OK", "<" + root + "><UploadId>u</UploadId></" + root + ">");
      });
      auto settings = server.store_settings();
      settings.retries = 2;
      settings.first_pause = std::chrono::milliseconds(1);
      SCOPED_TRACE(testing::Message() << code << ", " << times << " times");
      std::error_code ec;
      const auto expect = [&](const char* operation) {
        if (times < 3) {
          EXPECT_FALSE(ec) << operation << ": " << ec.message();
          return;
        }
        EXPECT_EQ(ec, std::errc::io_error) << operation;
        EXPECT_EQ(ec.message(),
                  "We have met a fault. (HTTP 200, " + std::string(code) + ", request R7)");
      };
      leat::remote::list("s3://bucket/", settings, ec);
      expect("list");
      // The upload starts without errors. The completion of the upload meets `times` errors.
      left = 0;
      leat::file_writer out(leat::remote::open(
          {.address = "s3://bucket/key", .use = leat::address_use::create}, settings, ec));
      out.write(std::string(9 << 20, 'x'));
      out.sync();
      left = times;
      out.close(ec);
      expect("complete");
      left = times;
      const auto device = leat::remote::open(
          {.address = "s3://bucket/key", .use = leat::address_use::create}, settings, ec);
      const std::string text(9 << 20, 'x');
      const std::string_view piece = text;
      device->write_at(0, {&piece, 1}, ec);
      expect("begin");
    }
  }
}

/// Some errors, such as AccessDenied, are permanent: a retry is useless.
TEST(successes, that_contain_a_permanent_error_are_reported_at_once) {
  const scripted_server server([](const std::string&) {
    return scripted_server::make_response("200 OK", "<Error><Code>AccessDenied</Code></Error>");
  });
  auto settings = server.store_settings();
  settings.retries = 2;
  std::error_code ec;
  leat::remote::list("s3://bucket/", settings, ec);
  EXPECT_EQ(leat::remote::answer_of(ec).code, "AccessDenied");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(lists, have_keys_with_their_percent_escapes_decoded) {
  using leat::remote::percent_decoded;
  EXPECT_EQ(percent_decoded("a%2fb%2Fc+d%2B"), "a/b/c d+");
  EXPECT_EQ(percent_decoded(std::string_view("%00", 3)), std::string_view("\0", 1));
  EXPECT_EQ(percent_decoded("%FF"), "\xff");
  for (const char* same : {"", "%", "%4", "%4g", "%g4", "%-1", "%%"})
    EXPECT_EQ(percent_decoded(same), same);
}

/// Without the length of an object, a reader would not know where the object ends.
TEST(objects_without_a_size, are_refused) {
  const scripted_server server([](const std::string&) {
    return scripted_server::make_response("206 Partial Content", std::string(256 << 10, 'x'),
                                          "ETag: \"e\"\r\nContent-Range: bytes 0-262143/*\r\n");
  });
  std::error_code ec;
  const auto device =
      leat::remote::open({.address = "s3://bucket/key"}, server.store_settings(), ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(device, nullptr);
}

TEST(content_ranges, that_are_not_the_requested_range_are_errors) {
  for (const std::string range :
       {"262144-524287/1000000", "262144-262143/*", "262144-9/*", "262144-9/1000000",
        "262144-262153/1000000" /* shorter than the body */}) {
    SCOPED_TRACE(range);
    const scripted_server server([&](const std::string& head) {
      const bool is_first = head.find("bytes=0-") != std::string::npos;
      const std::string body(256 << 10, 'x');
      return scripted_server::make_response(
          "206 Partial Content", body,
          "ETag: \"e\"\r\nContent-Range: bytes " +
              (is_first ? std::string("0-262143/1000000") : range) + "\r\n");
    });
    std::error_code ec;
    const auto in = leat::remote::open({.address = "s3://bucket/key"}, server.store_settings(), ec);
    ASSERT_NE(in, nullptr);
    std::string last(10, '\0');
    static_cast<void>(in->read_at(262'144, last, ec));
    EXPECT_EQ(!ec, range == "262144-524287/1000000") << ec.message();
  }
}

}  // namespace
