// Compiled formats with arguments that have their own formatters. Called by print.
#pragma once

#include <leat/format.hpp>

#if LEAT_FORMAT_FMT
#  include <fmt/format.h>

namespace leat {
inline namespace v0 {
namespace detail {

/// Runs the steps of `args` and writes their output to `to`, which must be empty. If a formatter
/// throws, `to` has the output of the steps before, and perhaps a part of the formatter's output.
void append_steps(fmt::memory_buffer& to, const char* text, format_plan plan,
                  const any_value* args);

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
