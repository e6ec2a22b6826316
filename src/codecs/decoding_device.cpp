// The loop that finds members and frames and decodes them. codecs.cpp makes the device.
#include "codecs/decoding_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "codecs/incident.hpp"
#include "codecs/zstd_table.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

/// Block sizes, in bytes, for reading compressed bytes. The size doubles from first_block to
/// last_block: a small file needs only a small read, and a large file few reads.
constexpr std::size_t first_block = 16 << 10;
constexpr std::size_t last_block = 256 << 10;
/// Bytes decoded at a time on the way to a position.
constexpr std::size_t skip_block = 64 << 10;

}  // namespace

decoding_device::decoding_device(std::unique_ptr<device> from, const format& of, frame_offsets at,
                                 const decoding_request& how)
    : from_(std::move(from)),
      format_(&of),
      decoder_(of.make_decoder(how.memory)),
      is_undecided_(how.or_lz4),
      offsets_(std::move(at)),
      limit_(how.limit),
      most_memory_(how.memory),
      is_positional_(from_->traits().positional),
      begin_(from_->position()),
      input_(std::make_unique_for_overwrite<char[]>(last_block)),
      block_(first_block),
      in_at_(begin_) {}

std::size_t decoding_device::read_at(std::uint64_t at, std::span<char> into,
                                     std::error_code& ec) noexcept try {
  ec.clear();
  if (into.empty()) return 0;
  if (is_positional_ && at != made_ && !skip_to(at, ec)) return 0;
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
  if (!offsets_.known()) return device::size(ec);
  ec.clear();
  return offsets_.size();
}

/// Restarts decoding with the frame that begins at `encoded` in the file, and at `content` in the
/// content.
void decoding_device::start_at(std::uint64_t encoded, std::uint64_t content) noexcept {
  in_next_ = in_end_ = 0;
  block_ = first_block;
  in_at_ = begin_ + encoded;
  in_ended_ = false;
  made_ = content;
  in_frame_ = false;
  any_frame_ = content != 0;
  padding_ = 0;
  summed_ = none;
  failed_.clear();
}

/// Restarts at the frame that contains `at`, if `at` is before the current position or the frame
/// begins after the current position. Without a table, restarts only for an earlier `at`, at the
/// file's start.
void decoding_device::jump(std::uint64_t at) noexcept {
  if (!offsets_.known()) {
    if (at < made_) start_at(0, 0);
    return;
  }
  const std::size_t frame = offsets_.frame_at(at);
  if (at < made_ || offsets_.content[frame] > made_)
    start_at(offsets_.encoded[frame], offsets_.content[frame]);
}

/// Decodes up to the position `at`. Returns false on an error, or if the content ends before `at`.
bool decoding_device::skip_to(std::uint64_t at, std::error_code& ec) {
  jump(at);
  if (made_ > limit_) fail(fault::too_long);
  if (made_ != at && skipped_ == nullptr)
    skipped_ = std::make_unique_for_overwrite<char[]>(skip_block);
  while (made_ != at) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(at - made_, skip_block));
    if (advance({skipped_.get(), n}, ec) == 0) return false;
  }
  return true;
}

/// Decodes the next bytes: as many as fit, or until the next read of a pipe might block. Returns 0
/// at the end or on an error.
std::size_t decoding_device::advance(std::span<char> into, std::error_code& ec) {
  std::size_t done = 0;
  std::array<char, 1> beyond;  // detects a byte beyond the limit
  while (done != into.size() && !failed_) {
    if (!in_frame_ && !begin_frame(ec)) break;
    const std::uint64_t allowed = limit_ - made_;
    std::span<char> room = into.subspan(done);
    if (allowed < room.size()) room = room.first(static_cast<std::size_t>(allowed));
    const step now = decoder_->decode(input(), room.empty() ? std::span<char>(beyond) : room);
    in_next_ += now.taken;
    if (room.empty() && now.made != 0) {
      fail(fault::too_long);
      break;
    }
    if (summed_ != none) sum_.add({room.data(), now.made});
    done += now.made;
    made_ += now.made;
    if (now.no_memory) throw std::bad_alloc();
    if (now.what) {
      fail(*now.what, now.why);
    } else if (now.ended) {
      in_frame_ = false;
      check_sum();
    } else if (now.taken == 0 && now.made == 0) {
      if (!input().empty()) {
        fail(fault::damaged);
      } else if (in_ended_) {
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
  else if (failed_)
    ec = failed_;
  return done;
}

/// Starts the next frame. Returns false at the end or on an error (`ec` or failed_).
bool decoding_device::begin_frame(std::error_code& ec) {
  for (;;) {
    if (!fill(1, ec)) {
      if (ec) return false;
      if (!any_frame_)
        fail(fault::truncated);
      else if (offsets_.is_damaged)
        fail(fault::damaged, wrong_table);
      else if (format_->padding != 0 && padding_ % format_->padding != 0)
        fail(fault::trailing_bytes);
      return false;
    }
    if (!any_frame_ || format_->padding == 0 || input().front() != '\0') break;
    const std::size_t zeros = std::min(input().find_first_not_of('\0'), input().size());
    padding_ += zeros;
    in_next_ += zeros;
  }
  fill(format_->magic_size, ec);
  if (ec) return false;
  const std::string_view magic = input().substr(0, format_->magic_size);
  decide(magic);
  const bool is_one = format_->begins(magic);
  if (!is_one || (any_frame_ && format_->padding != 0 && padding_ % format_->padding != 0)) {
    fail(any_frame_ ? fault::trailing_bytes : fault::other_format);
    return false;
  }
  if (magic.size() < format_->magic_size) {
    in_next_ = in_end_;
    fail(fault::truncated);
    return false;
  }
  if (offsets_.known() && !is_where_expected()) {
    fail(fault::damaged, wrong_table);
    return false;
  }
  if (!decoder_->begin()) throw std::bad_alloc();
  in_frame_ = any_frame_ = true;
  padding_ = 0;
  return true;
}

/// The first frame with content decides whether earlier skippable frames belong to zstd or lz4.
void decoding_device::decide(std::string_view magic) {
  if (!is_undecided_ || begins_without_content(magic)) return;
  is_undecided_ = false;
  const format* const other = format_of(compression::lz4);
  if (format_->begins(magic) || other == nullptr || !other->begins(magic)) return;
  decoder_ = other->make_decoder(most_memory_);
  format_ = other;
}

/// Returns false if a frame of the table begins here, but at another position of the content.
/// Starts the frame's checksum if the table has checksums.
bool decoding_device::is_where_expected() {
  const auto same =
      std::lower_bound(offsets_.encoded.begin(), offsets_.encoded.end(), decoded_to());
  if (same == offsets_.encoded.end() || *same != decoded_to()) return true;
  const auto frame = static_cast<std::size_t>(same - offsets_.encoded.begin());
  if (frame < offsets_.checksums.size()) {
    summed_ = frame;
    sum_ = {};
  }
  return offsets_.content[frame] == made_;
}

/// Verifies the checksum at the end of a frame of the table.
void decoding_device::check_sum() {
  if (summed_ == none || decoded_to() != offsets_.encoded[summed_ + 1]) return;
  if (static_cast<std::uint32_t>(sum_.value()) != offsets_.checksums[summed_])
    fail(fault::wrong_checksum, "of the table of frames");
  summed_ = none;
}

/// Reads until `least` bytes of input are available. Returns false at the end or on an error.
bool decoding_device::fill(std::size_t least, std::error_code& ec) {
  while (in_end_ - in_next_ < least && !in_ended_) {
    const std::size_t kept = in_end_ - in_next_;
    if (kept != 0 && in_next_ != 0) std::memmove(input_.get(), input_.get() + in_next_, kept);
    in_next_ = 0;
    in_end_ = kept;
    const std::size_t n = from_->read_at(in_at_, {input_.get() + kept, block_ - kept}, ec);
    if (n != 0) ec.clear();
    if (ec == std::errc::interrupted) continue;
    if (ec) return false;
    if (n == block_ - kept) block_ = std::min(2 * block_, last_block);
    in_end_ += n;
    in_at_ += n;
    in_ended_ = n == 0;
  }
  return in_end_ - in_next_ >= least;
}

/// Records a fault at the current position. Reads fail with this fault until a restart.
void decoding_device::fail(fault what, const char* why) {
  failed_ = incident_at(what, format_->name, decoded_to(), why);
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
