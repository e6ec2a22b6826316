// A C stream as a device, by seeking in the stream. batches.cpp uses this device.
#pragma once

#include <leat/device.hpp>

#include <cerrno>
#include <cstdio>

#include "base/errno.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace c {

/// A device for streams without a twin device. Such a stream is over memory or over functions of
/// the program, or the twin of its descriptor could not be made. The caller holds the stream's
/// lock, and restores the stream's position afterwards.
class stream_device final : public device {
 public:
  explicit stream_device(leat_file& over) noexcept : file_(over) {}

  device_traits traits() const noexcept override { return {}; }

  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    std::size_t n = 0;
    if (seek_to(at, ec)) n = stdio::read(file_, into.data(), into.size());
    if (n == 0 && !ec && !file_.at_end && !into.empty()) ec = system_code();
    return n;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    std::size_t done = 0;
    if (!seek_to(at, ec)) return 0;
    for (const auto& piece : pieces) {
      const std::size_t n = stdio::write(file_, piece.data(), piece.size());
      done += n;
      if (n == piece.size()) continue;
      if (done == 0) ec = system_code();
      break;
    }
    return done;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    const std::int64_t end = stdio::below(file_).end(file_);
    ec = end < 0 ? system_code() : std::error_code();
    return end < 0 ? 0 : static_cast<std::uint64_t>(end);
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  static std::error_code system_code() noexcept {
    return {errno != 0 ? errno : EIO, std::generic_category()};
  }
  bool seek_to(std::uint64_t at, std::error_code& ec) const noexcept {
    ec.clear();
    if (!stdio::seek(file_, static_cast<std::int64_t>(at), SEEK_SET)) ec = system_code();
    return !ec;
  }

  leat_file& file_;
};

}  // namespace c
}  // namespace v0
}  // namespace leat
