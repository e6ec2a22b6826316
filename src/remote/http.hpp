// The answers of servers, as HTTP/1.1 frames them (RFC 9112). Only what a client of ranges needs,
// and strict: what is not understood is an error, never a guess about where a body ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// What a server says before and beside the bytes.
struct reply {
  int status = 0;
  std::string reason;  ///< The reason phrase.
  std::string content_type;
  std::string etag, modified, content_range, request_id, retry_after, date, region, location;
  std::vector<std::pair<std::string, std::string>> checksums;  ///< of stores: "crc32c", base64
  bool sums_parts = false;   ///< an upload whose parts have a CRC-32C
  std::int64_t length = -1;  ///< of the body, if it is told
  bool chunked = false;      ///< the body comes in chunks that tell their sizes
  bool keeps = false;        ///< the connection stays open after the body
  std::string body;          ///< of everything but ranges: XML, or a page that says what is wrong
};

enum class head_state { partial, whole, wrong };

/// Reads the head of an answer, up to the empty line. `size` becomes the number of its bytes.
head_state parse_head(std::string_view bytes, reply& into, std::size_t& size);

/// Takes the content out of a chunked body, of which pieces of any size come.
class chunked_body {
 public:
  /// The next run of content, which lies in `bytes`. What it has read is removed from the front.
  /// Empty: it needs more bytes, or the body has ended, or it is wrong.
  std::string_view next(std::string_view& bytes) noexcept;
  bool ended() const noexcept { return at_ == place::end; }
  bool is_wrong() const noexcept { return at_ == place::wrong; }

 private:
  enum class place { size, extension, content, line_end, trailer, trailer_line, end, wrong };

  void read_size(char c) noexcept;

  place at_ = place::size;
  std::uint64_t left_ = 0;  // bytes of the chunk
  unsigned digits_ = 0;     // of its size
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
