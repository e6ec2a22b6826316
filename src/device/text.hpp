// Lines that end in "\r\n" below and in "\n" above: text mode, for programs that ask for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/cursor_device.hpp"

namespace leat {
inline namespace v0 {

/// Positions count the bytes above. What they are below follows from the bytes before them: known
/// places are kept from where a file has been read or written, and from the nearest one before it a
/// place is found by reading. So going to the end of a file reads it. A '\r' that no '\n' follows
/// stays. What can't be read, in a file opened to be written only, counts as if it had no "\r\n".
class text_device final : public cursor_device {
 public:
  /// Throws std::bad_alloc.
  text_device(std::unique_ptr<cursor_device> below, bool readable);

  device_traits traits() const noexcept override { return below_->traits(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return position_; }
  void place(std::uint64_t at, std::error_code& ec) noexcept override;
  std::uint64_t end(std::error_code& ec) const noexcept override;
  std::uint64_t offset() noexcept override;
  int descriptor() const noexcept override { return below_->descriptor(); }
  void sync(std::error_code& ec) noexcept override { below_->sync(ec); }
  void close(std::error_code& ec) noexcept override { below_->close(ec); }
  native_handle_type native_handle() const noexcept override { return below_->native_handle(); }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  /// The same place above and below.
  struct mark {
    std::uint64_t above = 0;
    std::uint64_t below = 0;
  };
  enum class goal { above, below };

  void remember() const;
  void forget_from(std::uint64_t above) const noexcept;
  bool fill(std::error_code& ec) const;
  std::size_t take(std::span<char> into) const noexcept;
  bool go_to(goal which, std::uint64_t at, std::error_code& ec) const;

  std::unique_ptr<cursor_device> below_;
  bool readable_;
  std::uint64_t position_ = 0;  // where it was at first
  // Finding out a place below reads, which changes nothing that can be seen.
  mutable std::vector<mark> marks_;  // in their order
  mutable mark here_;                // what comes next, here and at raw_[next_]
  mutable std::vector<char> raw_;    // bytes from below, up to end_
  mutable std::size_t next_ = 0;
  mutable std::size_t end_ = 0;
  mutable bool ended_ = false;  // nothing comes behind them
  bool begun_ = false;          // of a line's end the '\r' is written already
};

}  // namespace v0
}  // namespace leat
