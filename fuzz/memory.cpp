// Random calls on writers to memory (memory_writer, string_writer). The memory has the written
// bytes that fit. Further bytes are counted as lost.
#include <leat/memory.hpp>

#include <span>
#include <string>
#include <string_view>

#include "writing.hpp"

namespace {

using fuzz::input, fuzz::model, fuzz::seek_or_patch, fuzz::write_something;

/// Makes random calls on `out`. `room`: the number of bytes that the memory keeps. Further bytes
/// are lost.
template <class Out>
void write_to_memory(input& in, Out& out, std::size_t room) {
  model expected;
  while (in.has_more()) {
    switch (in.below(8)) {
      case 0:
        // Positions and counts refer to the memory, so these calls are made only while all bytes
        // fit.
        if (expected.content.size() <= room)
          seek_or_patch(in, out, expected, expected.content.size());
        break;
      case 1:
        if (in.below(8) != 0) break;
        out.clear();
        expected = {};
        break;
      case 2: {
        // Writes bytes that are in the writer's own memory.
        const std::string_view own = out.view();
        if (own.size() > 100'000) break;
        const std::size_t from = in.below(own.size() + 1), n = in.below(own.size() - from + 1);
        const std::string piece(own.substr(from, n));
        if (in.flag()) {
          out.write(own.substr(from, n));
          expected.write(piece);
        } else {
          out.println("<{:>3}>", own.substr(from, n));
          expected.write(fmt::format("<{:>3}>\n", piece));
        }
        break;
      }
      case 3:
        if constexpr (requires { out.take(); }) {
          if (!in.rarely(8)) break;
          fuzz::expect(out.take() == expected.content, "the text from take()");
          expected = {};
        } else {
          Out moved(std::move(out));
          out = std::move(moved);
        }
        break;
      default:
        write_something(in, out, expected);
    }
    const auto kept = std::string_view(expected.content).substr(0, room);
    fuzz::expect(out.view() == kept, "view() is not the bytes that fit");
    // Bytes beyond the room are lost, and the position stays at the end.
    if (expected.at > room) expected.at = room;
    if (!expected.has_moved)
      fuzz::expect_equal(out.lost(), expected.accepted - kept.size(), "lost()");
    expected.content.resize(kept.size());
  }
  std::error_code ec;
  out.close(ec);
  if (room == std::string::npos) fuzz::expect(!ec, "close() of growing memory fails");
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  if (in.flag()) {
    leat::string_writer out;
    write_to_memory(in, out, std::string::npos);
  } else {
    std::string area(in.below(300), '#');
    leat::memory_writer out{std::span(area)};
    write_to_memory(in, out, area.size());
  }
}

const fuzz::driver self("memory", drive);

}  // namespace
