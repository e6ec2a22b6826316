// stdin, stdout and stderr: the streams, and the variables that name the streams. Used by C's
// functions without a FILE parameter, by open.cpp and by file.cpp.
#pragma once

#include "stdio/file.hpp"
#include "stdio/mode.hpp"

// The variables of <leat/stdio.h>. A program may assign to these variables.
extern "C" {
LEAT_API extern leat_file* leat_stdio_stdin;
LEAT_API extern leat_file* leat_stdio_stdout;
LEAT_API extern leat_file* leat_stdio_stderr;
}

namespace leat {
inline namespace v0 {
namespace stdio {

leat_file& standard_input() noexcept;
leat_file& standard_output() noexcept;
leat_file& standard_error() noexcept;

inline bool is_standard(const leat_file* f) noexcept {
  return f == &standard_input() || f == &standard_output() || f == &standard_error();
}

/// Makes a stream that owns a standard descriptor, to which leat::out or leat::err may also write.
/// If there is no memory, returns null, and the descriptor stays open.
std::unique_ptr<stream> standard_stream_over(int descriptor, const open_mode& mode) noexcept;

/// Adds a standard stream to the list of all files.
void add_standard(leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
