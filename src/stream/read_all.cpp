// read_all() and read_file(): a whole input as one string.
#include <leat/file_stream.hpp>
#include <leat/reader.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string>

#include "base/last_error.hpp"
#include "base/no_cancel.hpp"
#include "device/transfer.hpp"
#include "opening/open.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Appends up to `room` bytes to a string. `read` stores the bytes in the string's memory and
/// returns the number of stored bytes.
template <class Read>
void append_by(std::string& text, std::size_t room, const Read& read) {
  const std::size_t had = text.size();
#if defined(__cpp_lib_string_resize_and_overwrite)  // in C++23: the memory isn't filled first
  text.resize_and_overwrite(
      had + room, [&](char* to, std::size_t) { return had + read(std::span(to + had, room)); });
#else
  text.resize(had + room);
  text.resize(had + read(std::span(text).subspan(had)));
#endif
}

/// Calls `read` until the input ends or fails, and appends all bytes that `read` stores. If the
/// input neither ends nor fails, `read` fills the memory that `read` gets. `expected`: number of
/// bytes to the end of the input; 0 if unknown.
template <class Read>
void append_all(std::string& text, std::uint64_t expected, const Read& read) {
  std::array<char, 4096> first_bytes;
  std::size_t room = first_bytes.size();
  if (expected == 0) {
    const std::size_t got = read(std::span(first_bytes));
    text.append(first_bytes.data(), got);
    if (got != room) return;
  } else {
    // Room for one byte more than expected, so that the call that reads the last byte also finds
    // the end.
    room = static_cast<std::size_t>(std::min<std::uint64_t>(expected, text.max_size() / 4)) + 1;
  }
  for (std::size_t got = room; got == room;) {
    append_by(text, room, [&](std::span<char> into) { return got = read(into); });
    if (got == room) got = room = text.size();
  }
}

}  // namespace

std::string reader::read_all(std::size_t limit, std::error_code* ec) {
  std::string text;
  if (limit != std::numeric_limits<std::size_t>::max()) {
    // The whole input is buffered before a byte is taken, so a too long input stays unread. Each
    // step asks for only one byte more: window_limit may be smaller than `limit`, but must not
    // refuse an input that is shorter than window_limit.
    while (available() <= limit) {
      const std::size_t had = available();
      fill(had + 1);
      if (available() == had) break;
    }
    failure why;
    if (available() > limit)
      why = {errc::input_too_long, "read", tell()};
    else if (source_->is_failing())
      why = source_->report();
    if (why.code != errc::input_too_long) {
      text = buffered();
      next_ = end_;
    }
    if (why) deliver(why, ec);
    return text;
  }
  text = buffered();
  next_ = end_;
  append_all(text, source_->expected_bytes(*this), [&](std::span<char> into) {
    // The call before may have ended the loan of the window to an istream. Then bytes are
    // available.
    const std::size_t n = std::min(into.size(), available());
    if (n != 0) take(into.data(), n);
    return n == into.size() ? n : n + source_->read_rest(*this, into.subspan(n));
  });
  report(ec);
  return text;
}
std::string reader::read_all(std::size_t limit) { return read_all(limit, nullptr); }
std::string reader::read_all(std::size_t limit, std::error_code& ec) noexcept try {
  ec.clear();
  return read_all(limit, &ec);
} catch (const std::bad_alloc&) {
  deliver({std::make_error_code(std::errc::not_enough_memory), "read", tell()}, &ec);
  return {};
}
std::string reader::read_all(std::error_code& ec) noexcept {
  return read_all(std::numeric_limits<std::size_t>::max(), ec);
}

namespace {

/// Reads directly from the device, because opening a stream takes as long as reading a small file.
std::string read_file(path_ref path, failure& why) {
  const no_cancel guard;
  std::string text;
  const auto file = open_existing(path, {}, why.code);
  why.operation = "open";
  if (file == nullptr) return text;
  std::uint64_t at = file->position();
  const std::uint64_t size = file->size_when_opened();
  std::error_code& ec = why.code;
  append_all(text, size > at ? size - at : 0, [&](std::span<char> into) {
    std::size_t done = 0;
    for (std::size_t n = 1; n != 0 && done != into.size();) {
      n = read_some(*file, at, into.subspan(done), ec);
      done += n;
      at += n;
      if (done != into.size() && at == size) break;
    }
    return done;
  });
  why.operation = ec ? "read" : "close";
  why.offset = ec ? at : 0;
  if (!ec) file->close(ec);
  return text;
}

}  // namespace

std::string read_file(path_ref path) {
  failure why;
  auto text = read_file(path, why);
  if (why.code) throw io_error(why, path.view());
  return text;
}

std::string read_file(path_ref path, std::error_code& ec) try {
  failure why;
  auto text = read_file(path, why);
  ec = set_last_error(why, path.view());
  if (ec) text.clear();
  return text;
} catch (const std::bad_alloc&) {
  ec = set_last_error({std::make_error_code(std::errc::not_enough_memory), "read"}, path.view());
  return {};
}

}  // namespace v0
}  // namespace leat
