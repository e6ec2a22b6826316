// Writes formats that are parsed at run time, and converts the exceptions of {fmt} and std::format.
// print and vformat() call interpret().
#pragma once

#include <leat/format.hpp>

#if LEAT_FORMAT_FMT
#  include <fmt/format.h>
#endif

#include <cstddef>
#include <string_view>

#include "format/padding.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Writes the format with its arguments. If the format is wrong, throws format_error before any
/// output. If the value of an argument is wrong, throws format_error, perhaps after a part of the
/// output.
void interpret(text_output& out, std::string_view format, const any_value* args, std::size_t count);

/// Calls `call` and returns its result. Converts formatting::format_error to leat's format_error,
/// so that a program needs to know only leat's format_error.
template <class Call>
auto translate_errors(const Call& call, std::size_t position = format_error::no_position) {
  try {
    return call();
  } catch (const formatting::format_error& error) {
    throw format_error(error.what(), position);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
