#include "codecs/zstd_frames.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "codecs/incident.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

/// Larger frames, which other programs may write, would need as much memory for each thread.
constexpr std::uint64_t largest_frame = 64 << 20;
/// How many decoders, with a frame each, wait for the next read.
constexpr std::size_t most_idle = 16;

}  // namespace

struct zstd_frames::worker {
  worker() : z(::ZSTD_createDCtx()) {
    if (z == nullptr) throw std::bad_alloc();
  }
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() { ::ZSTD_freeDCtx(z); }

  static constexpr std::size_t no_frame = ~std::size_t{0};

  ZSTD_DCtx* z;
  std::size_t frame = no_frame;  // whose content is here
  std::vector<char> encoded, content;
};

zstd_frames::zstd_frames(std::unique_ptr<device> from, frame_places at, std::uint64_t limit)
    : from_(std::move(from)), places_(std::move(at)), limit_(limit) {
  idle_.reserve(most_idle);
}

zstd_frames::~zstd_frames() = default;

std::uint64_t zstd_frames::size(std::error_code& ec) const noexcept {
  ec.clear();
  return places_.size();
}

std::size_t zstd_frames::write_at(std::uint64_t, std::span<const std::string_view>,
                                  std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::bad_file_descriptor);
  return 0;
}

/// The one that has the frame, if it is idle; or any, or a new one.
std::unique_ptr<zstd_frames::worker> zstd_frames::take_worker(std::size_t frame) {
  {
    const std::scoped_lock lock(lock_);
    auto one = std::find_if(idle_.begin(), idle_.end(),
                            [&](const auto& some) { return some->frame == frame; });
    if (one == idle_.end() && idle_.size() >= most_idle) one = idle_.begin();
    if (one != idle_.end()) {
      auto taken = std::move(*one);
      idle_.erase(one);
      return taken;
    }
  }
  return std::make_unique<worker>();
}

std::size_t zstd_frames::read_at(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept try {
  ec.clear();
  if (at >= places_.size() || into.empty()) return 0;
  const std::size_t frame = places_.frame_at(at);
  auto by = take_worker(frame);
  if (by->frame != frame) decode(*by, frame, ec);
  std::size_t n = 0;
  if (!ec) {
    const auto first = static_cast<std::size_t>(at - places_.content[frame]);
    n = std::min(into.size(), by->content.size() - first);
    std::memcpy(into.data(), by->content.data() + first, n);
  }
  const std::scoped_lock lock(lock_);
  if (idle_.size() < most_idle) idle_.push_back(std::move(by));
  return n;
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return 0;
}

void zstd_frames::decode(worker& by, std::size_t frame, std::error_code& ec) {
  by.frame = worker::no_frame;
  const std::uint64_t begin = places_.encoded[frame];
  const std::uint64_t encoded = places_.encoded[frame + 1] - begin;
  const std::uint64_t content = places_.content[frame + 1] - places_.content[frame];
  const auto fail = [&](fault what, const char* why = nullptr) {
    ec = incident_at(what, "zstd", begin, why);
  };
  if (places_.content[frame + 1] > limit_) return fail(fault::too_long);
  if (encoded > largest_frame || content > largest_frame)
    return fail(fault::unsupported, "a frame of more than 64 MiB");
  by.encoded.resize(static_cast<std::size_t>(encoded));
  by.content.resize(static_cast<std::size_t>(content));
  for (std::size_t done = 0; done != by.encoded.size();) {
    const std::size_t n =
        from_->read_at(begin + done, {by.encoded.data() + done, by.encoded.size() - done}, ec);
    if (n != 0) ec.clear();
    if (ec == std::errc::interrupted) continue;
    if (ec) return;
    if (n == 0) return fail(fault::truncated);
    done += n;
  }
  const std::size_t made = ::ZSTD_decompressDCtx(by.z, by.content.data(), by.content.size(),
                                                 by.encoded.data(), by.encoded.size());
  if (::ZSTD_isError(made) != 0) {
    const ZSTD_ErrorCode code = ::ZSTD_getErrorCode(made);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (code == ZSTD_error_checksum_wrong) return fail(fault::wrong_checksum);
    return fail(fault::damaged, ::ZSTD_getErrorName(made));
  }
  if (made != by.content.size()) return fail(fault::damaged, "the table of frames is wrong");
  by.frame = frame;
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
