// A device in memory that counts its requests, with a simulated page cache.
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat_test {

/// The content of a counted_device and its counts. The device and the test share this log.
struct request_log {
  std::string content;
  bool cached = true;  ///< false: read_ready() needs an announcement of the first page
  std::size_t reads = 0, writes = 0, syncs = 0, sizes = 0;  ///< numbers of calls
  std::set<std::uint64_t> announced;                        ///< numbers of pages of 4096 bytes
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::size_t longest_read = 0;
  std::mutex lock;
};

/// A device over the content of a request_log. Several threads may call the device.
class counted_device : public leat::device {
 public:
  explicit counted_device(std::shared_ptr<request_log> log) : log_(std::move(log)) {}

  leat::device_traits traits() const noexcept override {
    leat::device_traits all;
    all.concurrent = true;
    return all;
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    const std::lock_guard guard(log_->lock);
    return read(at, into, ec);
  }
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override {
    const std::lock_guard guard(log_->lock);
    if (!log_->cached && !log_->announced.contains(at / 4096)) {
      ec = std::make_error_code(std::errc::operation_would_block);
      return 0;
    }
    return read(at, into, ec);
  }
  void announce(std::uint64_t at, std::uint64_t size) noexcept override {
    const std::lock_guard guard(log_->lock);
    for (std::uint64_t page = at / 4096; page <= (at + size) / 4096; ++page)
      log_->announced.insert(page);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    const std::lock_guard guard(log_->lock);
    ec.clear();
    ++log_->writes;
    std::size_t done = 0;
    for (const auto& piece : pieces) {
      const auto from = static_cast<std::size_t>(at) + done;
      if (from + piece.size() > log_->content.size()) log_->content.resize(from + piece.size());
      log_->content.replace(from, piece.size(), piece);
      done += piece.size();
    }
    log_->bytes_written += done;
    return done;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    const std::lock_guard guard(log_->lock);
    ec.clear();
    ++log_->sizes;
    return log_->content.size();
  }
  void sync(std::error_code& ec) noexcept override {
    const std::lock_guard guard(log_->lock);
    ++log_->syncs;
    ec.clear();
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    const std::lock_guard guard(log_->lock);
    ec.clear();
    log_->content.resize(static_cast<std::size_t>(size));
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::size_t read(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept {
    ec.clear();
    ++log_->reads;
    if (at >= log_->content.size()) return 0;
    const std::size_t n =
        std::min(into.size(), log_->content.size() - static_cast<std::size_t>(at));
    std::copy_n(log_->content.data() + at, n, into.data());
    log_->bytes_read += n;
    log_->longest_read = std::max(log_->longest_read, n);
    return n;
  }

  std::shared_ptr<request_log> log_;
};

}  // namespace leat_test
