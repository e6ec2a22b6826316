// The buffer between a writer and a device: when bytes are written, and how many at a time.
#pragma once

#include <leat/file_stream.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/group_commit.hpp"
#include "device/lanes.hpp"
#include "device/options.hpp"
#include "device/rotating.hpp"
#include "device/sidecar.hpp"
#include "stream/background.hpp"
#include "stream/open_streams.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

/// A writer's bytes wait in a buffer, which is the writer's window, until the buffer is full or
/// somebody flushes.
///
/// The buffer holds the bytes of the positions [base_, base_ + pending()). For example, if base_ is
/// 100 and next_ is 5, the next byte goes to position 105. While the writer has the window, the
/// cursor is in the writer. So each function of the interface first takes the window back, and
/// lends it again at its end. A stream that writes after each call lends no window, and neither
/// does one that has failed: then every call comes here.
class device_sink final : public sink, open_stream {
 public:
  /// Who is in the list of open streams: this sink, or a shared one above it.
  enum class listed { itself, above };

  device_sink(std::unique_ptr<device> target, const options& how, std::string_view name,
              listed who = listed::itself);

  void write(writer& w, std::string_view bytes) noexcept override;
  failure flush(writer& w) noexcept override { return flush(w, sync_); }
  failure sync(writer& w) noexcept override { return flush(w, true); }
  bool begin_sync(writer& w, bool sync, failure& result) noexcept override;
  bool sync_device() noexcept override;
  failure end_sync(writer& w, bool synced) noexcept override;
  void flush_unreported(writer& w) noexcept override;
  failure seek(writer& w, std::uint64_t position) noexcept override;
  std::uint64_t tell(const writer& w) const noexcept override;
  failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept override;
  failure close(writer& w) noexcept override;
  std::unique_ptr<device> close_shared(writer& w, failure& result) noexcept override;
  failure refuse_to_seek(writer& w) const noexcept override;
  std::error_code error(const writer& w) const noexcept override;
  std::uint64_t lost(const writer& w) const noexcept override;
  std::uint64_t dropped(const writer&) const noexcept override { return dropped_; }
  void clear_error(writer& w) noexcept override;
  std::string_view name() const noexcept override { return name_; }
  failure finish(writer& w) noexcept override;
  failure leave(writer& w) noexcept override;
  bool abandon_if_inside(writer& w) noexcept override;
  void dispose(writer& w) noexcept override;
  void moved_to(writer& w) noexcept override;
  void flush_before_fork(writer& w) noexcept override;
  void forget_buffer() noexcept override;
  bool whole_calls() const noexcept override { return flush_ != flush_when::full || drops_; }
  std::size_t copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                   std::error_code& ec) noexcept override;
  void use(std::unique_ptr<sidecar> beside, rotating_device* changes) noexcept override;
  bool open_lanes(writer& w, lane_gate& gate) noexcept override;
  void close_lanes(writer& w) noexcept override;
  failure reopen(writer& w) noexcept override;
  bool is_open() const noexcept override { return device_ != nullptr; }
  native_handle_type native_handle() const noexcept override;
  native_handle_type release(writer& w, failure& why) noexcept override;
  void discard(writer& w) noexcept override;

 private:
  ~device_sink() { delist(); }

  // The window: between the writer and this sink
  void reclaim_window(const writer& w) noexcept;
  void lend_window(writer& w) noexcept;
  void lend_buffer(writer& w) noexcept;

  void before_fork() noexcept override;
  void after_fork_in_parent() noexcept override { syncs_.after_fork_in_parent(); }
  void after_fork_in_child() noexcept override;
  loss at_exit() noexcept override;

  // The bytes beside the file
  bool put_beside(std::string_view bytes) noexcept;
  /// What write() does where nothing can wait beside the file. Not inline: write() is then short.
  [[gnu::noinline]] void write_call(writer& w, std::string_view bytes) noexcept;
  void begin_beside() noexcept;
  bool begin_window_with(std::string_view bytes) noexcept;
  void leave_beside() noexcept;
  void follow_with_pending(std::uint64_t total) noexcept;
  void move_from_beside() noexcept;
  [[gnu::noinline]] void withdraw_from_beside() noexcept;
  // Of a log whose file changes
  void write_in_turns(std::string_view bytes) noexcept;
  bool begin_turn(std::uint64_t size) noexcept;
  void open_beside() noexcept;
  void look_for_file() noexcept;

  bool open_lanes_in_memory(writer& w, lane_gate& gate) noexcept;
  void end_lanes() noexcept;

  // The buffer's size
  std::size_t limit() const noexcept;
  std::size_t pending() const noexcept;
  bool allocate_buffer(std::size_t capacity) noexcept;
  void grow() noexcept;

  // From the caller into the buffer
  void add(std::string_view bytes, bool begun = false) noexcept;
  void add_large(std::string_view bytes) noexcept;
  void add_lines(std::string_view bytes) noexcept;
  void copy_in(std::string_view bytes) noexcept;

  // From the buffer to the device
  void write_buffer() noexcept;
  void write_buffer_and(std::string_view bytes) noexcept;
  void write_lines() noexcept;
  void write_to_pipe() noexcept;
  void write_what_waits(writer& w) noexcept;
  void write_and_sync(bool sync) noexcept;
  void note_sync() noexcept;
  failure flush(writer& w, bool sync) noexcept;

  // From the buffer to the device by the thread
  bool would_join_itself(const char* operation, failure& why) const noexcept;
  bool give_to_thread(std::size_t size) noexcept;
  bool make_spare() noexcept;
  void wait_for_thread() noexcept;
  bool waits_long_for_thread() noexcept;
  void take_window_back() noexcept;

  // Failures
  void fail(std::error_code ec, const char* operation, std::uint64_t offset,
            std::uint64_t unwritten) noexcept;
  void lose_buffer() noexcept;
  void give_up(writer& w) noexcept;
  failure report() noexcept;
  failure refuse(std::errc why, const char* operation, std::uint64_t offset) const noexcept;

  std::unique_ptr<device> device_;  // null: closed
  std::unique_ptr<device> ended_;   // a log, until its callbacks have returned
  device_traits traits_;
  std::string name_;
  listed who_;
  leat::durability durability_;
  flush_when flush_;
  bool sync_;
  bool direct_;                // past the system's cache
  std::size_t last_capacity_;  // the window doubles up to this; 0: never
  bool background_;            // full windows are given to a thread
  bool drops_;                 // what would have to wait for the thread

  window_memory buffer_;
  std::size_t capacity_;     // the buffer's size, even before it has memory
  std::size_t next_ = 0;     // the cursor, as an index into the buffer
  std::size_t high_ = 0;     // where the buffer's bytes end, if the cursor has gone back
  std::uint64_t base_ = 0;   // position of the buffer's first byte
  writer* owner_ = nullptr;  // who has the window
  user_thread user_;
  bool left_ = false;       // leave() was called
  bool abandoned_ = false;  // the program ends in the middle of a call: nothing is touched any more

  // With durability::process the bytes of completed calls wait here, and never in the buffer. Null:
  // each call writes its own.
  std::unique_ptr<sidecar> beside_;
  bool joins_ = false;                  // a forked child has not opened its own yet
  rotating_device* changes_ = nullptr;  // the device, if it is a log's
  bool closing_ = false;

  // Otherwise the lanes of threads are in memory, and their bytes belong behind the buffer's.
  lane_gate* gate_ = nullptr;  // of the lanes that are open
  std::unique_ptr<lane_memory> lanes_;

  group_commit syncs_;  // of the device

  // Null without options::background. A fork in another thread reads this pointer, so it never
  // changes.
  std::unique_ptr<background_writer> thread_;
  window_memory spare_;  // a window that came back from it
  std::size_t spare_capacity_ = 0;

  int exceptions_ = std::uncaught_exceptions();  // when the stream was made
  failure failed_;
  std::uint64_t resume_ = 0;       // where the first byte that failed_ has lost was to go
  std::uint64_t lost_before_ = 0;  // lost by failures that the program has cleared
  std::uint64_t dropped_ = 0;      // calls
  bool untold_ = false;            // nobody has been told of the failure, or of bytes lost since
  bool inherited_ = false;         // this process was forked while the stream was open
  std::uint64_t handed_over_ = 0;  // to an encoder: readers find the bytes before this
};

}  // namespace v0
}  // namespace leat
