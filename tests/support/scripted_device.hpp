// A device with scripted behaviour: partial writes, interruptions, failures.
#pragma once

#include <leat/device.hpp>
#include <leat/reader.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat_test {

/// The behaviour of a scripted_device, and its calls. The device and the test share the script.
struct device_script {
  leat::device_traits traits;
  std::uint64_t position = 0;
  /// If the handle is {} and `traits.reads_ahead` is true, the device counts as a file in the page
  /// cache.
  leat::native_handle_type handle = leat::no_handle;
  std::size_t max_transfer = std::numeric_limits<std::size_t>::max();
  bool random_sizes = false;     ///< a call moves a random number of bytes; a write may take 0
  unsigned interrupt_every = 0;  ///< n: calls 1, n + 1, 2n + 1, … fail with EINTR
  bool interrupt_after_one_byte = false;  ///< an interrupted write takes one byte
  int idle_calls = 0;  ///< number of next writes that take no byte and report no error
  std::uint64_t room = ~std::uint64_t{0};  ///< bytes that writes take before `failure`
  std::error_code failure = std::make_error_code(std::errc::no_space_on_device);
  std::error_code sync_failure, close_failure;

  struct call {
    std::uint64_t at;
    std::vector<std::size_t> pieces;
    std::size_t written;
  };
  std::vector<call> calls;
  /// A call of read_at(). `max_transfer`, `random_sizes` and `interrupt_every` also apply to reads.
  /// Reads and writes are counted separately.
  struct read {
    std::uint64_t at;
    char* into;
    std::size_t requested, returned;
  };
  std::vector<read> reads;
  std::uint64_t read_limit = ~std::uint64_t{0};  ///< reads at this position or later fail
  std::error_code read_failure = std::make_error_code(std::errc::io_error);
  std::string content;
  std::size_t piece_size = 0;     ///< the size of a lent piece; each piece has its own memory
  std::uint64_t read_cursor = 0;  ///< the next byte to read if reads have no position
  std::vector<leat::pattern> advice;
  /// While `copy_calls_left` is not 0, copy_at copies, and decrements `copy_calls_left`.
  int copy_calls_left = 0;
  std::vector<call> copy_calls;  ///< `at` is in the target; the only piece is the source position
  int syncs = 0, closes = 0, destructions = 0;
  std::mt19937 random{12345};
};

/// A device in memory that follows a script.
class scripted_device final : public leat::device {
 public:
  explicit scripted_device(std::shared_ptr<device_script> script) : script_(std::move(script)) {}
  ~scripted_device() override { ++script_->destructions; }

  leat::device_traits traits() const noexcept override { return script_->traits; }
  std::uint64_t position() const noexcept override { return script_->position; }
  leat::native_handle_type native_handle() const noexcept override { return script_->handle; }

  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    device_script& s = *script_;
    ec.clear();
    piece_.reset();
    if (!s.traits.positional) at = s.read_cursor;
    std::size_t n = std::min(into.size(), s.max_transfer);
    if (at < s.content.size())
      n = std::min<std::size_t>(n, s.content.size() - static_cast<std::size_t>(at));
    else
      n = 0;
    if (s.interrupt_every != 0 && s.reads.size() % s.interrupt_every == 0) {
      ec = std::make_error_code(std::errc::interrupted);
      n = 0;
    } else if (n > 1 && s.random_sizes) {
      n = std::uniform_int_distribution<std::size_t>(1, n)(s.random);
    }
    if (at + n > s.read_limit)
      n = at < s.read_limit ? static_cast<std::size_t>(s.read_limit - at) : 0;
    if (n == 0 && at >= s.read_limit) ec = s.read_failure;
    if (n != 0) s.content.copy(into.data(), n, static_cast<std::size_t>(at));
    s.read_cursor = at + n;
    s.reads.push_back({at, into.data(), into.size(), n});
    return n;
  }

  std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept override {
    device_script& s = *script_;
    const std::uint64_t end = std::min<std::uint64_t>(s.content.size(), s.read_limit);
    if (at >= end) return {};
    const std::uint64_t piece = at / s.piece_size * s.piece_size;
    if (piece_ == nullptr || piece != piece_at_ || at < viewed_ || at > viewed_end_) {
      // A new allocation: the address sanitizer finds uses of the previous piece.
      piece_ = std::make_unique<char[]>(s.piece_size + leat::window_padding);
      s.content.copy(piece_.get(), s.piece_size, static_cast<std::size_t>(piece));
      piece_at_ = piece;
      viewed_ = at;
    }
    const auto left = static_cast<std::size_t>(std::min(end, piece + s.piece_size) - at);
    const std::size_t least =
        std::min(left, std::max(wanted, static_cast<std::size_t>(std::max(at, viewed_end_) - at)));
    const std::size_t n = std::uniform_int_distribution<std::size_t>(least, left)(s.random);
    viewed_end_ = at + n;
    return {piece_.get() + (at - piece), n};
  }

  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    device_script& s = *script_;
    device_script::call call{at, {}, 0};
    std::string bytes;
    for (const auto& piece : pieces) {
      call.pieces.push_back(piece.size());
      bytes.append(piece.substr(0, std::min(piece.size(), s.max_transfer - bytes.size())));
    }
    ec.clear();
    std::size_t n = bytes.size();
    if (s.idle_calls > 0) {
      --s.idle_calls;
      n = 0;
    } else if (s.interrupt_every != 0 && s.calls.size() % s.interrupt_every == 0) {
      ec = std::make_error_code(std::errc::interrupted);
      n = s.interrupt_after_one_byte ? std::min<std::size_t>(n, 1) : 0;
    } else if (s.random_sizes) {
      n = std::uniform_int_distribution<std::size_t>(0, n)(s.random);
    }
    if (n > s.room) n = static_cast<std::size_t>(s.room);
    if (n == 0 && s.room == 0) ec = s.failure;
    store(at, bytes.substr(0, n));
    s.room -= n;
    call.written = n;
    s.calls.push_back(std::move(call));
    return n;
  }

  std::size_t copy_at(std::uint64_t at, leat::device& from, std::uint64_t from_at, std::size_t n,
                      std::error_code& ec) noexcept override {
    device_script& s = *script_;
    if (s.copy_calls_left == 0) return device::copy_at(at, from, from_at, n, ec);
    --s.copy_calls_left;
    std::string bytes(std::min({n, s.max_transfer, std::size_t{100000}}), ' ');
    bytes.resize(from.read_at(from_at, bytes, ec));
    store(at, bytes);
    s.copy_calls.push_back({at, {static_cast<std::size_t>(from_at)}, bytes.size()});
    return bytes.size();
  }

  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return script_->content.size();
  }
  void advise(leat::pattern expected) noexcept override { script_->advice.push_back(expected); }
  void sync(std::error_code& ec) noexcept override {
    ++script_->syncs;
    ec = script_->sync_failure;
  }
  void close(std::error_code& ec) noexcept override {
    ++script_->closes;
    ec = script_->close_failure;
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    ec.clear();
    script_->content.resize(size);
  }

 private:
  void store(std::uint64_t at, std::string_view bytes) {
    std::string& content = script_->content;
    if (!script_->traits.positional || script_->traits.appends) at = content.size();
    if (bytes.empty()) return;
    if (content.size() < at + bytes.size()) content.resize(at + bytes.size());
    bytes.copy(content.data() + at, bytes.size());
  }

  std::shared_ptr<device_script> script_;
  std::unique_ptr<char[]> piece_;
  std::uint64_t piece_at_ = 0, viewed_ = 0, viewed_end_ = 0;
};

inline std::shared_ptr<device_script> new_script() { return std::make_shared<device_script>(); }

/// The script of a device that counts as a file in the page cache.
inline std::shared_ptr<device_script> new_cached_script(std::string content) {
  auto script = new_script();
  script->content = std::move(content);
  script->traits.reads_ahead = true;
  script->handle = {};
  return script;
}

inline std::unique_ptr<leat::device> device_of(const std::shared_ptr<device_script>& script) {
  return std::make_unique<scripted_device>(script);
}

}  // namespace leat_test
