// The fast path of printf: "%s", "%d", "%.3f" and similar conversions, into memory. printf.cpp
// calls this path.
#pragma once

#include "stdio/print_arguments.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Formats into [to, end) with the format at `at`. Returns the end of the text. Returns null if the
/// format needs a conversion that this function does not have, or more room: then `arguments.rest`
/// says where to continue, and the text before `rest.to` is part of the result. May overwrite all
/// of [to, end).
char* format_quickly(char* to, char* end, const char* at, print_arguments& arguments) noexcept;

struct copied_text {
  char* to;          ///< the end of the copy
  const char* rest;  ///< the text that did not fit; null if the whole text fits
};

/// Copies a C string, in one pass if possible. May overwrite all of [to, end). Returns the end of
/// the copy, and the rest.
copied_text copy_text(char* to, const char* end, const char* text) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
