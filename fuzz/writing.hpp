// Random calls that every leat::writer has, and a model of the calls' effect on the content. For
// the drivers of writers.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "fuzz.hpp"

namespace fuzz {

/// The content that a writer's calls give a file if nothing fails.
struct model {
  std::string content;
  std::size_t at = 0;
  std::uint64_t accepted = 0;
  bool has_moved = false;  ///< a seek or a patch: `accepted` may count a position twice

  void write(std::string_view bytes) {
    if (bytes.empty()) return;
    content.resize(std::max(content.size(), at + bytes.size()));
    bytes.copy(content.data() + at, bytes.size());
    at += bytes.size();
    accepted += bytes.size();
  }
};

/// Returns a short text, rarely with many bytes after the text.
inline std::string some_bytes(input& in) {
  std::string bytes = in.text(40);
  if (in.below(16) == 0) bytes += in.bytes(in.flag() ? in.boundary_size(70'000) : in.below(9000));
  return bytes;
}

/// Makes a random call that every writer has, and the same change of the model.
inline void write_something(input& in, leat::writer& out, model& expected) {
  step("a call that writes");
  switch (in.below(5)) {
    case 0: {
      const char byte = in.flag() ? '\n' : in.integer<char>();
      out.put(byte);
      return expected.write({&byte, 1});
    }
    case 1: {
      const int number = in.integer<int>();
      const std::string text = in.text(20);
      out.print("{}:{:>12}|", text, number);
      return expected.write(fmt::format("{}:{:>12}|", text, number));
    }
    case 2: {
      const auto number = in.integer<std::uint64_t>();
      out.println("{:x}", number);
      return expected.write(fmt::format("{:x}\n", number));
    }
    case 3: {
      const std::string bytes = some_bytes(in);
      leat::memory_reader from{std::string_view(bytes)};
      std::error_code ignored;
      leat::copy(from, out, ignored);
      return expected.write(std::string_view(bytes).substr(0, from.tell()));
    }
    default: {
      const std::string bytes = some_bytes(in);
      out.write(bytes);
      expected.write(bytes);
    }
  }
}

/// Seeks to at most `furthest`, or patches. If a patch fails, returns false, and a part of the
/// patch may be written.
inline bool seek_or_patch(input& in, leat::writer& out, model& expected, std::size_t furthest) {
  std::error_code ec;
  if (in.flag()) {
    const std::size_t to = in.below(furthest + 1);
    const std::uint64_t from = out.tell();  // after clear_error(), less than expected.at
    step("seek {}", to);
    out.seek(to, ec);
    if (ec) return true;
    expected.has_moved |= to != from;
    expected.at = to;
  } else {
    const std::string bytes = in.text(10);
    const std::size_t to = in.below(expected.content.size() + 1);
    const std::uint64_t before = out.tell();  // differs from expected.at after a failed seek
    step("patch {} with {} bytes", to, bytes.size());
    out.patch(to, bytes, ec);
    expected.has_moved |= static_cast<bool>(ec);
    if (ec) return false;
    expect(to + bytes.size() <= before, "patch() accepts bytes after the position");
    if (bytes.empty()) return true;
    expected.has_moved = true;
    // The patch may be in a gap that a seek has made.
    expected.content.resize(std::max(expected.content.size(), to + bytes.size()));
    bytes.copy(expected.content.data() + to, bytes.size());
  }
  return true;
}

}  // namespace fuzz
