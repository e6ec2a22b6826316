// Bytes that wait beside the file or in lanes, and logs whose file changes.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "device/rotating.hpp"
#include "device/sidecar.hpp"
#include "device/transfer.hpp"
#include "stream/device_sink.hpp"

namespace leat {
inline namespace v0 {

// The bytes beside the file

/// Nothing waits: the next bytes belong behind those that were written.
void device_sink::begin_beside() noexcept {
  if (beside_ == nullptr) return;
  if (failed_ || device_ == nullptr) return beside_.reset();
  beside_->begin_at(base_);
  if (changes_ != nullptr) beside_->limit_to(changes_->room());
}

/// Takes the bytes of one call beside the file, if nothing waits there and the window is large
/// enough: a kill in a write to the file could leave a part of them.
bool device_sink::begin_window_with(std::string_view bytes) noexcept {
  if (beside_ == nullptr || !beside_->is_alone() || bytes.empty()) return false;
  begin_beside();
  if (beside_ == nullptr) return false;
  // A file of a log takes one line that is longer than it may be.
  beside_->limit_to((std::numeric_limits<std::uint64_t>::max)());
  const sidecar::result what = beside_->put(bytes);
  if (changes_ != nullptr)
    beside_->limit_to(changes_->room() - std::min<std::uint64_t>(bytes.size(), changes_->room()));
  if (what == sidecar::result::shared) withdraw_from_beside();
  return what != sidecar::result::no_room;
}

/// Writes what waits to the file.
void device_sink::move_from_beside() noexcept {
  beside_->close_lanes();
  const std::array<std::string_view, 1> pieces{beside_->waiting()};
  const std::uint64_t total = pieces.front().size() + beside_->lost();
  if (total == 0) return;
  // What waits belongs to the present file. Who opens it waits for the move, so the lock is first.
  if (changes_ != nullptr) changes_->hold();
  const bool removed = changes_ != nullptr && changes_->was_removed();
  const bool moves = !removed && beside_->begin_moving();
  if (moves) {
    std::error_code ec = beside_->broken().code;
    if (!ec && beside_->lost() != 0) ec = errc::bad_sidecar;
    const std::uint64_t written = ec ? 0 : write_all(*device_, base_, pieces, ec);
    if (ec) fail(ec, "write", base_ + written, total - written);
    base_ += total;
    begin_beside();
  }
  if (changes_ != nullptr) changes_->end_turn();
  if (removed) follow_with_pending(total);
  if (moves || beside_ == nullptr) return;
  withdraw_from_beside();
  if (beside_ != nullptr) move_from_beside();  // the next file of a log has its own
}

/// Goes on in the file that has the log's name now. Opening it puts the pending bytes there: the
/// file that they belonged to has no name any more.
void device_sink::follow_with_pending(std::uint64_t total) noexcept {
  std::error_code ec;
  changes_->begin_turn(0, ec);
  changes_->end_turn();
  if (!ec) return;
  fail(ec, "open", base_, total);
  beside_.reset();
}

bool device_sink::open_lanes(writer& w, lane_gate& gate) noexcept {
  if (failed_ || device_ == nullptr || abandoned_) return false;
  const user_thread::call inside(user_);
  if (beside_ == nullptr) return open_lanes_in_memory(w, gate);
  reclaim_window(w);
  look_for_file();
  lend_window(w);
  if (beside_ == nullptr || failed_) return false;
  return changes_ != nullptr ? beside_->open_lanes(gate, changes_->room(), changes_->late_at())
                             : beside_->open_lanes(gate, lanes_size, lane_gate::never_late);
}

/// Where bytes may wait in the buffer, they may wait in lanes, too.
bool device_sink::open_lanes_in_memory(writer& w, lane_gate& gate) noexcept {
  if (flush_ != flush_when::full || drops_ || sync_ || !lane_gate::is_possible()) return false;
  if (lanes_ == nullptr) lanes_.reset(new (std::nothrow) lane_memory);
  if (lanes_ == nullptr) return false;
  reclaim_window(w);
  set_window(w, nullptr, nullptr);  // each other call comes here, and ends the lanes
  lanes_->clear();
  gate_ = &gate;
  gate.open(lanes_->lanes, lane_memory::not_shared, best_lane_clock(), lane::room,
            lane_gate::never_late);
  return true;
}

/// Takes what waits in lanes into the buffer.
void device_sink::end_lanes() noexcept {
  std::exchange(gate_, nullptr)->close();
  add({lanes_->merged, merge_lanes(lanes_->lanes, lane::all_times, lanes_->merged)});
}

void device_sink::close_lanes(writer& w) noexcept {
  if (abandoned_) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  lend_window(w);
}

/// Writes what waits to the file, which others write to as well from now on.
void device_sink::withdraw_from_beside() noexcept {
  const std::array<std::string_view, 1> all{beside_->waiting()};
  std::error_code ec;
  if (beside_->lost() != 0) fail(errc::bad_sidecar, "write", base_, beside_->lost());
  const std::size_t done = beside_->withdraw(ec);
  const std::array<std::string_view, 1> rest{all.front().substr(done)};
  if (changes_ != nullptr && !ec) {
    base_ += done;
    try {
      const std::string bytes(rest.front());  // the mapping may go meanwhile
      write_in_turns(bytes);
    } catch (const std::bad_alloc&) {
      fail(std::make_error_code(std::errc::not_enough_memory), "write", base_, rest.front().size());
    }
    if (failed_) beside_.reset();
    return;
  }
  std::uint64_t written = 0;
  if (!ec && !rest.front().empty()) {
    const sidecar::turn turn(beside_.get(), rest.front());
    written = write_all(*device_, base_ + done, rest, ec);
  }
  if (ec) fail(ec, "write", base_ + done + written, rest.front().size() - written);
  base_ += all.front().size();
  if (failed_) beside_.reset();
}

// A log whose file changes

void device_sink::use(std::unique_ptr<sidecar> beside, rotating_device* changes) noexcept {
  user_.enter();
  beside_ = std::move(beside);
  changes_ = changes;
  if (changes_ == nullptr || durability_ != durability::process) return;
  // In a turn, because the file could become an old one meanwhile.
  if (begin_turn(0) && beside_ == nullptr) {
    open_beside();
    begin_turn(0);
  }
  changes_->end_turn();
  begin_beside();
}

/// Begins a turn in which nothing waits beside the file. False: the stream has failed.
bool device_sink::begin_turn(std::uint64_t size) noexcept {
  for (;;) {
    // It belongs to the file that was moved, and would keep the next one from being opened.
    if (beside_ != nullptr && beside_->is_alone() && changes_->was_moved()) beside_.reset();
    std::error_code ec;
    const rotating_device::found found = changes_->begin_turn(size, ec);
    if (ec) {
      fail(ec, "open", failure::no_offset, 0);
      return false;
    }
    // Whoever rotates, or follows a moved file, removes the sidecar.
    const bool lost = beside_ != nullptr && !beside_->is_alone() && beside_->was_removed();
    if (found == rotating_device::found::same && !lost) return true;
    if (found == rotating_device::found::due) {
      leave_beside();
      changes_->rotate();
    }
    open_beside();
  }
}

/// Each file of a log has its own. What waits in another process's goes into the file now, so its
/// size has to be asked for again.
void device_sink::open_beside() noexcept {
  leave_beside();
  if (durability_ == durability::process) beside_ = changes_->open_sidecar();
}

/// Gives up a sidecar in which nothing is pending.
void device_sink::leave_beside() noexcept {
  {
    const sidecar::turn completes_what_a_killed_process_has_begun(beside_.get(), {});
  }
  beside_.reset();
}

/// Writes the bytes of one call, lines that fit into no file into the next one.
void device_sink::write_in_turns(std::string_view bytes) noexcept {
  while (!bytes.empty() && !failed_) {
    std::size_t size = bytes.size();
    if (begin_turn(rotating_device::first_line(bytes))) {
      size = changes_->fitting(bytes);
      const std::string_view now = bytes.substr(0, size);
      if (!begin_window_with(now)) {
        {
          const sidecar::turn turn(beside_.get(), now);
          if (turn.is_lost())
            size = 0;
          else
            write_buffer_and(now);
        }
        if (size != 0) begin_beside();  // a failure ends the sidecar, which the turn has used
      }
    } else {
      fail({}, "write", base_, size);
    }
    changes_->end_turn();
    bytes.remove_prefix(size);
    // The next turn may change the file.
    if (!bytes.empty() && beside_ != nullptr) move_from_beside();
  }
  if (!bytes.empty()) fail({}, "write", base_, bytes.size());
}

failure device_sink::reopen(writer& w) noexcept {
  if (device_ == nullptr || abandoned_) return {errc::closed, "reopen"};
  const user_thread::call inside(user_);
  if (changes_ == nullptr)
    return refuse(std::errc::operation_not_supported, "reopen", failure::no_offset);
  reclaim_window(w);
  if (!failed_) write_buffer();
  wait_for_thread();
  if (!failed_) {
    begin_turn(0);
    changes_->end_turn();
  }
  lend_window(w);
  return failed_ ? report() : failure{};
}

/// Where bytes wait beside a log, most calls don't look whether its file still has its name.
void device_sink::look_for_file() noexcept {
  if (changes_ == nullptr || durability_ != durability::process || closing_ || failed_) return;
  begin_turn(0);
  changes_->end_turn();
}

}  // namespace v0
}  // namespace leat
