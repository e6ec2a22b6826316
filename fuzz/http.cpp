// HTTP responses: the parser parses or refuses any bytes, in pieces of any size.
#include "remote/http.hpp"

#include "fuzz.hpp"

namespace {

using namespace leat::remote;

/// The result of parsing a chunked body.
struct content {
  std::string text;
  std::string_view rest;  // after the body
  bool ended = false, is_wrong = false;
};

/// Parses a body that arrives in pieces of up to `piece` bytes.
content content_of(std::string_view body, std::size_t piece) {
  content got;
  chunked_body chunks;
  while (!body.empty() && !chunks.ended() && !chunks.is_wrong()) {
    std::string_view part = body.substr(0, piece);
    const std::size_t size = part.size();
    for (auto run = chunks.next(part); !run.empty(); run = chunks.next(part)) got.text += run;
    body.remove_prefix(size - part.size());
  }
  got.rest = body;
  got.ended = chunks.ended();
  got.is_wrong = chunks.is_wrong();
  return got;
}

/// Checks that a body in pieces has the same content as a body in one piece.
void check_body(std::string_view body, std::size_t piece) {
  const content all = content_of(body, body.size() + 1), parts = content_of(body, piece);
  fuzz::expect_equal(parts.text, all.text, "the content of a body in pieces");
  fuzz::expect_equal(parts.rest, all.rest, "the bytes after a body in pieces");
  fuzz::expect(parts.ended == all.ended && parts.is_wrong == all.is_wrong,
               "the end or the error of a body in pieces differs");
  fuzz::expect(all.text.size() <= body.size(), "more content than bytes of the body");
}

/// Checks that parse_head sets the exact size of a head, and valid values if the head is whole.
void check_head(std::string_view bytes) {
  reply parsed;
  std::size_t size = 0;
  const head_state state = parse_head(bytes, parsed, size);
  if (state == head_state::partial) return;
  fuzz::expect(size != 0 && size <= bytes.size(), "the size of a head is 0 or too large");
  // Without its last byte a head is incomplete, and bytes after the head have no influence.
  reply again;
  std::size_t other = 0;
  fuzz::expect(parse_head(bytes.substr(0, size - 1), again, other) == head_state::partial,
               "a head without its last byte is not partial");
  fuzz::expect(parse_head(bytes.substr(0, size), again, other) == state && other == size,
               "bytes after a head change the result");
  if (state == head_state::whole) {
    fuzz::expect(parsed.status >= 100 && parsed.status <= 999,
                 "a status does not have three digits");
    fuzz::expect(!parsed.chunked || parsed.length == -1, "a chunked reply has a length");
    fuzz::expect_equal(again.etag, parsed.etag, "the ETag of a head without later bytes");
  }
}

void drive(fuzz::input& in) {
  const std::size_t piece = 1 + in.below(40);
  if (in.flag()) {
    // A body as a server sends it, followed by other bytes.
    std::string body, sent;
    for (std::size_t chunks = in.below(5); chunks != 0; --chunks) {
      const std::string text = in.text(100);
      if (text.empty()) continue;
      body += fmt::format("{:x}{}\r\n{}\r\n", text.size(), in.flag() ? ";a=\"b\"" : "", text);
      sent += text;
    }
    body += in.flag() ? "0\r\nx: y\r\n\r\n" : "0\r\n\r\n";
    const std::string after = in.text(10);
    const std::string bytes = body + after;
    const content got = content_of(bytes, piece);
    fuzz::expect_equal(got.text, sent, "the content");
    fuzz::expect_equal(got.rest, after, "the bytes after the body");
    fuzz::expect(got.ended, "a complete body has not ended");
  }
  const std::string bytes = in.rest();
  check_head(bytes);
  check_body(bytes, piece);
}

const fuzz::driver self("http", drive);

}  // namespace
