// The modes of fopen.
#pragma once

namespace leat {
inline namespace v0 {
namespace stdio {

struct open_mode {
  bool readable = false;
  bool writable = false;
  bool truncates = false;
  bool appends = false;
  bool exclusive = false;      ///< x: the file must be new
  bool close_on_exec = false;  ///< e

  /// For open(2).
  int flags() const noexcept;
};

/// Reads a mode; false (EINVAL) if it is none. What is unknown behind the first letter is passed
/// over, as other libraries have more of it.
bool parse_mode(const char* text, open_mode& mode) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
