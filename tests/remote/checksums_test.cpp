// Checksums of the bodies of requests and of objects: sent, compared, and omitted if the store does
// not know them.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/checksums.hpp"
#include "remote/scripted_server.hpp"
#include "remote/scripted_store.hpp"
#include "remote/store.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;
using response = scripted_server::response;
using leat::remote::checksum_of;

TEST(checksums, have_the_known_values) {
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
    reply received;
    received.checksums = {{one.name, one.value}};
    EXPECT_TRUE(checksums_match(received, "123456789")) << one.name;
    EXPECT_FALSE(checksums_match(received, "123456780")) << one.name;
  }
  reply received;
  received.checksums = {{"crc32c", "AAAAAA==-3"}, {"md6", "x"}};
  EXPECT_TRUE(checksums_match(received, "1"))
      << "checksums of parts and unknown checksums are not compared";
  const std::vector<std::string> parts{checksum_of("1"), checksum_of("2")};
  EXPECT_TRUE(leat::remote::checksum_of_parts(parts).ends_with("==-2"));
}

/// Buckets with Object Lock accept only objects with checksums.
TEST_F(requests, have_the_checksum_of_their_body) {
  const scripted_server server([](const std::string& head) {
    const bool has_body = head.starts_with("PUT ");
    if (has_body && header_value(head, "x-amz-checksum-crc32c").empty())
      return scripted_server::make_response("400 Bad Request",
                                            xml_error("InvalidRequest", "Content-MD5 is missing"));
    const bool begins = head.find("?uploads=") != head.npos;
    if (begins && header_value(head, "x-amz-checksum-algorithm") != "CRC32C")
      return scripted_server::make_response("400 Bad Request",
                                            xml_error("InvalidRequest", "no algorithm"));
    return store_response(head);
  });
  auto settings = with_quick_retries(server.store_settings());
  settings.keeps_conditions = false;
  leat::remote::set_defaults(settings);
  EXPECT_EQ(write_object(0), std::error_code());
  EXPECT_EQ(header_value(server.requests().back(), "x-amz-checksum-crc32c"), "AAAAAA==");
  EXPECT_NE(header_value(server.requests().back(), "authorization").find("x-amz-checksum-crc32c"),
            std::string::npos)
      << "the checksum is not signed";
  EXPECT_EQ(write_object(100), std::error_code());
  EXPECT_EQ(header_value(server.requests().back(), "x-amz-checksum-crc32c"),
            checksum_of(std::string(100, 'x')));
  EXPECT_EQ(write_object(9 << 20), std::error_code());
  EXPECT_EQ(write_object(10, true), std::errc::operation_not_supported)
      << "the probe has a checksum, too";
}

TEST_F(requests, are_repeated_if_the_checksum_does_not_match_the_body) {
  for (const char* const code : {"BadDigest", "XAmzContentChecksumMismatch"}) {
    for (const int times : {1, 100}) {
      std::atomic<int> left = times;
      const scripted_server server([&](const std::string& head) {
        if (head.starts_with("PUT ") && left-- > 0)
          return scripted_server::make_response("400 Bad Request",
                                                xml_error(code, "The checksum did not match."));
        return store_response(head);
      });
      leat::remote::set_defaults(with_quick_retries(server.store_settings()));
      const std::error_code ec = write_object(100);
      EXPECT_EQ(static_cast<bool>(ec), times == 100) << ec.message();
      EXPECT_EQ(header_value(server.requests().back(), "x-amz-checksum-crc32c").empty(), false);
    }
  }
  // The store may return the checksum of the bytes that it received.
  for (const int times : {1, 100}) {
    std::atomic<int> left = times;
    const scripted_server server([&](const std::string& head) {
      return store_response(head, "text", left-- > 0 ? "x-amz-checksum-crc32c: AAAAAA==\r\n" : "");
    });
    leat::remote::set_defaults(with_quick_retries(server.store_settings()));
    const std::error_code ec = write_object(100);
    EXPECT_EQ(static_cast<bool>(ec), times == 100) << ec.message();
  }
}

/// Stores say in different ways that they do not know the header.
TEST_F(requests, omit_checksums_after_the_store_has_refused_them) {
  const response refusals[] = {
      scripted_server::make_response("501 Not Implemented",
                                     xml_error("NotImplemented", "A header is unknown")),
      scripted_server::make_response(
          "400 Bad Request",
          xml_error("InvalidArgument", "Unsupported header 'x-amz-checksum-crc32c'")),
  };
  for (const response& refusal : refusals) {
    const scripted_server server([&](const std::string& head) {
      return header_value_position(head, "x-amz-checksum-crc32c") != head.npos ||
                     header_value_position(head, "x-amz-checksum-algorithm") != head.npos
                 ? refusal
                 : store_response(head);
    });
    leat::remote::set_defaults(with_quick_retries(server.store_settings()));
    EXPECT_EQ(write_object(100), std::error_code());
    EXPECT_EQ(server.requests().size(), 2U);
    EXPECT_EQ(write_object(100), std::error_code());
    EXPECT_EQ(server.requests().size(), 3U) << "the refusal is remembered";
    EXPECT_EQ(write_object(9 << 20), std::error_code());
    EXPECT_EQ(server.requests().size(), 7U);
  }
}

TEST_F(requests, complete_parts_with_the_checksums_that_the_store_knows) {
  for (const bool knows : {false, true}) {
    for (const char* const whole : {"", "parts", "all", "AAAAAA==", "AAAAAA==-2"}) {
      const std::string first(8 << 20, 'x'), second(1 << 20, 'x');
      const std::vector<std::string> parts{checksum_of(first), checksum_of(second)};
      std::string checksum = whole;
      if (checksum == "parts") checksum = leat::remote::checksum_of_parts(parts);
      if (checksum == "all") checksum = checksum_of(first + second);
      const scripted_server server([&](const std::string& head) {
        if (head.starts_with("PUT "))
          return store_response(
              head, "",
              knows
                  ? "x-amz-checksum-crc32c: " + header_value(head, "x-amz-checksum-crc32c") + "\r\n"
                  : "");
        if (head.starts_with("POST ") && head.find("?uploadId=") != head.npos)
          return scripted_server::make_response(
              "200 OK", "<CompleteMultipartUploadResult><ChecksumCRC32C>" + checksum +
                            "</ChecksumCRC32C></CompleteMultipartUploadResult>");
        return store_response(head);
      });
      leat::remote::set_defaults(with_quick_retries(server.store_settings()));
      const std::error_code ec = write_object(9 << 20);
      const bool is_wrong = std::string_view(whole).starts_with("AAAA");
      EXPECT_EQ(static_cast<bool>(ec), is_wrong) << whole << ": " << ec.message();
      std::string complete;
      for (const std::string& head : server.requests())
        if (head.starts_with("POST ") && head.find("?uploadId=") != head.npos) complete = head;
      const std::string plain =
          "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
          "<ETag>\"00000000000000000000000000000000\"</ETag></Part><Part><PartNumber>2</PartNumber>"
          "<ETag>\"00000000000000000000000000000000\"</ETag></Part></CompleteMultipartUpload>";
      const std::size_t extra =
          2 * std::string_view("<ChecksumCRC32C>12345678</ChecksumCRC32C>").size();
      EXPECT_EQ(content_length(complete), plain.size() + (knows ? extra : 0U));
    }
  }
}

TEST_F(requests, for_objects_verify_the_checksum_of_the_received_bytes) {
  const std::string text = numbered_text(10'000);
  for (const auto& [name, right] :
       {std::pair("crc32c", checksum_of(text)), std::pair("crc32c", std::string("AAAAAA==-3"))}) {
    const scripted_server server([&](const std::string& head) {
      return store_response(head, text,
                            "x-amz-checksum-" + std::string(name) + ": " + right + "\r\n");
    });
    leat::remote::set_defaults(with_quick_retries(server.store_settings()));
    EXPECT_TRUE(leat::read_file("s3://bucket/key") == text);
    EXPECT_EQ(header_value(server.requests()[0], "x-amz-checksum-mode"), "ENABLED");
  }
  for (const int times : {1, 100}) {
    std::atomic<int> left = times;
    const scripted_server server([&](const std::string& head) {
      std::string damaged = text;
      if (left-- > 0) damaged[500] = static_cast<char>(damaged[500] ^ 1);
      return store_response(head, damaged, "x-amz-checksum-crc32c: " + checksum_of(text) + "\r\n");
    });
    leat::remote::set_defaults(with_quick_retries(server.store_settings()));
    std::error_code ec;
    const std::string got = leat::read_file("s3://bucket/key", ec);
    EXPECT_EQ(static_cast<bool>(ec), times == 100) << ec.message();
    EXPECT_TRUE(ec || got == text);
    EXPECT_LT(server.requests().size(), 5U);
  }
}

using objects_with_checksums = with_store;

/// A real store accepts the checksums, in one request and in parts.
TEST_F(objects_with_checksums, are_written_and_read) {
  for (const std::size_t size : std::vector<std::size_t>{0, 10, 9 << 20}) {
    const std::string text = numbered_text(size);
    auto out = leat::create("s3://bucket/summed");
    out.write(text);
    out.close();
    EXPECT_TRUE(leat::read_file("s3://bucket/summed") == text) << size;
  }
}

}  // namespace
