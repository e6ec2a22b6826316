// The parsers of HTTP's responses: heads, and bodies in chunks.
#include "remote/http.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace leat::remote;

head_state parsed_head(std::string_view text, reply& response) {
  std::size_t size = 0;
  const head_state state = parse_head(text, response, size);
  if (state == head_state::whole) {
    EXPECT_EQ(size, text.size());
  }
  return state;
}

TEST(http_head, header_names_are_matched_in_any_case) {
  reply response;
  ASSERT_EQ(parsed_head("HTTP/1.1 206 Partial Content\r\n"
                        "content-LENGTH:  100 \r\n"
                        "ETag: \"abc\"\r\n"
                        "Content-Range: bytes 0-99/1000\r\n"
                        "X-Amz-Request-Id: 7\r\n"
                        "X-Other: a: b\r\n"
                        "\r\n",
                        response),
            head_state::whole);
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(response.length, 100);
  EXPECT_EQ(response.etag, "\"abc\"");
  EXPECT_EQ(response.content_range, "bytes 0-99/1000");
  EXPECT_EQ(response.request_id, "7");
  EXPECT_TRUE(response.keep_alive);
  EXPECT_FALSE(response.chunked);
}

TEST(http_head, is_whole_at_its_empty_line) {
  const std::string head = "HTTP/1.0 200\nDate: now\n\n", all = head + "body\n\n";
  reply response;
  std::size_t size = 0;
  for (std::size_t n = 0; n != head.size(); ++n)
    EXPECT_EQ(parse_head(all.substr(0, n), response, size), head_state::partial) << n;
  EXPECT_EQ(parse_head(all, response, size), head_state::whole);
  EXPECT_EQ(size, head.size());
  EXPECT_EQ(response.date, "now");
}

TEST(http_head, says_whether_the_connection_stays_open) {
  const auto keeps = [](std::string_view version, std::string_view header) {
    reply response;
    EXPECT_EQ(
        parsed_head("HTTP/" + std::string(version) + " 200 OK\r\n" + std::string(header) + "\r\n",
                    response),
        head_state::whole);
    return response.keep_alive;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: x, close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "connection: Keep-Alive\r\n"));
}

TEST(http_head, that_is_malformed_is_refused) {
  for (const std::string_view line :
       {"HTTP/2 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000", "HTTP/1.1  200", "http/1.1 200 OK",
        "HTTP/1.1 200 OK\r\nno header", "HTTP/1.1 200 OK\r\n folded: x",
        "HTTP/1.1 200 OK\r\nContent-Length : 1", "HTTP/1.1 200 OK\r\n: x",
        "HTTP/1.1 200 OK\r\nContent-Length: -1", "HTTP/1.1 200 OK\r\nContent-Length: 1x",
        "HTTP/1.1 200 OK\r\nContent-Length:", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"}) {
    reply response;
    EXPECT_EQ(parsed_head(std::string(line) + "\r\n\r\n", response), head_state::wrong) << line;
  }
  reply response;
  EXPECT_EQ(parsed_head(std::string_view("HTTP/1.1 200 OK\r\na: \0\r\n\r\n", 25), response),
            head_state::wrong);
}

TEST(http_head, with_chunks_and_a_length_is_read_as_chunks_and_closes_the_connection) {
  reply response;
  ASSERT_EQ(
      parsed_head("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                  response),
      head_state::whole);
  EXPECT_TRUE(response.chunked);
  EXPECT_EQ(response.length, -1);
  EXPECT_FALSE(response.keep_alive);
  EXPECT_EQ(
      parsed_head("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", response),
      head_state::whole);
  EXPECT_EQ(response.length, 3);
}

/// Parses a body that arrives in pieces of `piece` bytes. Returns the body's content. Sets `rest`
/// to the bytes after the body's end.
std::string content_of(std::string_view body, std::size_t piece, chunked_body& chunks,
                       std::string_view& rest) {
  std::string text;
  while (!body.empty() && !chunks.ended() && !chunks.is_wrong()) {
    std::string_view part = body.substr(0, piece);
    const std::size_t size = part.size();
    for (auto run = chunks.next(part); !run.empty(); run = chunks.next(part)) text += run;
    body.remove_prefix(size - part.size());
  }
  rest = body;
  return text;
}

TEST(chunked_body, is_decoded_from_pieces_of_any_size) {
  const std::string_view body =
      "5\r\nhello\r\nB;name=\"value\"\r\n, my world!\r\n000\r\nTrailer: x\r\n\r\nHTTP";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    chunked_body chunks;
    std::string_view rest;
    EXPECT_EQ(content_of(body, piece, chunks, rest), "hello, my world!") << piece;
    EXPECT_TRUE(chunks.ended());
    EXPECT_EQ(rest, "HTTP");
  }
}

TEST(chunked_body, that_is_malformed_is_refused) {
  for (const std::string_view body :
       {"x\r\n", "\r\n", "-1\r\n", "5\r\nhelloX", "5x\r\nhello", "ffffffffffffffff\r\n", ";\r\n"}) {
    chunked_body chunks;
    std::string_view rest;
    content_of(body, body.size(), chunks, rest);
    EXPECT_TRUE(chunks.is_wrong()) << body;
  }
}

}  // namespace
