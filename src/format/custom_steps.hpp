// Compiled formats with arguments that have their own formatters. print and format() call
// append_steps().
#pragma once

#include <leat/format.hpp>

#if LEAT_FORMAT_FMT
#  include <fmt/format.h>

#  include <cstddef>
#  include <string_view>

#  include "format/steps.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Makes room for `more` bytes after the first `size` bytes. The first `size` bytes stay as they
/// are. Returns the end of the first `size` bytes.
[[gnu::cold, gnu::noinline]] inline char* grow(fmt::memory_buffer& to, std::size_t size,
                                               std::size_t more) {
  to.try_resize(size);
  to.reserve(size + more);
  return to.data() + size;
}

/// The room in `to` for a text, with `rest` bytes after it.
struct buffer_room : text_room {
  buffer_room(fmt::memory_buffer& buffer, std::size_t rest_of_line) noexcept
      : text_room{buffer.data() + buffer.capacity() - rest_of_line, &grow_buffer},
        to(buffer),
        rest(rest_of_line) {}

  fmt::memory_buffer& to;
  std::size_t rest;

 private:
  static char* grow_buffer(text_room& self, char* end, std::size_t more) {
    auto& room = static_cast<buffer_room&>(self);
    char* const at =
        detail::grow(room.to, static_cast<std::size_t>(end - room.to.data()), room.rest + more);
    room.limit = room.to.data() + room.to.capacity() - room.rest;
    return at;
  }
};

/// Runs the steps of `args` and writes their output to `to`, which must be empty. If a formatter
/// throws, `to` has the output up to the exception. If a text is a null pointer, throws
/// format_error, and `to` is empty.
[[gnu::always_inline]] inline void append_steps(fmt::memory_buffer& to, const char* text,
                                                format_plan plan, const any_value* args) {
  literals rest_of(text, plan);
  // The bytes of all literals and fields, except texts and the output of formatters. There is
  // always room for these bytes.
  const std::size_t rest = plan.max_size() + copy_room + 1;
  char* at = to.data();
  const auto make_room = [&](std::size_t more) __attribute__((always_inline)) {
    const auto size = static_cast<std::size_t>(at - to.data());
    if (to.capacity() - size < rest + more) [[unlikely]]
      at = grow(to, size, rest + more);
  };
  const auto end_at = [&](const char* end) __attribute__((always_inline)) {
    const auto size = static_cast<std::size_t>(end - to.data());
    if (size > to.capacity()) __builtin_unreachable();
    to.try_resize(size);
  };
  make_room(0);
  fmt::format_context context{fmt::appender(to), fmt::format_args()};
  for (const any_value *arg = args, *const end = args + plan.field_count(); arg != end; ++arg) {
    const format_step step(arg->step);
    at = rest_of.put(at, step);
    const std::string_view field = field_before(rest_of.text(), step);
    if (arg->kind() != arg_kind::custom) {
      if (step.field_form() == format_step::of(arg_kind::signed_32)) {  // the usual kind
        at = write_value(at, arg->signed_32);
        continue;
      }
      to.clear();  // if size_of_text() throws, there must be no output
      make_room(size_of_text(*arg, step.kind()));
      if (char* const after =
              write_other(at, to.data() + to.capacity() - rest, *arg, step, field)) {
        at = after;
      } else {
        const std::string exotic = exotic_text(step.spec(), *arg);
        make_room(exotic.size());
        at += exotic.copy(at, exotic.size());
      }
    } else if (const custom_value& value = arg->custom; value.writer->put == nullptr) {
      end_at(at);
      if (value.writer->put_once != nullptr) {
        buffer_room room(to, rest);
        at = value.writer->put_once(value.object, at, room);
      } else {
        value.writer->write(*arg, field, context);
        at = to.data() + to.size();
        make_room(0);
      }
    } else {
      end_at(at);  // put_custom_in_place() may throw
      char* end_of_value = nullptr;
      for (std::size_t more = 0; end_of_value == nullptr;
           more = 2 * more + 256) {  // more room for texts
        make_room(more);
        end_of_value = put_custom_in_place(value, at, to.data() + to.capacity() - rest);
      }
      at = end_of_value;
    }
  }
  at = rest_of.put_tail(at, plan);
  *at = '\n';
  end_at(at + plan.has_newline());
}

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
