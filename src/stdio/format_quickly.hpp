// The formats of most programs: "%s", "%d", "%.3f" and similar ones, into memory.
#pragma once

#include "stdio/print_arguments.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Formats into [to, end), by the format at `at`, and returns the end of the text. It may overwrite
/// all of [to, end). Null if the format needs more than this function can do, or more room: then
/// `arguments.rest` says where to continue, and what stands before `rest.to` is part of the result.
char* format_quickly(char* to, char* end, const char* at, print_arguments& arguments) noexcept;

struct copied_text {
  char* to;          ///< the end of the copy
  const char* rest;  ///< the text that did not fit; null if all did
};

/// Copies a text while looking for its end. It may overwrite all of [to, end).
copied_text copy_text(char* to, const char* end, const char* text) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
