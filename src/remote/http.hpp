// The heads and chunked bodies of HTTP/1.1 responses (RFC 9112) to all requests of src/remote. The
// parser is strict: ambiguous headers are an error, and the parser never guesses where a body ends.
// One ambiguity is no error: if a response has a length and chunks, the length is ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// Status and headers of a response, and its body if the body does not go to call::into.
struct reply {
  int status = 0;
  std::string reason;
  std::string content_type;
  std::string etag, modified, content_range, request_id, retry_after, date, region, location;
  std::vector<std::pair<std::string, std::string>> checksums;  ///< name ("crc32c"), base64
  std::int64_t length = -1;  ///< of the body; -1: not reported, or chunked
  bool chunked = false;      ///< the body is chunked
  bool keep_alive = false;   ///< the connection stays open after the body
  std::string body;          ///< XML, JSON, a token or an error page
};

enum class head_state { partial, whole, wrong };

/// Parses the head of a response, up to the empty line. `whole`: `size` is the number of bytes of
/// the head. `partial`: the empty line has not come yet; `into` and `size` are unchanged. `wrong`:
/// the head is not valid; `into` is incomplete. Throws std::bad_alloc.
head_state parse_head(std::string_view bytes, reply& into, std::size_t& size);

/// Decodes a chunked body that arrives in pieces of any size.
class chunked_body {
 public:
  /// Returns the next run of content, a view into `bytes`, and removes the parsed bytes from the
  /// front of `bytes`. Returns an empty view if more bytes are needed, or if the body has ended or
  /// is wrong.
  std::string_view next(std::string_view& bytes) noexcept;
  bool ended() const noexcept { return state_ == state::end; }
  bool is_wrong() const noexcept { return state_ == state::wrong; }

 private:
  enum class state { size, extension, content, line_end, trailer, trailer_line, end, wrong };

  void read_size(char c) noexcept;

  state state_ = state::size;
  std::uint64_t left_ = 0;  // bytes of the chunk that have not come yet
  unsigned digits_ = 0;     // digits of the chunk size
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
