// The version that a response belongs to: objects that change while they are read, on servers that
// send an ETag, a time, or neither. Also the requests that leat sends when it opens an object.
#include "remote/version.hpp"

#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "remote/scripted_server.hpp"
#include "support/files.hpp"

namespace {

using leat_test::header_value;
using leat_test::scripted_server;
using response = scripted_server::response;

constexpr const char* now = "Tue, 24 Nov 2026 10:00:00 GMT";
constexpr const char* long_ago = "Mon, 23 Nov 2026 10:00:00 GMT";
constexpr const char* a_second_later = "Mon, 23 Nov 2026 10:00:01 GMT";

/// The headers of a page's version, before and after the page changes.
struct version_headers {
  const char* name;
  std::string before, after;
};

/// A page that is served in ranges, or as a whole, and changes after `changes_after` requests.
struct changing_page {
  std::string first, second;
  version_headers sent;
  bool gives_ranges = true;
  std::size_t changes_after = 1;
  std::atomic<std::size_t> requests = 0;

  response operator()(const std::string& head) {
    const bool changed = requests++ >= changes_after;
    const std::string& page = changed ? second : first;
    const std::string headers =
        "Date: " + std::string(now) + "\r\n" + (changed ? sent.after : sent.before);
    const std::string range = header_value(head, "range");
    std::string text;
    if (gives_ranges && !range.empty()) {
      char* rest = nullptr;
      const std::size_t begin = std::strtoull(range.c_str() + 6, &rest, 10);
      const std::size_t end =
          std::min<std::size_t>(std::strtoull(rest + 1, nullptr, 10) + 1, page.size());
      if (begin >= page.size())
        return {
            "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\nContent-Range: bytes */" +
            std::to_string(page.size()) + "\r\n" + headers + "\r\n"};
      text = "HTTP/1.1 206 Partial Content\r\nContent-Length: " + std::to_string(end - begin) +
             "\r\nContent-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) +
             "/" + std::to_string(page.size()) + "\r\n" + headers + "\r\n" +
             page.substr(begin, end - begin);
    } else {
      text = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(page.size()) + "\r\n" +
             headers + "\r\n" + page;
    }
    return {text};
  }
};

const version_headers all_version_headers[] = {
    {"an ETag", "ETag: \"a\"\r\n", "ETag: \"b\"\r\n"},
    {"an ETag that disappears", "ETag: \"a\"\r\n", ""},
    {"a weak ETag", "ETag: W/\"a\"\r\n", "ETag: W/\"b\"\r\n"},
    {"a weak ETag that stays", "ETag: W/\"a\"\r\n", "ETag: W/\"a\"\r\n"},
    {"a time", std::string("Last-Modified: ") + long_ago + "\r\n",
     std::string("Last-Modified: ") + a_second_later + "\r\n"},
    {"a time that disappears", std::string("Last-Modified: ") + long_ago + "\r\n", ""},
    {"a time that is too new to be a version", std::string("Last-Modified: ") + now + "\r\n",
     std::string("Last-Modified: ") + now + "\r\n"},
    {"an invalid time", "Last-Modified: yesterday\r\n", "Last-Modified: yesterday\r\n"},
    {"a weak ETag and a time", std::string("ETag: W/\"a\"\r\nLast-Modified: ") + long_ago + "\r\n",
     std::string("ETag: W/\"a\"\r\nLast-Modified: ") + a_second_later + "\r\n"},
    {"nothing", "", ""},
};

leat::remote::settings settings_with_one_retry() {
  leat::remote::settings settings;
  settings.retries = 1;
  settings.first_pause = std::chrono::milliseconds(1);
  settings.deadline = std::chrono::seconds(5);
  return settings;
}

class versions : public testing::Test {
 protected:
  void SetUp() override { leat::remote::set_defaults(settings_with_one_retry()); }
  void TearDown() override { leat::remote::set_defaults({}); }
};

bool is_one_of(const std::string& got, const changing_page& page) {
  return got == page.first || got == page.second;
}

TEST_F(versions, of_pages_are_never_mixed) {
  for (const bool in_store : {false, true}) {
    for (const bool gives_ranges : {true, false}) {
      for (const version_headers& sent : all_version_headers) {
        for (const std::size_t after : {1U, 2U, 3U}) {
          changing_page page{std::string(700'000, 'a'), std::string(700'000, 'b'), sent,
                             gives_ranges, after};
          const scripted_server server([&](const std::string& head) { return page(head); });
          auto settings = in_store ? server.store_settings() : settings_with_one_retry();
          settings.retries = 1;
          settings.first_pause = std::chrono::milliseconds(1);
          leat::remote::set_defaults(settings);
          SCOPED_TRACE(testing::Message()
                       << sent.name << (in_store ? " of a store" : "")
                       << (gives_ranges ? " by ranges" : "") << ", after " << after);
          const std::string address = in_store ? "s3://bucket/key" : server.address() + "/page";
          std::error_code ec;
          auto in = leat::open(address, ec);
          std::string got;
          if (!ec) got = in.read_all(ec);
          EXPECT_TRUE(ec || is_one_of(got, page));
          EXPECT_TRUE(got.find('a') == got.npos || got.find('b') == got.npos)
              << "the bytes of both versions are mixed";
          page.requests = 0;
          const auto file = leat::file::open(address, leat::mode::read, {}, ec);
          if (ec) continue;
          std::string start(10, '-'), end(10, '-');
          file.read_at(699'990, std::span(end), ec);
          if (!ec) file.read_at(0, std::span(start), ec);
          EXPECT_TRUE(ec || start == end) << start << " and " << end;
        }
      }
    }
  }
}

/// Without a change each page is read whole, by GET requests only. Exception: a store that sends
/// neither ranges, nor an ETag, nor a Last-Modified is refused.
TEST_F(versions, pages_that_do_not_change_are_read_whole) {
  const std::string text = leat_test::numbered_text(700'000);
  for (const bool in_store : {false, true}) {
    for (const bool gives_ranges : {true, false}) {
      for (version_headers sent : all_version_headers) {
        sent.after = sent.before;
        changing_page page{text, text, sent, gives_ranges};
        const scripted_server server([&](const std::string& head) { return page(head); });
        leat::remote::set_defaults(in_store ? server.store_settings() : settings_with_one_retry());
        const std::string address = in_store ? "s3://bucket/key" : server.address() + "/page";
        SCOPED_TRACE(testing::Message() << sent.name << (in_store ? " of a store" : "")
                                        << (gives_ranges ? " by ranges" : ""));
        std::error_code ec;
        auto in = leat::open(address, ec);
        if (in_store && !gives_ranges && sent.before.empty()) {
          EXPECT_NE(ec.message().find("not from a store"), std::string::npos) << ec.message();
          continue;
        }
        ASSERT_FALSE(ec) << ec.message();
        EXPECT_TRUE(in.read_all(ec) == text);
        EXPECT_FALSE(ec) << ec.message();
        const auto file = leat::file::open(address, leat::mode::read, {}, ec);
        ASSERT_FALSE(ec) << ec.message();
        EXPECT_EQ(file.size(), text.size());
        std::string some(1000, '-');
        file.read_at(500'000, std::span(some));
        EXPECT_EQ(some, text.substr(500'000, 1000));
        for (const std::string& head : server.requests()) EXPECT_TRUE(head.starts_with("GET "));
      }
    }
  }
}

TEST_F(versions, are_requested_by_if_match_or_if_unmodified_since) {
  const std::string text = leat_test::numbered_text(1'000'000);
  for (const version_headers& sent : all_version_headers) {
    changing_page page{text, text, {sent.name, sent.before, sent.before}};
    const scripted_server server([&](const std::string& head) { return page(head); });
    EXPECT_TRUE(leat::read_file(server.address() + "/page") == text) << sent.name;
    const bool has_tag = sent.before.starts_with("ETag: \"");
    const bool has_time = sent.before.find(long_ago) != std::string::npos;
    const auto requests = server.requests();
    if (!has_tag && !has_time) {
      ASSERT_EQ(requests.size(), 2U) << sent.name << ": the page must be requested as a whole";
      EXPECT_EQ(header_value(requests[1], "range"), "");
    }
    for (std::size_t i = 1; i != requests.size(); ++i) {
      EXPECT_EQ(header_value(requests[i], "if-match"), has_tag ? "\"a\"" : "") << sent.name;
      EXPECT_EQ(header_value(requests[i], "if-unmodified-since"), has_time ? long_ago : "")
          << sent.name;
    }
  }
}

/// A server that respects If-Unmodified-Since answers 412.
TEST_F(versions, a_change_that_the_server_finds_is_an_error) {
  const scripted_server server([](const std::string& head) {
    const std::string headers =
        "Date: " + std::string(now) + "\r\nLast-Modified: " + long_ago + "\r\n";
    if (!header_value(head, "if-unmodified-since").empty())
      return scripted_server::make_response("412 Precondition Failed", "", headers);
    return scripted_server::make_response("206 Partial Content", std::string(256 << 10, 'x'),
                                          headers + "Content-Range: bytes 0-262143/3000000\r\n");
  });
  std::error_code ec;
  auto in = leat::open(server.address() + "/page", ec);
  ASSERT_FALSE(ec) << ec.message();
  static_cast<void>(in.read_all(ec));
  EXPECT_EQ(ec, std::errc::state_not_recoverable);
  EXPECT_TRUE(leat::remote::answer_of(ec).changed);
}

TEST_F(versions, a_cut_response_is_requested_from_its_start_if_the_version_is_unknown) {
  const std::string first(400'000, 'a'), second(400'000, 'b');
  std::atomic<int> requests = 0;
  const scripted_server server([&](const std::string&) {
    const int n = requests++;
    const std::string& page = n < 2 ? first : second;
    return response{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" +
                             page.substr(0, n == 1 ? 300'000 : page.size()),
                    .closes = true};
  });
  std::error_code ec;
  auto in = leat::open(server.address() + "/page", ec);
  ASSERT_FALSE(ec) << ec.message();
  EXPECT_TRUE(in.read_all(ec) == second);
  EXPECT_FALSE(ec) << ec.message();
}

TEST_F(versions, a_large_page_without_a_version_is_an_error) {
  const scripted_server server([&](const std::string&) {
    return scripted_server::make_response("206 Partial Content", std::string(256 << 10, 'x'),
                                          "Content-Range: bytes 0-262143/70000000\r\n");
  });
  std::error_code ec;
  static_cast<void>(leat::open(server.address() + "/page", ec));
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_NE(ec.message().find("ETag"), std::string::npos) << ec.message();
}

TEST_F(versions, in_headers_with_carriage_returns_are_refused) {
  const scripted_server server([](const std::string&) {
    return response{.bytes = "HTTP/1.1 200 OK\r\nETag: \"a\rX: b\"\r\nContent-Length: 1\r\n\r\nx",
                    .closes = true};
  });
  std::error_code ec;
  static_cast<void>(leat::open(server.address() + "/page", ec));
  EXPECT_TRUE(ec) << "the ETag would be sent back with its carriage return";
}

// --- opening ---

/// Answers HEAD with this status, and GET with the page. Presigned addresses refuse HEAD, and some
/// servers do not know HEAD.
response refuse_head(const std::string& head, const std::string& status, const std::string& page) {
  if (head.starts_with("HEAD ")) return scripted_server::make_response(status, "");
  changing_page same{page, page, {"", "ETag: \"a\"\r\n", "ETag: \"a\"\r\n"}};
  return same(head);
}

TEST_F(versions, are_found_if_the_server_refuses_head) {
  const std::string text = leat_test::numbered_text(40'000);
  for (const char* const status :
       {"403 Forbidden", "405 Method Not Allowed", "501 Not Implemented"}) {
    for (const std::string& page : {std::string(), std::string("12345678"), text}) {
      const scripted_server server(
          [&](const std::string& head) { return refuse_head(head, status, page); });
      auto settings = server.store_settings();
      settings.keeps_conditions = true;
      leat::remote::set_defaults(settings);
      for (const std::string& address :
           {server.address() + "/page?signed=yes", std::string("s3://bucket/key")}) {
        SCOPED_TRACE(testing::Message()
                     << status << ", " << page.size() << " bytes of " << address);
        EXPECT_TRUE(leat::read_file(address) == page);
        EXPECT_EQ(leat::file::open(address).size(), page.size());
        EXPECT_EQ(leat::records<std::uint64_t>::open(address).size(), page.size() / 8);
        EXPECT_TRUE(leat::map_file(address).view() == page);
        leat_file* const f = leat_open(address.c_str(), "r", nullptr);
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(leat_fgetc(f), page.empty() ? EOF : static_cast<unsigned char>(page[0]));
        leat_fclose(f);
      }
      std::error_code ec;
      static_cast<void>(leat::create("s3://bucket/key", {.exclusive = true}, ec));
      EXPECT_EQ(ec, std::errc::file_exists) << ec.message();
    }
  }
}

/// For an empty page, some servers answer 416 without a size, and other servers answer 200.
TEST_F(versions, an_empty_page_is_read_as_empty) {
  for (const char* const status :
       {"416 Range Not Satisfiable\r\nContent-Range: bytes */0", "416 Range Not Satisfiable",
        "200 OK", "200 OK\r\nETag: \"e\""}) {
    const scripted_server server([&](const std::string& head) {
      const bool has_range = !header_value(head, "range").empty();
      return response{"HTTP/1.1 " + std::string(has_range ? status : "200 OK\r\nETag: \"e\"") +
                      "\r\nContent-Length: 0\r\n\r\n"};
    });
    EXPECT_EQ(leat::read_file(server.address() + "/page"), "") << status;
    EXPECT_EQ(leat::file::open(server.address() + "/page").size(), 0U) << status;
    EXPECT_EQ(leat::records<int>::open(server.address() + "/page").size(), 0U) << status;
  }
}

/// The server refuses the first byte, although the page is not empty.
TEST_F(versions, a_page_whose_ranges_are_refused_is_read_as_a_whole_up_to_64_mib) {
  for (const bool is_long : {false, true}) {
    const std::string page(is_long ? (64 << 20) + 1 : 1000, 'x');
    const scripted_server server([&](const std::string& head) {
      if (!header_value(head, "range").empty())
        return scripted_server::make_response("416 Range Not Satisfiable", "");
      return scripted_server::make_response("200 OK", page, "ETag: \"e\"\r\n");
    });
    std::error_code ec;
    leat::file_reader in = leat::open(server.address() + "/page", ec);
    EXPECT_EQ(ec, is_long ? std::errc::operation_not_supported : std::errc{}) << ec.message();
    if (is_long)
      EXPECT_EQ(ec.message().find("ETag"), std::string::npos) << ec.message();
    else
      EXPECT_TRUE(in.read_all() == page);
  }
}

TEST(version, is_known_only_if_it_differs_after_each_change) {
  using leat::remote::reply;
  const auto is_known = [](const std::string& etag, const std::string& modified,
                           const std::string& date) {
    reply headers;
    headers.etag = etag;
    headers.modified = modified;
    headers.date = date;
    const auto page_version = leat::remote::version_of(headers);
    EXPECT_EQ(compare(page_version, headers), leat::remote::match::yes);
    return page_version.is_known();
  };
  EXPECT_TRUE(is_known("\"a\"", "", ""));
  EXPECT_FALSE(is_known("W/\"a\"", "", ""));
  EXPECT_FALSE(is_known("", long_ago, a_second_later)) << "one second of age is not enough";
  EXPECT_TRUE(is_known("", long_ago, "Mon, 23 Nov 2026 10:00:02 GMT"));
  EXPECT_TRUE(is_known("W/\"a\"", long_ago, now));
  EXPECT_FALSE(is_known("", now, long_ago)) << "the time is later than the response";
  EXPECT_TRUE(is_known("", "Mon, 23 Nov 1998 10:00:00 GMT", ""))
      << "without a Date, the age is taken from the client's clock";
  EXPECT_FALSE(is_known("", "", now));
  EXPECT_FALSE(is_known("", "never", now));
}

}  // namespace
