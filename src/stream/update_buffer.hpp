// Source and sink of a file_stream: reading and writing through one buffer. Called by the functions
// of reader and writer.
#pragma once

#include <leat/file_stream.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "base/memory_block.hpp"
#include "device/options.hpp"
#include "device/seek_reads.hpp"
#include "stream/open_streams.hpp"
#include "stream/read_failure.hpp"
#include "stream/sink.hpp"
#include "stream/source.hpp"
#include "stream/write_failures.hpp"

namespace leat {
inline namespace v0 {

/// The buffer holds the bytes that the file has, or is to have, from base_ on. The stream has two
/// sides, the reader and the writer. The window is a part of the buffer, and one side has the
/// window, or neither side. The next call of a side without the window comes here. After a read
/// into the buffer, the reader has the window. After a write, the writer has the window; if each
/// call or line is flushed, or if a write has failed, the writer gets no window. After another
/// call, for example a seek, a flush or a read that bypasses the buffer, neither side has the
/// window. Passing the window to the other side reads and writes nothing.
class update_buffer final : public source, public file_sink, open_stream {
 public:
  update_buffer(std::unique_ptr<device> opened, const options& how, std::string_view name);

  /// Connects the two sides of the stream. Must be called before the sides are used.
  void connect(reader& r, writer& w) noexcept;

  // Both sides
  std::string_view name() const noexcept override { return name_; }
  bool is_open() const noexcept override { return device_ != nullptr; }
  native_handle_type native_handle() const noexcept override;
  /// Closes both sides. Returns the stream's first failed write, else an unreported failed read,
  /// else the failure of closing.
  failure close() noexcept;

  // For the reader
  void fill(reader& r, std::size_t wanted) noexcept override;
  std::size_t read(reader& r, std::span<char> into) noexcept override;
  failure seek(reader&, std::uint64_t position) noexcept override { return seek(position); }
  std::uint64_t tell(const reader&) const noexcept override { return tell(); }
  std::uint64_t size(const reader& r, std::error_code& ec) const noexcept override;
  /// Also true while a failed write is unreported: the file has old bytes where the program wrote
  /// new bytes.
  bool is_failing() const noexcept override {
    return read_failure_.is_pending() || device_ == nullptr || write_failures_.is_unreported() ||
           abandoned_;
  }
  failure report() noexcept override;
  failure close(reader&) noexcept override { return close(); }
  std::error_code error() const noexcept override;
  /// False: reclaim_window() needs the cursor.
  bool has_borrowable_window() const noexcept override { return false; }
  void dispose(reader&) noexcept override {}  // the writer's dispose() frees the object
  void moved_to(reader& r) noexcept override { reader_ = &r; }
  bool is_positional() const noexcept override { return traits_.positional; }
  std::uint64_t seekable_end(const reader& r, std::uint64_t n) noexcept override;

  // For the writer
  void write(writer& w, std::string_view bytes) noexcept override;
  failure flush(writer&, bool sync) noexcept override { return flush(sync || sync_); }
  failure seek(writer&, std::uint64_t position) noexcept override { return seek(position); }
  std::uint64_t tell(const writer&) const noexcept override { return tell(); }
  failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept override;
  failure close(writer&) noexcept override { return close(); }
  failure status(const writer&) const noexcept override;
  void clear_error(writer&) noexcept override;
  failure flush_at_exit(writer& w) noexcept override;
  void dispose(writer& w) noexcept override;
  void moved_to(writer& w) noexcept override { writer_ = &w; }
  print_needs needs_of_print(const writer&) const noexcept override {
    return {.whole_calls = flush_ != flush_when::full, .own_memory = {block_.data, block_.size}};
  }

 private:
  ~update_buffer() {
    delist();
    leat::release(block_);
  }

  void reclaim_window() noexcept;
  void assign_window_to_reader() noexcept;
  void assign_window_to_writer() noexcept;
  void before_fork() noexcept override;
  void after_fork_in_child() noexcept override;
  bool abandon_interrupted() noexcept;
  loss at_exit() noexcept override;

  void move_to(std::uint64_t position) noexcept;
  failure seek(std::uint64_t position) noexcept;
  std::uint64_t tell() const noexcept;
  bool make_room(std::size_t size) noexcept;
  [[gnu::noinline]] void read_around(std::size_t wanted) noexcept;
  std::size_t read_device(std::uint64_t at, std::span<char> into) noexcept;
  void copy_in(std::string_view bytes) noexcept;
  void write_back() noexcept;
  void empty_buffer() noexcept;
  failure flush(bool sync) noexcept;

  std::unique_ptr<device> device_;  // null: closed
  device_traits traits_;
  std::string name_;
  flush_when flush_;
  bool sync_;
  std::size_t first_read_size_;
  std::size_t read_size_ = 0;  // size of the last read; 0: none since a seek
  bool reads_around_;          // read_around() may be called
  seek_reads seek_reads_;

  memory_block block_;           // the buffer; larger than capacity_ since a long line
  std::size_t capacity_;         // the buffer's usual size, even before it has memory
  std::size_t next_ = 0;         // the cursor's index in the buffer, while no side has the window
  std::size_t valid_end_ = 0;    // the buffer holds the file's bytes up to here
  std::size_t dirty_begin_ = 0;  // the first byte that is not in the file yet
  std::size_t dirty_end_ = 0;    // end of the changed bytes; 0: all bytes are in the file
  std::uint64_t base_ = 0;       // position of the buffer's first byte
  reader* reader_ = nullptr;
  writer* writer_ = nullptr;
  enum class side { none, reading, writing } window_side_ = side::none;
  // With flush_when::line: the last write has left bytes in the buffer. at_exit() reads this member
  // in another thread.
  std::atomic<bool> holds_partial_line_ = false;
  user_thread user_;
  bool abandoned_ = false;  // a call was interrupted and will not continue: use nothing

  read_failure read_failure_;
  write_failures write_failures_;
};

}  // namespace v0
}  // namespace leat
