// The formats of most programs: "%s", "%d", "%.3f" and their like, into memory with room enough.
#pragma once

#include "stdio/print_arguments.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Formats into memory of which what is behind the text has no meaning. Returns the end; null where
/// there is more to do or too little room, and sets `arguments.rest` only then. What is written up
/// to `rest.to` is part of the result.
char* format_quickly(char* to, char* end, const char* text, print_arguments& arguments) noexcept;

struct copied_text {
  char* to;          ///< behind the copy
  const char* rest;  ///< what there was no room for; null: nothing
};

/// Copies a text while looking for its end, into memory of which what is behind the copy has no
/// meaning.
copied_text copy_text(char* to, const char* end, const char* text) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
