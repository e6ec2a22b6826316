// A device with slow syncs, for tests of threads that wait for one sync together.
#pragma once

#include <leat/device.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace leat_test {

/// A device whose syncs take 2 ms. `written` is the end of the last write. `durable` is the number
/// of bytes that the syncs have made durable. Syncs after the first `fails_after` syncs fail. All
/// devices share these counts; reset() resets them.
struct slow_disk final : leat::device {
  leat::device_traits traits() const noexcept override {
    leat::device_traits mine;
    mine.syncs_concurrently = true;
    return mine;
  }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
    return 0;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    std::uint64_t n = 0;
    for (const auto piece : pieces) n += piece.size();
    written.store(at + n);
    return static_cast<std::size_t>(n);
  }
  void sync(std::error_code& ec) noexcept override {
    ec.clear();
    const std::uint64_t seen = written.load();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++syncs;
    if (syncs > fails_after)
      ec = std::make_error_code(std::errc::io_error);
    else
      durable.store(seen);
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

  static void reset() {
    written = durable = 0;
    syncs = 0;
    fails_after = 1'000'000;
  }

  static inline std::atomic<std::uint64_t> written, durable;
  static inline std::atomic<int> syncs, fails_after;
};

}  // namespace leat_test
