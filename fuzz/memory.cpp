// Sequences of calls on writers to memory. The memory has the written bytes that fit; further bytes
// are counted as lost.
#include <leat/memory.hpp>

#include <span>
#include <string>
#include <string_view>

#include "writing.hpp"

namespace {

using fuzz::input, fuzz::model, fuzz::move_or_patch, fuzz::write_something;

/// `room`: the number of bytes that the memory keeps; further bytes are lost.
template <class Out>
void to_memory(input& in, Out& out, std::size_t room) {
  model same;
  while (in.more()) {
    switch (in.below(8)) {
      case 0:
        // Only while everything fits, because positions and counts refer to the memory.
        if (same.content.size() <= room) move_or_patch(in, out, same, same.content.size());
        break;
      case 1:
        if (in.below(8) != 0) break;
        out.clear();
        same = {};
        break;
      case 2: {
        // Writes bytes that are in the writer's own memory.
        const std::string_view own = out.view();
        if (own.size() > 100'000) break;
        const std::size_t from = in.below(own.size() + 1), n = in.below(own.size() - from + 1);
        const std::string piece(own.substr(from, n));
        if (in.flag()) {
          out.write(own.substr(from, n));
          same.write(piece);
        } else {
          out.println("<{:>3}>", own.substr(from, n));
          same.write(fmt::format("<{:>3}>\n", piece));
        }
        break;
      }
      case 3:
        if constexpr (requires { out.take(); }) {
          if (!in.rarely(8)) break;
          fuzz::expect(out.take() == same.content, "take()");
          same = {};
        } else {
          Out moved(std::move(out));
          out = std::move(moved);
        }
        break;
      default:
        write_something(in, out, same);
    }
    const auto kept = std::string_view(same.content).substr(0, room);
    fuzz::expect(out.view() == kept, "the memory has what fits");
    // Bytes beyond the room are lost, and the position stays at the end.
    if (same.at > room) same.at = room;
    if (!same.has_moved) fuzz::expect_equal(out.lost(), same.accepted - kept.size(), "lost");
    same.content.resize(kept.size());
  }
  std::error_code ec;
  out.close(ec);
  if (room == std::string::npos) fuzz::expect(!ec, "growing memory does not fail");
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  if (in.flag()) {
    leat::string_writer out;
    to_memory(in, out, std::string::npos);
  } else {
    std::string area(in.below(300), '#');
    leat::memory_writer out{std::span(area)};
    to_memory(in, out, area.size());
  }
}

const fuzz::driver self("memory", drive);

}  // namespace
