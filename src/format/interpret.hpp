// Format strings that are read at run time.
#pragma once

#include <fmt/format.h>
#include <leat/format.hpp>

#include <cstddef>
#include <string_view>

#include "format/padding.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Writes the format with its arguments. Throws format_error before anything is written, unless an
/// argument's value is at fault.
void interpret(text_output& out, std::string_view format, const any_value* args, std::size_t count);

/// Calls what may throw {fmt}'s exception, and throws leat's instead: a program has to know only
/// one.
template <class Call>
auto translated(const Call& call) {
  try {
    return call();
  } catch (const fmt::format_error& error) {
    throw format_error(error.what(), format_error::no_position);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
