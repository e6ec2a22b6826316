// leat::copy: copies the rest of a reader to a writer.
#include <leat/file_stream.hpp>

#include "base/last_error.hpp"
#include "device/system.hpp"
#include "opening/open.hpp"
#include "stream/sink.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The most bytes of one system call. Another thread that waits for the lock of a shared stream
/// waits for one such call.
constexpr std::size_t most_at_once = 64 << 20;

}  // namespace

/// Copying inside the kernel. A friend of reader and writer.
struct kernel_copy {
  /// Returns true if the copy would read its own output and never end, as in `cat < f >> f`. Also
  /// returns true if `from` and `to` are one file_stream: with one position, each write would
  /// overwrite bytes that are not read yet.
  static bool is_to_itself(const reader& from, const writer& to) {
    // In a file_stream, one object is the source and the sink.
    if (dynamic_cast<const void*>(from.source_) == dynamic_cast<const void*>(to.sink_)) return true;
    // tell() comes first, because tell() opens a standard stream at the first use.
    const std::uint64_t from_at = from.tell(), to_at = to.tell();
    const file_sink* const file = to.sink_->file();
    if (file == nullptr || !from.source_->is_positional()) return false;
    const native_handle_type source = from.source_->native_handle();
    const native_handle_type target = file->native_handle();
    // The position in an encoded file is not a position in its content.
    if (target != no_handle && from_at >= to_at) return false;
    if (source != no_handle && target != no_handle) return is_same_file(source, target);
    // A stream with open_options::live, an encoder and a decoder have no handle, but perhaps a
    // path.
    options how;
    how.local_only = true;
    std::error_code ec;
    const auto source_file = files::open_existing(from.source_->name(), how, ec);
    const auto target_file = files::open_existing(to.sink_->name(), how, ec);
    return source_file != nullptr && target_file != nullptr &&
           is_same_file(source_file->native_handle(), target_file->native_handle());
  }

  static bool has_bytes_after_window(const reader& from) noexcept {
    return from.source_->expected_bytes(from) > from.available();
  }

  static std::string_view name(const reader& from) noexcept { return from.source_->name(); }

  /// Copies inside the kernel as long as the devices support such copies. `before`: the number of
  /// bytes that were copied earlier, for `progress`. Clears `possible` after a failed copy. Returns
  /// the number of copied bytes.
  static std::uint64_t run(reader& from, writer& to, std::uint64_t before,
                           const copy_progress& progress, bool& possible) {
    std::uint64_t total = 0;
    for (;;) {
      // `progress` may have closed a stream.
      device* const underlying_device = from.source_->underlying_device();
      file_sink* const file = to.sink_->file();
      // Buffered bytes of a file can be read from the device again; buffered bytes of a pipe can't.
      const bool has_buffered_pipe_bytes = from.available() != 0 && !from.source_->is_positional();
      if (underlying_device == nullptr || file == nullptr || !possible || has_buffered_pipe_bytes)
        return total;
      std::error_code ec;
      const std::size_t n = file->copy(to, *underlying_device, from.tell(), most_at_once, ec);
      possible = !ec;
      if (ec || n == 0) return total;  // copying through the buffer will report the error
      from.source_->skip_copied(from, n);
      total += n;
      if (progress) progress(before + total);
    }
  }
};

namespace {

std::uint64_t copy_all(reader& from, writer& to, const copy_progress& progress,
                       std::error_code* ec) {
  std::uint64_t total = 0;
  if (kernel_copy::is_to_itself(from, to)) {
    const failure why{errc::same_file, "copy"};
    if (ec == nullptr) throw io_error(why, kernel_copy::name(from));
    *ec = set_last_error(why, kernel_copy::name(from));
    return 0;
  }
  bool possible = true;
  for (;;) {
    const std::string_view window = ec != nullptr ? from.window(*ec) : from.window();
    if (window.empty()) return total;
    // If the file is larger than the window, the kernel copies the window, too: page caches and
    // file systems copy faster from a block boundary on. A part of the window may also be a hole of
    // the file (sparse file). The kernel's copy preserves holes.
    const bool is_for_kernel = window.front() == '\0' || window.back() == '\0' ||
                               (total == 0 && kernel_copy::has_bytes_after_window(from));
    std::uint64_t copied =
        is_for_kernel ? kernel_copy::run(from, to, total, progress, possible) : 0;
    if (copied == 0) {
      to.write(window);
      from.skip(window.size());
      total += window.size();
      if (progress) progress(total);
      if (!to.error()) copied = kernel_copy::run(from, to, total, progress, possible);
    }
    total += copied;
    if (to.error()) {
      if (ec == nullptr)
        to.flush();
      else
        to.flush(*ec);
      return total;
    }
  }
}

}  // namespace

std::uint64_t copy(reader& from, writer& to) { return copy_all(from, to, {}, nullptr); }

std::uint64_t copy(reader& from, writer& to, std::error_code& ec) {
  ec.clear();
  return copy_all(from, to, {}, &ec);
}

std::uint64_t copy(reader& from, writer& to, const copy_progress& progress) {
  return copy_all(from, to, progress, nullptr);
}

std::uint64_t copy(reader& from, writer& to, const copy_progress& progress, std::error_code& ec) {
  ec.clear();
  return copy_all(from, to, progress, &ec);
}

}  // namespace v0
}  // namespace leat
