// Sequences of calls on a writer over a device that fails. The bytes in the file and the bytes
// reported are the bytes handed over.
#include <leat/file_stream.hpp>

#include <array>
#include <memory>
#include <string_view>

#include "device.hpp"
#include "writing.hpp"

namespace {

using fuzz::input, fuzz::model, fuzz::move_or_patch, fuzz::write_something;

void check(const leat::writer& out, const fuzz::disk& disk, const model& same, bool cleared) {
  if (disk.faults == 0) {
    fuzz::expect(out.error() == leat::errc::closed, "an error without a fault");
    fuzz::expect_equal(out.lost(), 0U, "a loss without a fault");
    fuzz::expect(disk.content == same.content, "the file has what was written");
  } else if (!same.has_moved) {
    fuzz::expect_equal(disk.content.size() + out.lost(), same.accepted, "in the file and lost");
    if (!cleared) fuzz::expect(same.content.starts_with(disk.content), "the start is in the file");
  }
}

/// Calls until the input ends, and then close(). `target` is the stream or a shared one over it.
void write_file(input& in, leat::writer& out, leat::writer& target, fuzz::disk& disk,
                bool can_move) {
  model same;
  bool cleared = false;
  std::error_code ec;
  while (in.more()) {
    switch (in.below(8)) {
      case 0:
        target.flush(ec);
        if (!ec && disk.faults == 0)
          fuzz::expect(disk.content == same.content, "flushed bytes are in the file");
        break;
      case 1:
        target.sync(ec);
        break;
      case 2:
        if (can_move) move_or_patch(in, target, same, same.content.size() + 50);
        break;
      case 3:
        if (in.below(4) != 0) break;
        target.clear_error();
        cleared = true;
        break;
      default:
        write_something(in, target, same);
    }
    if (disk.faults == 0 && can_move) fuzz::expect_equal(target.tell(), same.at, "tell()");
  }
  target.flush(ec);
  const bool flushed = !ec;
  out.close(ec);
  fuzz::expect(!ec || disk.faults != 0, "close() fails after a fault only");
  if (flushed && !ec && !cleared) fuzz::expect(disk.content == same.content, "success is complete");
  check(out, disk, same, cleared);
}

void to_device(input& in) {
  fuzz::disk disk = fuzz::disk::from(in, true);
  disk.traits.appends = in.below(4) == 0;
  disk.traits.positional = !disk.traits.appends && in.below(6) != 0;
  const bool shared = in.below(6) == 0;
  leat::file_writer out(
      std::make_unique<fuzz::device>(disk),
      {.buffer_size = in.one_of(std::array<std::size_t, 6>{0, 1, 2, 7, 64, 4096}),
       .durability = in.below(3) == 0 ? leat::durability::process : leat::durability::none,
       .flush = in.one_of(
           std::array{leat::flush_when::full, leat::flush_when::line, leat::flush_when::call}),
       .background = in.below(8) == 0});
  const bool can_move = !disk.traits.appends && disk.traits.positional && !shared;
  if (shared) {
    leat::synchronized threads(out);
    write_file(in, threads, threads, disk, false);
  } else {
    write_file(in, out, out, disk, can_move);
  }
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  to_device(in);
}

const fuzz::driver self("writer", drive);

}  // namespace
