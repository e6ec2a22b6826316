// stdin, stdout and stderr: the streams, and the variables that name them.
#pragma once

#include "stdio/file.hpp"
#include "stdio/mode.hpp"

// The variables of <leat/stdio.h>, which a program may change.
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

/// A stream that owns the descriptor. leat::out and leat::err may write to it as well.
std::unique_ptr<stream> standard_over(int descriptor, const open_mode& mode) noexcept;

/// Puts a standard stream in the list of all.
void add_standard(leat_file& f) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
