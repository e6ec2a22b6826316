// The buffer between a device and a reader. Decides when to read, and how much. Called by the
// functions of reader and file_reader.
#pragma once

#include <leat/file_stream.hpp>

#include <cstddef>
#include <memory>
#include <string>

#include "base/memory_block.hpp"
#include "device/options.hpp"
#include "device/seek_reads.hpp"
#include "stream/mapped_search.hpp"
#include "stream/read_failure.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

/// The reader's window is the part of the buffer that holds bytes. If a file is seekable and reads
/// have two pages or more, a byte's address and its position in the file are equal modulo the page
/// size, so the kernel copies whole pages.
///
/// If the device has views of its memory, the window is that memory, except with pattern::random.
/// Only a line, or another request, that crosses the boundary between two pieces of memory is
/// copied to the buffer. For example, with pieces of 8 MiB, one line of each piece is copied.
class device_source : public source {
 public:
  device_source(std::unique_ptr<device> from, const options& how, std::string_view name);

  /// Sets the reader's position. The first read fills the window.
  void start(reader& r) noexcept { set_window(r, {}, device_->position()); }

  void fill(reader& r, std::size_t wanted) noexcept override;
  std::size_t read(reader& r, std::span<char> into) noexcept override;
  std::size_t read_rest(reader& r, std::span<char> into) noexcept override;
  std::uint64_t expected_bytes(const reader& r) const noexcept override;
  failure seek(reader& r, std::uint64_t position) noexcept override;
  bool skip_absent(reader& r, search::needle& wanted) noexcept override;
  std::uint64_t skip_unread(reader& r, std::uint64_t n) noexcept override;
  std::uint64_t size(const reader& r, std::error_code& ec) const noexcept override;
  bool is_failing() const noexcept override {
    return read_failure_.is_pending() || device_ == nullptr;
  }
  failure report() noexcept override;
  failure close(reader& r) noexcept override;
  std::error_code error() const noexcept override;
  std::string_view name() const noexcept override { return name_; }
  void dispose(reader& r) noexcept override;
  /// The device, for copies inside the kernel. Null if no read is possible. Null for a terminal: a
  /// copy inside the kernel would take the terminal's end of file, and the next read would wait for
  /// a second end of file.
  device* underlying_device() noexcept override {
    return can_read() && !traits_.terminal ? device_.get() : nullptr;
  }
  void skip_copied(reader& r, std::size_t n) noexcept override { set_window(r, {}, r.tell() + n); }
  bool is_open() const noexcept override { return device_ != nullptr; }
  native_handle_type native_handle() const noexcept override;
  native_handle_type release(reader& r, failure& why) noexcept override;
  bool is_positional() const noexcept override { return traits_.positional; }
  std::uint64_t seekable_end(const reader& r, std::uint64_t n) noexcept override;

 protected:
  virtual ~device_source() { leat::release(block_); }

  /// The failed reads that are not reported yet; none after close().
  read_failure read_failure_;

 private:
  void fill_window(reader& r, std::size_t wanted) noexcept;
  void view_device_memory(reader& r, std::size_t wanted) noexcept;
  [[gnu::noinline]] void read_around(reader& r, std::size_t wanted) noexcept;
  void plan_read(reader& r, std::size_t wanted) noexcept;
  bool make_room(reader& r, std::size_t lead, std::size_t size) noexcept;
  std::size_t read_device(std::uint64_t at, std::span<char> into) noexcept;
  bool reads_whole_pages() const noexcept;
  /// Returns true if the system does not read ahead, so each read waits for the device.
  bool waits_for_reads() const noexcept { return traits_.positional && !traits_.reads_ahead; }
  bool can_read() const noexcept { return !is_failing() && !terminal_ended_; }

  std::unique_ptr<device> device_;  // null: closed
  device_traits traits_;
  std::string name_;
  std::size_t first_read_size_;
  std::size_t last_read_size_;
  std::size_t bypass_size_;  // reads of at least this size bypass the buffer

  std::size_t window_limit_;  // see open_options::window_limit

  memory_block block_;  // contains the buffer, which begins at a page of the memory
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;       // of the buffer; window_padding bytes follow
  std::size_t read_size_ = 0;      // size of the last planned read; 0: none since a seek or a view
  std::uint64_t planned_end_ = 0;  // planned end position of the current window
  bool reads_around_;              // read_around() may be called
  seek_reads seek_reads_;

  mapped_search mapped_search_;
  bool uses_views_;              // windows are the device's memory if possible
  bool terminal_ended_ = false;  // a terminal reports its end only once
};

}  // namespace v0
}  // namespace leat
