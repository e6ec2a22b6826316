// Access to the buffers of readers and writers, for code that other libraries call: leat's
// streambufs, and the adapters of <leat/adapters/...>.
#pragma once

#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {

struct buffer_access {
  static char* next(const writer& w) noexcept { return w.next_; }
  static char* end(const writer& w) noexcept { return w.end_; }
  static char* store_end(const writer& w) noexcept { return w.print_end_; }
  static void set_next(writer& w, char* next) noexcept { w.next_ = next; }
  /// The room after the cursor, for stores of any kind. The room is empty if the writer has no
  /// buffer of its own, or if bytes after the cursor must be kept.
  static std::span<char> room(const writer& w) noexcept {
    if (w.print_end_ != w.end_) return {};
    return {w.next_, w.room()};
  }
  /// The writer whose buffer a call on a shared writer may use without a lock; null if there is no
  /// such writer.
  static writer* direct_writer(const writer& w) noexcept { return w.direct_writer(); }

  // const_cast, because the areas of std::streambuf have this type. A reader's window is never
  // written.
  static char* begin(const reader& r) noexcept { return const_cast<char*>(r.begin_); }
  static char* next(const reader& r) noexcept { return const_cast<char*>(r.next_); }
  static char* end(const reader& r) noexcept { return const_cast<char*>(r.end_); }
  static void set_next(reader& r, const char* next) noexcept { r.next_ = next; }
  static std::uint64_t version(const reader& r) noexcept { return r.buffer_version_; }
  static source& origin(const reader& r) noexcept { return *r.source_; }
  /// As reader::window(). A failure stays unreported: error() returns the failure, close() throws
  /// it, and without close() the loss handler is called. For libraries that do not distinguish a
  /// failure from the end.
  static std::string_view window(reader& r) noexcept {
    if (r.next_ == r.end_) r.fill(1);
    return r.buffered();
  }
};

}  // namespace v0
}  // namespace leat
