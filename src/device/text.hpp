// Text mode, only on Windows: lines end in "\r\n" in the file and in "\n" for the program.
// stdio/mode.cpp makes this device for modes with a 't', for example "rt".
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

/// "Above" is what the program sees, "below" is what the file has. For example, "a\nb" above is
/// "a\r\nb" below, and position 2 above is position 3 below. The device's positions are positions
/// above. To find a position below, the device reads from the last known position before the wanted
/// position. So going to the end of a file reads the file. position() does not follow reads and
/// writes: it returns the position at the construction. A '\r' without a '\n' after it stays. If
/// the descriptor can't read (`readable` is false), the file is treated as if it had no "\r\n".
class text_device final : public cursor_device {
 public:
  /// Throws std::bad_alloc; then `below` is unchanged.
  text_device(std::unique_ptr<cursor_device>&& below, bool readable);

  device_traits traits() const noexcept override { return below_->traits(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  void set_cursor(std::uint64_t at, std::error_code& ec) noexcept override;
  std::uint64_t end(std::error_code& ec) const noexcept override;
  std::uint64_t offset(std::error_code& ec) noexcept override;
  int descriptor() const noexcept override { return below_->descriptor(); }
  void sync(std::error_code& ec) noexcept override { below_->sync(ec); }
  void close(std::error_code& ec) noexcept override { below_->close(ec); }
  native_handle_type native_handle() const noexcept override { return below_->native_handle(); }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override {
    return below_->release(at, ec);
  }

 private:
  /// A position above, and the same position below.
  struct mark {
    std::uint64_t above = 0;
    std::uint64_t below = 0;
  };
  enum class side { above, below };

  void add_mark() const;
  void drop_marks_after(std::uint64_t above) const noexcept;
  bool fill(std::error_code& ec) const;
  std::size_t translate(std::span<char> into) const noexcept;
  bool seek(side which, std::uint64_t at, std::error_code& ec) const;

  std::unique_ptr<cursor_device> below_;
  bool readable_;
  // Mutable: finding the end reads, but changes nothing that a caller sees.
  mutable std::vector<mark> marks_;  // known positions, in ascending order
  mutable mark current_;             // the position of raw_[next_], which is read next
  mutable std::vector<char> raw_;    // bytes from below, up to end_
  mutable std::size_t next_ = 0;
  mutable std::size_t end_ = 0;
  mutable bool ended_ = false;  // the file ends after raw_
  bool cr_written_ = false;     // the '\r' of a line's end has been written, its '\n' not yet
};

}  // namespace v0
}  // namespace leat
