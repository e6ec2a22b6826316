// The output of one call that writes several pieces to a file. Used by the printf family and for
// wide text.
#pragma once

#include <cstddef>

#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// If a piece can't be written, the stream keeps no byte of the earlier pieces, except bytes that
/// the device has taken. Reason: a part would tear a line, and a program that repeats the call
/// would write the part twice. The caller holds the file's lock.
class output_pieces {
 public:
  explicit output_pieces(leat_file& f) noexcept : file_(f) {}

  /// Adds a piece of n bytes that the caller has stored at `put`.
  void add_stored(std::size_t n) noexcept {
    file_.put += n;
    written_ += n;
  }
  /// Writes the next piece. Returns false on errors.
  bool write(const char* from, std::size_t n) noexcept {
    const std::size_t taken = stdio::write(file_, from, n);
    written_ += taken;
    return taken == n || remove_written();
  }
  /// Writes n wide characters. Returns false on errors. If the locale's encoding does not have a
  /// character (EILSEQ), the characters before it are written, as in glibc.
  bool write_wide(const wchar_t* from, std::size_t n) noexcept;

 private:
  /// Removes the bytes of this call that the device does not have yet. Returns false.
  [[gnu::cold]] bool remove_written() noexcept;

  leat_file& file_;
  std::size_t written_ = 0;  // the bytes of this call that the stream has taken
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
