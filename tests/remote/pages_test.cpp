// Web pages, which are not objects of a store: with and without ranges and lengths, whole and cut,
// with redirections, and from servers that behave unusually.
#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/certificate.hpp"
#include "remote/nginx.hpp"
#include "remote/scripted_server.hpp"
#include "support/files.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::nginx;
using leat_test::scripted_server;
using response = scripted_server::response;

leat::remote::settings quick_settings() {
  leat::remote::settings settings;
  settings.retries = 2;
  settings.first_pause = 1ms;
  settings.deadline = 5s;
  return settings;
}

class pages : public testing::Test {
 protected:
  void SetUp() override { leat::remote::set_defaults(quick_settings()); }
  void TearDown() override { leat::remote::set_defaults({}); }
};

/// Expects that opening or reading fails within 10 s. Returns the error.
std::error_code error_of_reading(const std::string& address) {
  std::error_code ec;
  const auto begin = std::chrono::steady_clock::now();
  leat::file_reader in = leat::open(address, ec);
  if (!ec) static_cast<void>(in.read_all(ec));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_TRUE(ec) << address;
  EXPECT_FALSE(ec.message().empty());
  return ec;
}

// --- bodies

struct range {
  std::size_t first = 0, end = 0;
};
/// The range that a request asks for, within `size` bytes. Without a Range header, the range has
/// all bytes.
range range_of(const std::string& head, std::size_t size) {
  const std::string requested = leat_test::header_value(head, "range");
  if (!requested.starts_with("bytes=")) return {.first = 0, .end = size};
  char* rest = nullptr;
  const std::size_t first = std::strtoull(requested.c_str() + 6, &rest, 10);
  return {.first = first,
          .end = std::min<std::size_t>(std::strtoull(rest + 1, nullptr, 10) + 1, size)};
}

std::string in_chunks(std::string_view body, bool ends = true) {
  std::string text;
  for (std::size_t i = 0; !body.empty(); ++i) {
    const std::string_view piece = body.substr(0, i % 3 == 0 ? 171 : 70'000);
    char size[32];
    std::snprintf(size, sizeof size, i % 2 == 0 ? "%zx\r\n" : "%06zX;name=\"value\"\r\n",
                  piece.size());
    text += size + std::string(piece) + "\r\n";
    body.remove_prefix(piece.size());
  }
  return ends ? text + "0\r\nX-After: all\r\n\r\n" : text;
}

/// A server's way to send a page.
struct page_sender {
  const char* name;
  std::function<response(const std::string& head, const std::string& page)> send;
};

response send_range(const std::string& head, const std::string& page, bool chunked) {
  const range requested = range_of(head, page.size());
  if (leat_test::header_value(head, "range").empty())
    return {.bytes = "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: " +
                     std::to_string(page.size()) + "\r\n\r\n" + page};
  if (requested.first >= page.size())
    return {.bytes = "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n"};
  const std::string body = page.substr(requested.first, requested.end - requested.first);
  return {.bytes =
              "HTTP/1.1 206 Partial Content\r\nETag: \"one\"\r\nContent-Range: bytes " +
              std::to_string(requested.first) + "-" + std::to_string(requested.end - 1) + "/" +
              std::to_string(page.size()) + "\r\n" +
              (chunked ? "Transfer-Encoding: chunked\r\n\r\n" + in_chunks(body)
                       : "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)};
}

const page_sender page_senders[] = {
    {"ranges", [](const auto& head, const auto& page) { return send_range(head, page, false); }},
    {"ranges in chunks",
     [](const auto& head, const auto& page) { return send_range(head, page, true); }},
    {"the whole page",
     [](const auto&, const auto& page) {
       return response{"HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(page.size()) +
                       "\r\n\r\n" + page};
     }},
    {"the whole page, with unusual but valid headers",
     [](const auto&, const auto& page) {
       return response{
           "HTTP/1.1 100 Continue\r\n\r\n"
           "HTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\nETag: \"hint\"\r\n\r\n"
           "HTTP/1.1 200\r\nX-Empty:\r\nCONTENT-LENGTH:\t " +
           std::to_string(page.size()) + " \t\r\neTaG:\"x\"\r\n\r\n" + page};
     }},
    {"the whole page in chunks",
     [](const auto&, const auto& page) {
       return response{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + in_chunks(page)};
     }},
    {"up to the connection's end",
     [](const auto&, const auto& page) {
       return response{.bytes = "HTTP/1.1 200 OK\r\n\r\n" + page, .closes = true};
     }},
    {"HTTP/1.0",
     [](const auto&, const auto& page) {
       return response{.bytes = "HTTP/1.0 200 OK\r\nContent-Length: " +
                                std::to_string(page.size()) + "\r\n\r\n" + page,
                       .closes = true};
     }},
};

TEST_F(pages, are_read_from_each_kind_of_response) {
  for (const page_sender& one : page_senders) {
    for (const std::size_t size : std::vector<std::size_t>{0, 1, 300, 256 << 10, 400'000}) {
      const std::string page = leat_test::numbered_text(size);
      // Short pages are sent byte by byte: packets may split a response anywhere.
      const scripted_server server([&](const std::string& head) {
        response answer = one.send(head, page);
        if (head.starts_with("HEAD ")) answer.bytes.erase(answer.bytes.find("\r\n\r\n") + 4);
        answer.piece = size <= 300 ? 1 : 0;
        return answer;
      });
      SCOPED_TRACE(testing::Message() << one.name << ", " << size << " bytes");
      std::error_code ec;
      leat::file_reader in = leat::open(server.address() + "/page", ec);
      ASSERT_FALSE(ec) << ec.message();
      const std::string got = in.read_all(ec);
      EXPECT_FALSE(ec) << ec.message();
      EXPECT_EQ(got.size(), size);
      EXPECT_TRUE(got == page);
      for (const std::string& head : server.requests())
        EXPECT_EQ(leat_test::header_value(head, "accept-encoding"), "")
            << "leat must not ask for compressed bytes";
      EXPECT_LT(server.requests().size(), 8U);
    }
  }
}

TEST_F(pages, that_are_truncated_are_errors) {
  const std::string page = leat_test::numbered_text(100'000);
  const page_sender cut[] = {
      {"half of the announced length",
       [](const auto&, const auto& text) {
         return response{
             .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + text.substr(0, 50'000),
             .closes = true};
       }},
      {"chunks without an end",
       [](const auto&, const auto& text) {
         return response{.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                  in_chunks(text.substr(0, 50'000), false),
                         .closes = true};
       }},
      {"half a chunk",
       [](const auto&, const auto& text) {
         return response{.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nC350\r\n" +
                                  text.substr(0, 40'000),
                         .closes = true};
       }},
      {"a chunk that has no size",
       [](const auto&, const auto& text) {
         return response{.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n" +
                                  text.substr(0, 40'000),
                         .closes = true};
       }},
      {"half a head", [](const auto&, const auto&) {
         return response{.bytes = "HTTP/1.1 200 OK\r\nContent-Le", .closes = true};
       }}};
  for (const page_sender& one : cut) {
    SCOPED_TRACE(one.name);
    const scripted_server server([&](const std::string& head) { return one.send(head, page); });
    error_of_reading(server.address() + "/page");
  }
}

/// If a message has Content-Length and Transfer-Encoding, a proxy may use one of these headers, and
/// the server may use the other header. Attackers use this difference: request smuggling.
TEST_F(pages, with_two_lengths_are_complete_or_an_error) {
  const std::string page = leat_test::numbered_text(300'000);
  for (const char* const length : {"3", "300000", "400000"}) {
    const scripted_server server([&](const std::string&) {
      return response{.bytes = std::string("HTTP/1.1 200 OK\r\nContent-Length: ") + length +
                               "\r\ntransfer-encoding: Chunked\r\n\r\n" + in_chunks(page),
                      .closes = true};
    });
    std::error_code ec;
    leat::file_reader in = leat::open(server.address() + "/page", ec);
    if (!ec) {
      const std::string got = in.read_all(ec);
      EXPECT_TRUE(ec || got == page) << length << ": " << got.size() << " bytes";
    }
  }
}

TEST_F(pages, may_have_schemes_in_capitals) {
  const std::string page = leat_test::numbered_text(1000);
  const scripted_server source(
      [&](const std::string& head) { return send_range(head, page, false); });
  const std::string rest = source.address().substr(4);
  for (const char* const scheme : {"HTTP", "Http"}) {
    EXPECT_TRUE(leat::read_file(scheme + rest + "/page") == page);
    EXPECT_EQ(leat::file::open(scheme + rest + "/page").size(), page.size());
    leat_file* const f = leat_open((scheme + rest + "/page").c_str(), "r", nullptr);
    ASSERT_NE(f, nullptr);
    leat_fclose(f);
    // A store's endpoint and a redirection's target may have schemes in capitals, too.
    auto settings = source.store_settings();
    settings.endpoint = scheme + rest;
    leat::remote::set_defaults(settings);
    EXPECT_TRUE(leat::read_file("S3://bucket/key") == page);
    const scripted_server moved([&](const std::string&) {
      return response{"HTTP/1.1 302 Found\r\nLocation: " + (scheme + rest) +
                      "/page\r\nContent-Length: 0\r\n\r\n"};
    });
    EXPECT_TRUE(leat::read_file(moved.address() + "/x") == page);
  }
}

TEST_F(pages, that_do_not_exist_are_errors) {
  const scripted_server server([](const std::string&) {
    return response{"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n<html"};
  });
  const auto ec = error_of_reading(server.address() + "/page");
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::remote::answer_of(ec).status, 404);
  EXPECT_EQ(server.requests().size(), 1U);
}

// --- nginx

class pages_of_nginx : public pages {
 protected:
  void SetUp() override {
    if (!nginx::is_installed()) GTEST_SKIP() << "nginx is missing: run scripts/setup test";
    pages::SetUp();
  }
};

TEST_F(pages_of_nginx, are_read_and_their_records_gathered_by_ranges) {
  const nginx server(
      "gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;\n"
      "server { listen ADDRESS; root PAGES; }\n");
  std::vector<std::uint32_t> numbers(2 << 20);
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4);
  leat_test::write_file(server.page_path("numbers"), bytes);
  leat_test::write_file(server.page_path("empty"), "");
  const std::string address = "http://" + server.address();
  EXPECT_TRUE(leat::read_file(address + "/numbers?a=b&c") == bytes);
  EXPECT_EQ(leat::read_file(address + "/empty"), "");
  const auto file = leat::records<std::uint32_t>::open(address + "/numbers");
  const std::vector<std::uint32_t> positions{5, 2'000'000, 1'000'000, 5};
  EXPECT_EQ(file.gather(positions), positions);
  EXPECT_GT(server.responses(206), 1U);
}

TEST_F(pages_of_nginx, are_read_without_ranges_and_lengths) {
  const nginx server(
      "server { listen ADDRESS; root PAGES; sub_filter_types *; max_ranges 0;\n"
      "location /whole { try_files /page =404; }\n"
      "location /chunks { try_files /page =404; sub_filter 'not in it' ''; }\n"
      "location /open { try_files /page =404; sub_filter 'not in it' ''; "
      "chunked_transfer_encoding off; } }\n");
  const std::string page = leat_test::numbered_text(1 << 20);
  leat_test::write_file(server.page_path("page"), page);
  for (const char* const path : {"/whole", "/chunks", "/open"}) {
    std::error_code ec;
    leat::file_reader in = leat::open("http://" + server.address() + path, ec);
    ASSERT_FALSE(ec) << path << ": " << ec.message();
    EXPECT_TRUE(in.read_all(ec) == page) << path;
    EXPECT_FALSE(ec) << path << ": " << ec.message();
  }
  EXPECT_EQ(server.responses(206), 0U);
}

// --- redirections

/// Answers "/to?ADDRESS" with a redirection to ADDRESS, and other requests with a page.
response redirect(const std::string& head, const std::string& page,
                  const char* status = "302 Found") {
  const std::string path = head.substr(4, head.find(" HTTP/") - 4);
  if (!path.starts_with("/to?")) return send_range(head, page, false);
  return {.bytes = "HTTP/1.1 " + std::string(status) + "\r\nLocation: " + path.substr(4) +
                   "\r\nContent-Length: 4\r\n\r\nmove"};
}

TEST_F(pages, are_read_through_redirections) {
  const std::string page = leat_test::numbered_text(600'000);
  std::atomic<const char*> status = "302 Found";
  const scripted_server target([&](const std::string& head) { return redirect(head, page); });
  const scripted_server source(
      [&](const std::string& head) { return redirect(head, page, status); });
  const std::string other = target.address() + "/page", scheme_less = other.substr(5);
  for (const std::string& to :
       std::vector<std::string>{"/page", "page", "./x/../page", "../page", "?page", "/to?/page",
                                scheme_less, other, target.address() + "/to?/page"}) {
    EXPECT_TRUE(leat::read_file(source.address() + "/to?" + to) == page) << to;
  }
  EXPECT_FALSE(target.requests().empty());
  for (const char* const each : {"301 Moved", "303 See Other", "307 Temporary", "308 Permanent"}) {
    status = each;
    EXPECT_TRUE(leat::read_file(source.address() + "/to?/page") == page) << each;
  }
}

void expect_bad_redirection(const std::string& address) {
  const std::string message = error_of_reading(address).message();
  EXPECT_NE(message.find("redirect"), std::string::npos) << address << ": " << message;
}

TEST_F(pages, with_bad_redirections_are_errors) {
  const scripted_server source([](const std::string& head) {
    if (head.starts_with("GET /loop"))
      return response{"HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n"};
    return redirect(head, "page");
  });
  expect_bad_redirection(source.address() + "/loop");
  EXPECT_LT(source.requests().size(), 20U) << "leat follows too many redirections";
  const leat_test::temporary_folder folder;
  leat_test::write_file(folder / "secret", "secret");
  for (const std::string& to :
       {"file://" + (folder / "secret"), std::string("ftp://127.0.0.1/x"), std::string("s3://b/k"),
        std::string("gopher://127.0.0.1/x"), std::string("http://"), std::string("http://[::1")})
    expect_bad_redirection(source.address() + "/to?" + to);
}

TEST_F(pages_of_nginx, are_not_redirected_from_https_to_http) {
  const scripted_server target(
      [](const std::string& head) { return send_range(head, "page", false); });
  const leat_test::temporary_folder folder;
  leat_test::write_certificate(folder / "it", {});
  const std::string tls = "server { listen ADDRESS ssl; ssl_certificate " + (folder / "it.pem") +
                          "; ssl_certificate_key " + (folder / "it.key") + "; root PAGES;\n";
  const nginx server(tls + "location /down { return 302 " + target.address() + "/page; }\n" +
                     "location /same { return 302 https://$http_host/page; } }\n");
  leat_test::write_file(server.page_path("page"), "protected");
  auto settings = quick_settings();
  settings.ca_file = folder / "it.pem";
  leat::remote::set_defaults(settings);
  EXPECT_EQ(leat::read_file("https://" + server.address() + "/same"), "protected");
  expect_bad_redirection("https://" + server.address() + "/down");
  EXPECT_TRUE(target.requests().empty());
  // A redirection from http to https is followed.
  const nginx open("server { listen ADDRESS; location / { return 301 https://" + server.address() +
                   "/page; } }\n");
  EXPECT_EQ(leat::read_file("http://" + open.address() + "/x"), "protected");
}

}  // namespace
