// The loop that finds members and frames and decodes them. codecs.cpp makes the device.
#include "codecs/decoding_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "codecs/errors.hpp"
#include "codecs/zstd_table.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

/// Sizes, in bytes, of reads of compressed bytes. The size doubles from first_read_size to
/// last_read_size. So a small file needs only a small read, and a large file needs few reads.
constexpr std::size_t first_read_size = 16 << 10;
constexpr std::size_t last_read_size = 256 << 10;
/// The number of bytes that are decoded at a time on the way to a position.
constexpr std::size_t skip_size = 64 << 10;

}  // namespace

decoding_device::decoding_device(std::unique_ptr<device> from, const format& codec,
                                 frame_offsets at, const decoding_request& request)
    : from_(std::move(from)),
      format_(&codec),
      decoder_(codec.make_decoder(request.memory)),
      is_undecided_(request.or_lz4),
      offsets_(std::move(at)),
      limit_(request.limit),
      most_memory_(request.memory),
      is_positional_(from_->traits().positional),
      begin_(from_->position()),
      input_(std::make_unique_for_overwrite<char[]>(last_read_size)),
      read_size_(first_read_size),
      read_position_(begin_) {}

std::size_t decoding_device::read_at(std::uint64_t at, std::span<char> into,
                                     std::error_code& ec) noexcept try {
  ec.clear();
  if (into.empty()) return 0;
  if (is_positional_ && at != content_position_ && !skip_to(at, ec)) return 0;
  return advance(into, ec);
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return 0;
}

std::size_t decoding_device::write_at(std::uint64_t, std::span<const std::string_view>,
                                      std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::bad_file_descriptor);
  return 0;
}

std::uint64_t decoding_device::size(std::error_code& ec) const noexcept {
  if (!offsets_.has_table()) return device::size(ec);
  ec.clear();
  return offsets_.size();
}

/// Restarts decoding with the frame that begins at `encoded` in the file, and at `content` in the
/// content.
void decoding_device::start_at(std::uint64_t encoded, std::uint64_t content) noexcept {
  input_next_ = input_end_ = 0;
  read_size_ = first_read_size;
  read_position_ = begin_ + encoded;
  input_ended_ = false;
  content_position_ = content;
  is_in_frame_ = false;
  has_frame_ = content != 0;
  padding_ = 0;
  checksum_frame_ = no_frame;
  error_.clear();
}

/// If `at` is before the current position, or the frame that contains `at` begins after the current
/// position, restarts at this frame. Without a table, if `at` is before the current position,
/// restarts at the file's start.
void decoding_device::jump(std::uint64_t at) noexcept {
  if (!offsets_.has_table()) {
    if (at < content_position_) start_at(0, 0);
    return;
  }
  const std::size_t frame = offsets_.frame_at(at);
  if (at < content_position_ || offsets_.content[frame] > content_position_)
    start_at(offsets_.encoded[frame], offsets_.content[frame]);
}

/// Decodes up to the position `at`. Returns false on an error, or if the content ends before `at`.
bool decoding_device::skip_to(std::uint64_t at, std::error_code& ec) {
  jump(at);
  if (content_position_ > limit_) fail(fault::too_long);
  if (content_position_ != at && skip_buffer_ == nullptr)
    skip_buffer_ = std::make_unique_for_overwrite<char[]>(skip_size);
  while (content_position_ != at) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(at - content_position_, skip_size));
    if (advance({skip_buffer_.get(), n}, ec) == 0) return false;
  }
  return true;
}

/// Decodes the next bytes until `into` is full, or until the next read of a pipe might block.
/// Returns the number of bytes. Returns 0 at the end or on an error.
std::size_t decoding_device::advance(std::span<char> into, std::error_code& ec) {
  std::size_t done = 0;
  std::array<char, 1> beyond;  // detects a byte beyond the limit
  while (done != into.size() && !error_) {
    if (!is_in_frame_ && ((done != 0 && may_wait_for_frame()) || !begin_frame(ec))) break;
    const std::uint64_t allowed = limit_ - content_position_;
    std::span<char> room = into.subspan(done);
    if (allowed < room.size()) room = room.first(static_cast<std::size_t>(allowed));
    const decode_result now =
        decoder_->decode(input(), room.empty() ? std::span<char>(beyond) : room);
    input_next_ += now.consumed;
    if (room.empty() && now.produced != 0) {
      fail(fault::too_long);
      break;
    }
    if (checksum_frame_ != no_frame) checksum_.add({room.data(), now.produced});
    done += now.produced;
    content_position_ += now.produced;
    if (now.no_memory) throw std::bad_alloc();
    if (now.error) {
      fail(*now.error, now.message);
    } else if (now.frame_ended) {
      is_in_frame_ = false;
      verify_checksum();
    } else if (now.consumed == 0 && now.produced == 0) {
      if (!input().empty()) {
        fail(fault::damaged);
      } else if (input_ended_) {
        fail(fault::truncated);
      } else {
        if (done != 0 && !is_positional_) break;
        fill(1, ec);
        if (ec) break;
      }
    }
  }
  if (done != 0)
    ec.clear();  // the next call returns the error
  else if (error_)
    ec = error_;
  return done;
}

/// Returns true if the next frame's beginning is not in the input yet, and a read from a pipe could
/// wait for the beginning.
bool decoding_device::may_wait_for_frame() const noexcept {
  if (is_positional_ || input_ended_) return false;
  return input().size() < format_->magic_size || (format_->padding != 0 && input().front() == '\0');
}

/// Starts the next frame. At the end, returns false. On an error, sets `ec` or error_ and returns
/// false.
bool decoding_device::begin_frame(std::error_code& ec) {
  for (;;) {
    if (!fill(1, ec)) {
      if (ec) return false;
      if (!has_frame_)
        fail(fault::truncated);
      else if (offsets_.is_damaged)
        fail(fault::damaged, wrong_table_message);
      else if (format_->padding != 0 && padding_ % format_->padding != 0)
        fail(fault::trailing_bytes);
      return false;
    }
    if (!has_frame_ || format_->padding == 0 || input().front() != '\0') break;
    const std::size_t zeros = std::min(input().find_first_not_of('\0'), input().size());
    padding_ += zeros;
    input_next_ += zeros;
  }
  fill(format_->magic_size, ec);
  if (ec) return false;
  const std::string_view magic = input().substr(0, format_->magic_size);
  decide_format(magic);
  const bool is_frame = format_->begins(magic);
  if (!is_frame || (has_frame_ && format_->padding != 0 && padding_ % format_->padding != 0)) {
    fail(has_frame_ ? fault::trailing_bytes : fault::other_format);
    return false;
  }
  if (magic.size() < format_->magic_size) {
    input_next_ = input_end_;
    fail(fault::truncated);
    return false;
  }
  if (offsets_.has_table() && !begin_table_frame()) {
    fail(fault::damaged, wrong_table_message);
    return false;
  }
  if (!decoder_->begin()) throw std::bad_alloc();
  is_in_frame_ = has_frame_ = true;
  padding_ = 0;
  return true;
}

/// The first frame with content decides whether earlier skippable frames belong to zstd or lz4.
void decoding_device::decide_format(std::string_view magic) {
  if (!is_undecided_ || begins_with_skippable_frame(magic)) return;
  is_undecided_ = false;
  const format* const other = format_of(compression::lz4);
  if (format_->begins(magic) || other == nullptr || !other->begins(magic)) return;
  decoder_ = other->make_decoder(most_memory_);
  format_ = other;
}

/// If the table has a frame at this position of the file, but with another position in the content,
/// returns false. If the table has checksums, starts the frame's checksum.
bool decoding_device::begin_table_frame() {
  const auto same =
      std::lower_bound(offsets_.encoded.begin(), offsets_.encoded.end(), encoded_position());
  if (same == offsets_.encoded.end() || *same != encoded_position()) return true;
  const auto frame = static_cast<std::size_t>(same - offsets_.encoded.begin());
  if (frame < offsets_.checksums.size()) {
    checksum_frame_ = frame;
    checksum_ = {};
  }
  return offsets_.content[frame] == content_position_;
}

/// Verifies the checksum at the end of a frame of the table.
void decoding_device::verify_checksum() {
  if (checksum_frame_ == no_frame || encoded_position() != offsets_.encoded[checksum_frame_ + 1])
    return;
  if (static_cast<std::uint32_t>(checksum_.value()) != offsets_.checksums[checksum_frame_])
    fail(fault::wrong_checksum, "of the table of frames");
  checksum_frame_ = no_frame;
}

/// Reads until `least` bytes of input are available. Returns false on an error, or if the rest of
/// the file has fewer bytes.
bool decoding_device::fill(std::size_t least, std::error_code& ec) {
  while (input_end_ - input_next_ < least && !input_ended_) {
    const std::size_t kept = input_end_ - input_next_;
    if (kept != 0 && input_next_ != 0) std::memmove(input_.get(), input_.get() + input_next_, kept);
    input_next_ = 0;
    input_end_ = kept;
    const std::size_t n =
        from_->read_at(read_position_, {input_.get() + kept, read_size_ - kept}, ec);
    if (n != 0) ec.clear();
    if (ec == std::errc::interrupted) continue;
    if (ec) return false;
    if (n == read_size_ - kept) read_size_ = std::min(2 * read_size_, last_read_size);
    input_end_ += n;
    read_position_ += n;
    input_ended_ = n == 0;
  }
  return input_end_ - input_next_ >= least;
}

/// Records a fault at the current position. Reads fail with this fault until a restart.
void decoding_device::fail(fault kind, const char* why) {
  error_ = make_error_at(kind, format_->name, encoded_position(), why);
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
