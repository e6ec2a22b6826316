// Detects compressed files and calls the codecs that the program has registered. Called by
// open.cpp, the streams of C++ and C, and the logs.
#include "opening/compressed.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "device/read_ahead_device.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

using namespace std::string_view_literals;

constinit std::atomic<const codec_functions*> registered_codecs{nullptr};

/// A format's magic number.
struct magic {
  compression format;
  std::string_view bytes;
};
// gzip has only compression method 8. zstd and lz4 files may begin with a frame that carries no
// content (a skippable frame).
constexpr std::array magics{magic{compression::gzip, "\x1f\x8b\x08"sv},
                            magic{compression::zstd, "\x28\xb5\x2f\xfd"sv},
                            magic{compression::lz4, "\x04\x22\x4d\x18"sv},
                            magic{compression::xz, "\xfd\x37\x7a\x58\x5a\x00"sv}};
constexpr std::string_view skippable = "\x50\x2a\x4d\x18"sv;
constexpr std::size_t longest_magic = 6;

/// A pipe whose first bytes were read to detect its format: returns these bytes, then the rest.
class pushback_device final : public device {
 public:
  pushback_device(std::unique_ptr<device> rest, std::string_view head) noexcept
      : rest_(std::move(rest)), size_(head.copy(head_.data(), head_.size())) {}

  device_traits traits() const noexcept override { return rest_->traits().in_front(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    return next_ != size_ ? take(into, ec) : rest_->read_at(at, into, ec);
  }
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override {
    return next_ != size_ ? take(into, ec) : rest_->read_ready(at, into, ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    return rest_->write_at(at, pieces, ec);
  }
  std::chrono::nanoseconds now() const noexcept override { return rest_->now(); }
  void close(std::error_code& ec) noexcept override { rest_->close(ec); }

 private:
  std::size_t take(std::span<char> into, std::error_code& ec) noexcept {
    ec.clear();
    const std::size_t n = std::min(into.size(), size_ - next_);
    if (n != 0) std::memcpy(into.data(), head_.data() + next_, n);
    next_ += n;
    return n;
  }

  std::unique_ptr<device> rest_;
  std::array<char, longest_magic> head_{};
  std::size_t size_, next_ = 0;
};

std::error_code no_memory() noexcept { return std::make_error_code(std::errc::not_enough_memory); }

/// Detects the format from the first bytes. If `from` is a pipe, replaces `from` by a device that
/// returns these bytes again. If a read fails or there is no memory, sets `ec`.
signature detect_format(std::unique_ptr<device>& from, std::error_code& ec) noexcept {
  std::array<char, longest_magic> head;
  std::size_t head_size = 0;
  signature detected{compression::none, true};
  while (detected.undecided && head_size != head.size()) {
    const std::size_t n =
        read_some(*from, from->position() + head_size, std::span(head).subspan(head_size), ec);
    if (ec) return {};
    if (n == 0) break;
    head_size += n;
    detected = signature_of({head.data(), head_size});
  }
  ec.clear();
  if (head_size != 0 && !from->traits().positional) {
    auto* const replayed = new (std::nothrow)
        pushback_device(std::move(from), std::string_view(head.data(), head_size));
    if (replayed == nullptr) ec = no_memory();
    from.reset(replayed);
  }
  return detected;
}

}  // namespace

void register_codecs(const codec_functions* all) noexcept {
  registered_codecs.store(all, std::memory_order_release);
}

signature signature_of(std::string_view head) noexcept {
  signature detected;
  for (const auto& [format, bytes] : magics) {
    if (head.starts_with(bytes)) return {format, false};
    if (bytes.starts_with(head)) detected.undecided = true;
  }
  // The low half of a skippable frame's first byte may have any value.
  std::array<char, longest_magic> masked{};
  std::string_view begin = head.substr(0, skippable.size());
  begin.copy(masked.data(), begin.size());
  masked[0] = static_cast<char>(masked[0] & '\xf0');
  begin = {masked.data(), begin.size()};
  if (!begin.empty() && begin == skippable) return {compression::zstd, false, true};
  if (skippable.starts_with(begin)) detected.undecided = true;
  return detected;
}

namespace {

std::unique_ptr<device> open_decoder(std::unique_ptr<device> from, const options& how, bool random,
                                     std::error_code& ec) noexcept {
  if (from == nullptr || how.compression == compression::none) return from;
  signature detected{how.compression};
  if (detected.format == compression::automatic) detected = detect_format(from, ec);
  if (ec) return nullptr;
  if (detected.format == compression::none) return from;
  const codec_functions* const all = registered_codecs.load(std::memory_order_acquire);
  if (all == nullptr) {
    ec = errc::no_codecs;
    return nullptr;
  }
  auto content = all->decode(std::move(from),
                             {.format = detected.format,
                              .limit = how.limit,
                              .random = random,
                              .memory = how.codec_memory,
                              .or_lz4 = detected.or_lz4},
                             ec);
  // A pipe is not read ahead: a thread that waits for a pipe could not be stopped.
  if (random || content == nullptr || !how.background || !content->traits().positional)
    return content;
  auto* const ahead = new (std::nothrow) read_ahead_device(std::move(content));
  if (ahead == nullptr) ec = no_memory();
  return std::unique_ptr<device>(ahead);
}

}  // namespace

std::unique_ptr<device> decoded(std::unique_ptr<device> from, const options& how,
                                std::error_code& ec) noexcept {
  return open_decoder(std::move(from), how, false, ec);
}

std::unique_ptr<device> decoded_for_random_access(std::unique_ptr<device> from, const options& how,
                                                  std::error_code& ec) noexcept {
  return open_decoder(std::move(from), how, true, ec);
}

compression compression_for_writing(path_ref path, const options& how) noexcept {
  if (how.compression != compression::automatic) return how.compression;
  for (const auto& [format, text] : compressed_endings)
    if (path.view().ends_with(text)) return format;
  return compression::none;
}

namespace {

encoding_request request_of(compression as, const options& how) noexcept {
  return {.format = as, .level = how.level, .threads = how.codec_threads, .seekable = how.seekable};
}

}  // namespace

std::error_code check_compression(compression as, const options& how) noexcept {
  if (as == compression::none) return {};
  const codec_functions* const all = registered_codecs.load(std::memory_order_acquire);
  if (all == nullptr) return errc::no_codecs;
  if (how.readable || how.durability == durability::process)
    return std::make_error_code(std::errc::operation_not_supported);
  return all->refuses(request_of(as, how));
}

std::unique_ptr<device> encoded(std::unique_ptr<device> to, compression as, const options& how,
                                std::error_code& ec) noexcept {
  if (to == nullptr || as == compression::none) return to;
  return registered_codecs.load(std::memory_order_acquire)
      ->encode(std::move(to), request_of(as, how), ec);
}

}  // namespace v0
}  // namespace leat
