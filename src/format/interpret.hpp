// Format strings that are read at run time.
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

/// Writes the format with its arguments. Throws format_error before anything is written, unless an
/// argument's value is at fault.
void interpret(text_output& out, std::string_view format, const any_value* args, std::size_t count);

/// Calls what may throw the exception of `formatting`, and throws leat's instead: a program has to
/// know only one.
template <class Call>
auto translated(const Call& call, std::size_t position = format_error::no_position) {
  try {
    return call();
  } catch (const formatting::format_error& error) {
    throw format_error(error.what(), position);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
