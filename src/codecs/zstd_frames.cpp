// Reads at any position of a seekable zstd file, with a cache of decoded frames. zstd.cpp makes the
// device.
#include "codecs/zstd_frames.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "codecs/errors.hpp"
#include "codecs/xxh64.hpp"
#include "codecs/zstd_table.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

/// The maximum number of idle decoders, each with a decoded frame.
constexpr std::size_t max_idle_decoders = 16;

}  // namespace

struct zstd_frames::frame_decoder {
  explicit frame_decoder(std::size_t size)
      : capacity(size),
        memory(std::make_unique_for_overwrite<char[]>(size)),
        z(::ZSTD_createDCtx()) {
    if (z == nullptr) throw std::bad_alloc();
  }
  frame_decoder(const frame_decoder&) = delete;
  frame_decoder& operator=(const frame_decoder&) = delete;
  ~frame_decoder() { ::ZSTD_freeDCtx(z); }

  static constexpr std::size_t no_frame = ~std::size_t{0};

  std::size_t capacity;
  /// The content of the frame, followed by the frame's encoded bytes.
  std::unique_ptr<char[]> memory;
  ZSTD_DCtx* z;
  std::size_t frame = no_frame;
  std::size_t content_size = 0;
};

/// Holds a decoder during a read, and returns the decoder to the device on all paths.
class zstd_frames::lease {
 public:
  lease(zstd_frames& owner, std::unique_ptr<frame_decoder> borrowed) noexcept
      : owner_(owner), decoder_(std::move(borrowed)) {}
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;
  ~lease() { owner_.release_decoder(std::move(decoder_)); }
  frame_decoder& operator*() const noexcept { return *decoder_; }
  frame_decoder* operator->() const noexcept { return decoder_.get(); }

 private:
  zstd_frames& owner_;
  std::unique_ptr<frame_decoder> decoder_;
};

zstd_frames::zstd_frames(std::unique_ptr<device> from, frame_offsets at, std::uint64_t limit,
                         std::uint64_t most_memory)
    : from_(std::move(from)),
      offsets_(std::move(at)),
      limit_(limit),
      most_memory_(std::min<std::uint64_t>(most_memory, std::numeric_limits<std::size_t>::max())) {
  idle_.reserve(max_idle_decoders);
}

zstd_frames::~zstd_frames() = default;

std::uint64_t zstd_frames::size(std::error_code& ec) const noexcept {
  ec.clear();
  return offsets_.size();
}

std::size_t zstd_frames::write_at(std::uint64_t, std::span<const std::string_view>,
                                  std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::bad_file_descriptor);
  return 0;
}

/// Returns the idle decoder that has the frame. If no idle decoder has the frame, and
/// max_idle_decoders decoders are idle, returns the least recently used idle decoder if this
/// decoder is large enough. In all other cases returns a new decoder. The decoder's memory has at
/// least `memory` bytes. Removes idle decoders to stay within the memory limit. If the decoders in
/// use leave less than `memory` bytes of this limit, waits until other threads return decoders.
/// Throws std::bad_alloc.
std::unique_ptr<zstd_frames::frame_decoder> zstd_frames::acquire_decoder(std::size_t frame,
                                                                         std::size_t memory) {
  std::unique_lock lock(lock_);
  const auto take = [&](auto position) {
    auto taken = std::move(*position);
    idle_.erase(position);
    return taken;
  };
  for (;; decoder_released_.wait(lock)) {
    const auto same = std::find_if(idle_.begin(), idle_.end(),
                                   [&](const auto& some) { return some->frame == frame; });
    if (same != idle_.end()) return take(same);
    if (idle_.size() == max_idle_decoders) {
      if (idle_.front()->capacity >= memory) return take(idle_.begin());
      decoder_memory_ -= take(idle_.begin())->capacity;
    }
    while (decoder_memory_ + memory > most_memory_ && !idle_.empty())
      decoder_memory_ -= take(idle_.begin())->capacity;
    if (decoder_memory_ + memory > most_memory_) continue;
    auto fresh = std::make_unique<frame_decoder>(memory);
    decoder_memory_ += memory;
    return fresh;
  }
}

/// If the decoder has the content of a frame, and there are fewer than max_idle_decoders idle
/// decoders, keeps the decoder.
void zstd_frames::release_decoder(std::unique_ptr<frame_decoder> borrowed) noexcept {
  const std::scoped_lock lock(lock_);
  if (borrowed->frame != frame_decoder::no_frame && idle_.size() < max_idle_decoders)
    idle_.push_back(std::move(borrowed));
  else
    decoder_memory_ -= borrowed->capacity;
  decoder_released_.notify_all();
}

std::size_t zstd_frames::read_at(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept try {
  ec.clear();
  if (at >= offsets_.size() || into.empty()) return 0;
  const std::size_t frame = offsets_.frame_at(at);
  const std::size_t memory = memory_for(frame, ec);
  if (ec) return 0;
  const lease borrowed(*this, acquire_decoder(frame, memory));
  if (borrowed->frame != frame) decode(*borrowed, frame, ec);
  if (ec) return 0;
  const auto first = static_cast<std::size_t>(at - offsets_.content[frame]);
  const std::size_t n = std::min(into.size(), borrowed->content_size - first);
  std::memcpy(into.data(), borrowed->memory.get() + first, n);
  return n;
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return 0;
}

/// Returns the size, in bytes, of the frame's content and encoded bytes together. If the file's
/// content up to the end of the frame exceeds limit_, or the size exceeds most_memory_, sets `ec`.
std::size_t zstd_frames::memory_for(std::size_t frame, std::error_code& ec) const {
  const std::uint64_t begin = offsets_.encoded[frame];
  const std::uint64_t memory =
      offsets_.encoded[frame + 1] - begin + offsets_.content[frame + 1] - offsets_.content[frame];
  if (offsets_.content[frame + 1] > limit_)
    ec = make_error_at(fault::too_long, "zstd", begin, nullptr);
  else if (memory > most_memory_)
    ec = make_error_at(fault::unsupported, "zstd", begin,
                       "a frame that needs more memory than the limit");
  return static_cast<std::size_t>(memory);
}

/// Reads and decodes a frame into the decoder's memory. On failure sets `ec`, and the
/// decoder has no frame. Throws std::bad_alloc.
void zstd_frames::decode(frame_decoder& borrowed, std::size_t frame, std::error_code& ec) {
  borrowed.frame = frame_decoder::no_frame;
  const std::uint64_t begin = offsets_.encoded[frame];
  borrowed.content_size =
      static_cast<std::size_t>(offsets_.content[frame + 1] - offsets_.content[frame]);
  const std::span content(borrowed.memory.get(), borrowed.content_size);
  const std::span encoded(borrowed.memory.get() + borrowed.content_size,
                          static_cast<std::size_t>(offsets_.encoded[frame + 1] - begin));
  const auto fail = [&](fault kind, const char* why = nullptr) {
    ec = make_error_at(kind, "zstd", begin, why);
  };
  for (std::size_t done = 0; done != encoded.size();) {
    const std::size_t n = from_->read_at(begin + done, encoded.subspan(done), ec);
    if (n != 0) ec.clear();
    if (ec == std::errc::interrupted) continue;
    if (ec) return;
    if (n == 0) return fail(fault::truncated);
    done += n;
  }
  const std::size_t decoded_size = ::ZSTD_decompressDCtx(borrowed.z, content.data(), content.size(),
                                                         encoded.data(), encoded.size());
  if (::ZSTD_isError(decoded_size) != 0) {
    const ZSTD_ErrorCode code = ::ZSTD_getErrorCode(decoded_size);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (code == ZSTD_error_checksum_wrong) return fail(fault::wrong_checksum);
    return fail(fault::damaged, ::ZSTD_getErrorName(decoded_size));
  }
  if (decoded_size != content.size()) return fail(fault::damaged, wrong_table_message);
  if (!offsets_.checksums.empty() &&
      offsets_.checksums[frame] !=
          static_cast<std::uint32_t>(xxh64_of({content.data(), content.size()})))
    return fail(fault::wrong_checksum, "of the table of frames");
  borrowed.frame = frame;
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
