// Random calls on a writer over a device that may fail. If no call moves the position, the bytes in
// the file and the lost bytes together are as many as the accepted bytes.
#include <leat/file_stream.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "device.hpp"
#include "writing.hpp"

namespace {

using fuzz::input, fuzz::model, fuzz::seek_or_patch, fuzz::write_something;

/// Calls on a writer, and the expected content of the file. Sometimes clear_error() clears the
/// error of a failed stream: then the stream continues at the first byte that the disk refused.
class writer_calls {
 public:
  writer_calls(leat::writer& target, fuzz::disk& disk, bool can_seek)
      : target_(target), disk_(disk), can_seek_(can_seek) {}

  void make_call(input& in) {
    std::error_code ec;
    switch (in.below(10)) {
      case 0:
      case 1: {
        const bool syncs = in.flag();
        fuzz::step("{}", syncs ? "sync" : "flush");
        syncs ? target_.sync(ec) : target_.flush(ec);
        check_flush(ec);
        break;
      }
      case 2: {
        const std::size_t faults = disk_.faults;
        if (can_seek_ && !seek_or_patch(in, target_, expected_, expected_.content.size() + 50))
          patch_failed_ |= faults != disk_.faults;
        break;
      }
      case 3:
        if (in.below(4) == 0) clear_error();
        break;
      case 4:
        for (std::size_t n = disk_.pause == 0 ? 0 : in.below(16); n != 0; --n) write(in, 7000);
        break;
      default:
        write(in, 0);
    }
    if (!failed() && can_seek_) fuzz::expect_equal(target_.tell(), expected_.at, "tell()");
  }

  /// Closes `out`: the stream, or the stream below a shared stream.
  void close(leat::writer& out) {
    std::error_code ec;
    target_.flush(ec);
    check_flush(ec);
    out.close(ec);
    fuzz::expect_equal(static_cast<bool>(ec), failed(), "whether close() fails");
    check(out);
  }

 private:
  bool failed() const { return disk_.faults != cleared_faults_; }

  void check_flush(const std::error_code& ec) const {
    fuzz::expect_equal(static_cast<bool>(ec), failed(), "whether flush() fails");
    check(target_);
  }
  /// Compares the file and the lost bytes with the model. No bytes may be pending.
  void check(const leat::writer& out) const {
    if (!failed() || disk_.sync_faults != 0)
      fuzz::expect_text(disk_.content, expected_.content, "the file");
    else if (!patch_failed_)
      fuzz::expect_text(bytes_before_failure(disk_.content),
                        bytes_before_failure(expected_.content), "the start of the file");
    if (!expected_.has_moved)
      fuzz::expect_equal(disk_.content.size() + out.lost(), expected_.accepted,
                         "the number of bytes in the file and lost bytes");
  }
  /// Returns the bytes before the first byte that the disk refused, padded with zeros. After a
  /// seek, the buffered bytes and the bytes of the last write may have the same positions, and the
  /// model already has the last write. So after a seek, returns at most the bytes before the last
  /// write.
  std::string bytes_before_failure(std::string content) const {
    content.resize(expected_.has_moved ? std::min(disk_.failed_at, write_position_)
                                       : disk_.failed_at);
    return content;
  }

  /// Makes a call that writes fewer than `most` bytes. If `most` is 0, makes any call that writes.
  void write(input& in, std::size_t most) {
    const bool ignored = static_cast<bool>(target_.error());
    const std::uint64_t dropped = target_.dropped();
    model before = expected_;
    if (!ignored) write_position_ = expected_.at;
    if (most == 0) {
      write_something(in, target_, expected_);
    } else {
      const std::string bytes = in.bytes(in.below(most));
      fuzz::step("write {}", bytes.size());
      target_.write(bytes);
      expected_.write(bytes);
    }
    if (target_.dropped() != dropped) {
      fuzz::expect_equal(target_.dropped(), dropped + 1, "dropped()");
      expected_ = before;
    } else if (ignored) {
      before.accepted = expected_.accepted;
      expected_ = before;
    }
  }

  void clear_error() {
    std::error_code ec;
    if (!target_.error()) target_.flush(ec);  // the background thread may have failed
    fuzz::step("clear_error");
    check(target_);
    target_.clear_error();
    fuzz::expect_equal(static_cast<bool>(target_.error()), disk_.sync_faults != 0,
                       "whether an error remains after clear_error()");
    if (!failed() || disk_.sync_faults != 0) return;
    const std::uint64_t at = target_.tell();
    fuzz::expect(at == disk_.failed_at || patch_failed_,
                 "the position after clear_error() is not where the disk failed");
    check(target_);
    expected_.content = disk_.content;
    expected_.at = at;
    cleared_faults_ = disk_.faults;
    patch_failed_ = false;
  }

  leat::writer& target_;
  fuzz::disk& disk_;
  bool can_seek_, patch_failed_ = false;
  model expected_;
  std::uint64_t write_position_ = 0;  ///< position of the last write that the stream accepted
  std::size_t cleared_faults_ = 0;    ///< number of faults at the last clear_error()
};

void write_to_device(input& in) {
  fuzz::disk disk = fuzz::disk::from_input(in, true);
  disk.traits.appends = in.below(4) == 0;
  disk.traits.positional = !disk.traits.appends && in.below(6) != 0;
  const bool shared = in.below(6) == 0, drops = in.rarely(16);
  if (drops) disk.pause = 50;
  leat::file_writer out(
      std::make_unique<fuzz::device>(disk),
      {.buffer_size = in.one_of(std::array<std::size_t, 7>{0, 1, 2, 7, 64, 4096, 8192}),
       .durability =
           !drops && in.below(3) == 0 ? leat::durability::process : leat::durability::none,
       .flush = drops ? leat::flush_when::full
                      : in.one_of(std::array{leat::flush_when::full, leat::flush_when::line,
                                             leat::flush_when::call}),
       .background = drops || in.below(8) == 0,
       .when_full = drops ? leat::when_full::drop : leat::when_full::wait});
  if (shared) {
    leat::synchronized threads(out);
    writer_calls calls(threads, disk, false);
    while (in.has_more()) calls.make_call(in);
    return calls.close(out);
  }
  writer_calls calls(out, disk, !disk.traits.appends && disk.traits.positional);
  while (in.has_more()) {
    calls.make_call(in);
    if (!in.rarely(16)) continue;
    fuzz::step("move and swap");
    leat::file_writer other(std::move(out)), third;
    fuzz::expect(!out.is_open() && out.error() == leat::errc::closed,
                 "a stream that was moved from is open");
    std::swap(other, third);
    out = std::move(third);
  }
  calls.close(out);
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  write_to_device(in);
}

const fuzz::driver self("writer", drive);

}  // namespace
