// Compiled formats with arguments that have their own fmt::formatter.
#include "format/custom_steps.hpp"

#if LEAT_FORMAT_FMT

#  include <leat/detail/copy.hpp>

#  include <cstring>
#  include <string>
#  include <string_view>

#  include "format/interpret.hpp"
#  include "format/steps.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Writes the text of "{:?}". Returns its end, or null if the text does not fit before `limit`.
template <class T>
char* put_escaped(char* to, const char* limit, T value) {
  const std::string text =
      format_field(any_value(format_step::of(kind_of<T>()), value), "?", nullptr);
  if (limit - to < static_cast<std::ptrdiff_t>(text.size())) return nullptr;
  return to + text.copy(to, text.size());
}

bool needs_no_escape(char c) noexcept { return c >= ' ' && c <= '~' && c != '\\'; }

}  // namespace

char* write_quoted(char* to, char* limit, std::string_view text) {
  bool plain = true;
  for (const char c : text) plain &= needs_no_escape(c) && c != '"';
  if (!plain) return put_escaped(to, limit, text);
  if (limit - to < static_cast<std::ptrdiff_t>(text.size() + 2)) return nullptr;
  *to = '"';
  to = copy_any(to + 1, text.data(), text.size());
  *to = '"';
  return to + 1;
}

char* write_quoted(char* to, char* limit, char character) {
  if (!needs_no_escape(character) || character == '\'') return put_escaped(to, limit, character);
  if (limit - to < 3) return nullptr;
  to[0] = to[2] = '\'';
  to[1] = character;
  return to + 3;
}

void append_steps(fmt::memory_buffer& to, const char* text, format_plan plan,
                  const any_value* args) {
  const any_value* const end = args + plan.count();
  for (const any_value* arg = args; arg != end; ++arg)
    if (arg->kind() == arg_kind::c_string) check_text(arg->c_string);  // before any output
  const char* const text_end = text + plan.text();
  // The rest of the line, without its texts and the output of formatters, always has room.
  const std::size_t rest = plan.size() + copy_room + 1;
  const auto make_room = [&](const char* at, std::size_t more) {
    const auto size = static_cast<std::size_t>(at - to.data());
    if (to.capacity() - size < rest + more) {
      to.try_resize(size);  // keeps these bytes
      to.reserve(size + rest + more);
    }
    return to.data() + size;
  };
  char* at = make_room(to.data(), 0);
  for (const any_value* arg = args; arg != end; ++arg) {
    const format_step step(arg->step);
    if (step.literal() != 0) at = put_other_literal(at, text, step.literal());
    text += step.all();
    const std::string_view field = field_before(text, step);
    if (arg->kind() == arg_kind::custom && arg->custom.writer->put != nullptr) {
      const auto before = static_cast<std::size_t>(at - to.data());
      to.try_resize(before);  // put_inner() may throw
      at = nullptr;
      for (std::size_t more = 0; at == nullptr; more = 2 * more + 256) {  // room for texts
        char* const begin = make_room(to.data() + before, more);
        at = put_inner(arg->custom, begin, to.data() + to.capacity() - rest);
      }
    } else if (arg->kind() == arg_kind::custom) {
      to.try_resize(static_cast<std::size_t>(at - to.data()));
      fmt::format_context context{fmt::appender(to), fmt::format_args()};
      const custom_value& value = arg->custom;
      translated([&] { value.writer->write(*value.writer, value.object, field, context); });
      at = make_room(to.data() + to.size(), 0);
    } else {
      at = write_other(make_room(at, size_of_text(*arg)), *arg, field);
    }
  }
  at = put_other_tail(at, text, static_cast<std::size_t>(text_end - text), plan);
  *at = '\n';
  to.try_resize(static_cast<std::size_t>(at + plan.has_newline() - to.data()));
}

std::string format_custom_steps(const char* text, format_plan plan, const any_value* args) {
  fmt::memory_buffer whole;
  append_steps(whole, text, plan, args);
  return {whole.data(), whole.size()};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
