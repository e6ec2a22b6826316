// The device of fopencookie's streams, which reads and writes through functions of the program.
// Made by open.cpp.
#pragma once

#include <leat/c/files.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/errno.hpp"
#include "device/cursor_device.hpp"
#include "stdio/mode.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

class cookie_device final : public cursor_device {
 public:
  cookie_device(void* cookie, const leat_cookie_functions& functions,
                const open_mode& mode) noexcept
      : cookie_(cookie), functions_(functions) {
    traits_.positional = functions_.seek != nullptr;
    traits_.appends = mode.appends && traits_.positional;
  }
  ~cookie_device() override {
    std::error_code ignored;
    close(ignored);
  }

  device_traits traits() const noexcept override { return traits_; }
  std::uint64_t offset(std::error_code& ec) noexcept override {
    ec.clear();
    return position_;
  }

  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    if (functions_.read == nullptr || !seek_to(at, ec)) return 0;
    const callback_scope call;
    return advance_by(functions_.read(cookie_, into.data(), into.size()), into.size(), ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    const std::string_view piece = pieces.front();
    ec.clear();
    if (functions_.write == nullptr) {
      ec = std::make_error_code(std::errc::bad_file_descriptor);
      return 0;
    }
    if (traits_.appends) {
      std::error_code ignored;  // a cookie may append without seeking, as in glibc
      static_cast<void>(end(ignored));
    } else if (!seek_to(at, ec)) {
      return 0;
    }
    const callback_scope call;
    const ssize_t n = functions_.write(cookie_, piece.data(), piece.size());
    // As the manual of glibc's fopencookie requires, the write function returns 0 on errors.
    return advance_by(n == 0 && errno != 0 ? -1 : n, piece.size(), ec);
  }
  void set_cursor(std::uint64_t at, std::error_code& ec) noexcept override {
    ec.clear();
    if (seek(static_cast<std::int64_t>(at), SEEK_SET, ec)) position_ = cursor_;
  }
  std::uint64_t end(std::error_code& ec) const noexcept override {
    ec.clear();
    seek(0, SEEK_END, ec);
    return cursor_;
  }
  native_handle_type release(std::uint64_t, std::error_code& ec) noexcept override {
    ec.clear();
    functions_.close = nullptr;
    return no_handle;
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    const callback_scope call;
    const auto function = std::exchange(functions_.close, nullptr);
    if (function != nullptr && function(cookie_) != 0) ec = callback_scope::error();
  }

 private:
  /// Moves the cookie's position by `n`, the result of a function of the program. Returns n. If n
  /// is negative or above `most` (EIO), sets `ec` and returns 0.
  std::size_t advance_by(ssize_t n, std::size_t most, std::error_code& ec) noexcept {
    if (n < 0 || static_cast<std::size_t>(n) > most) {
      ec = n < 0 ? callback_scope::error() : make_error_code(std::errc::io_error);
      return 0;
    }
    cursor_ += static_cast<std::uint64_t>(n);
    position_ = cursor_;
    return static_cast<std::size_t>(n);
  }
  bool seek_to(std::uint64_t at, std::error_code& ec) const noexcept {
    return !traits_.positional || at == cursor_ ||
           seek(static_cast<std::int64_t>(at), SEEK_SET, ec);
  }
  bool seek(std::int64_t offset, int whence, std::error_code& ec) const noexcept {
    leat_off_t at = offset;
    const callback_scope call;
    if (functions_.seek(cookie_, &at, whence) != 0 || at < 0) {
      ec = callback_scope::error();
      return false;
    }
    cursor_ = static_cast<std::uint64_t>(at);
    return true;
  }

  void* cookie_;
  leat_cookie_functions functions_;
  device_traits traits_;
  // The cookie's own position; position() is what the program sees. A query of the end moves the
  // position, and the next transfer moves it back.
  mutable std::uint64_t cursor_ = 0;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
