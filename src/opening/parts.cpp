// Divides a file into parts that end after a delimiter. Called by leat::split() and by leat_split()
// of stdio/open.cpp.
#include "opening/parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "device/transfer.hpp"
#include "opening/open.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The file up to `end`. A stream over this device begins at `begin`.
class part_device final : public device {
 public:
  static constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

  part_device(std::shared_ptr<device> whole, std::uint64_t begin, std::uint64_t end) noexcept
      : whole_(std::move(whole)), traits_(whole_->traits().in_front()), begin_(begin), end_(end) {
    traits_.syncs_concurrently = false;
  }

  device_traits traits() const noexcept override { return traits_; }
  std::uint64_t position() const noexcept override { return begin_; }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    if (end_ == no_end) return whole_->size(ec);
    ec.clear();
    return end_;
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    const std::uint64_t left = at < end_ ? end_ - at : 0;
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left)));
    if (into.empty()) return 0;
    const std::size_t n = whole_->read_at(at, into, ec);
    // Announces the next read, because the system sees the reads of all parts as one sequence
    // without order, and might not read ahead.
    const std::uint64_t next = at + n;
    if (next < end_) whole_->announce(next, std::min<std::uint64_t>(n, end_ - next));
    return n;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  void announce(std::uint64_t at, std::uint64_t size) noexcept override {
    if (at < end_) whole_->announce(at, std::min(size, end_ - at));
  }
  device_speed speed() const noexcept override { return whole_->speed(); }
  std::chrono::nanoseconds now() const noexcept override { return whole_->now(); }
  /// Closing the last part closes the file.
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    whole_.reset();
  }

 private:
  std::shared_ptr<device> whole_;  // null after close()
  device_traits traits_;
  std::uint64_t begin_, end_;
};

/// Limits the number of parts: each part has a stream, and each stream takes memory.
constexpr std::size_t most_parts = 1 << 16;

/// Returns the position after the first delimiter at or after `from`; `end` if there is none. If a
/// read fails, sets `ec`.
std::uint64_t after_delimiter(device& file, std::uint64_t from, std::uint64_t end, char delimiter,
                              std::error_code& ec) noexcept {
  std::array<char, 16 << 10> block;
  while (from < end) {
    const std::size_t n = read_some(file, from, block, ec);
    if (ec || n == 0) break;
    if (const void* const found = std::memchr(block.data(), delimiter, n)) {
      const auto at = static_cast<const char*>(found) - block.data();
      return std::min(from + static_cast<std::uint64_t>(at) + 1, end);
    }
    from += n;
  }
  return end;
}

}  // namespace

std::vector<std::unique_ptr<device>> open_parts(path_ref path, std::size_t count, char delimiter,
                                                const options& how, std::error_code& ec) {
  std::vector<std::unique_ptr<device>> all;
  const std::shared_ptr<device> file = open_random(path, false, how, ec);
  if (ec) return all;
  if (const device_traits traits = file->traits(); !traits.positional) {
    ec = std::make_error_code(traits.refusal());
    return all;
  }
  const std::uint64_t size = file->size(ec);
  if (ec == std::errc::operation_not_supported) {
    // The size of the file is unknown, for example in /proc, so the file can't be divided.
    ec.clear();
    all.push_back(std::make_unique<part_device>(file, 0, part_device::no_end));
    return all;
  }
  if (ec) return all;
  count = std::clamp<std::size_t>(count, 1, most_parts);
  std::uint64_t begin = 0;
  for (std::size_t i = 1; i <= count && (begin != size || all.empty()); ++i) {
    // size * i / count without overflow. A line that ends right at the border ends a part.
    const std::uint64_t border = size / count * i + size % count * i / count;
    if (border <= begin && i != count) continue;
    const std::uint64_t end =
        i == count ? size : after_delimiter(*file, border - 1, size, delimiter, ec);
    if (ec) return {};
    all.push_back(std::make_unique<part_device>(file, begin, end));
    begin = end;
  }
  return all;
}

}  // namespace v0
}  // namespace leat
