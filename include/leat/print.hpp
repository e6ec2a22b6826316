// Formatted output to writers; see <leat/format.hpp> for the grammar and how it is compiled.
#pragma once

#include <leat/format.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// Interprets a format string; `newline` adds "\n" at the end.
LEAT_API void vprint(writer& to, std::string_view format, const any_value* args, std::size_t count,
                     bool newline);
/// Formats through `formatting`. Its format_error becomes leat's.
LEAT_API void vprint_custom(writer& to, std::string_view format, formatting::format_args args,
                            bool newline);

}  // namespace detail

/// Access for print to the window of a writer.
struct print_access {
  /// True if the output of each call must arrive in one write.
  LEAT_API static bool whole_calls(const writer& w) noexcept;
  /// The memory that a write may move or overwrite. Arguments may be parts of it.
  LEAT_API static std::string_view own_memory(const writer& w) noexcept;

  /// Writes what is in the scratch memory. The memory counts as in use meanwhile, because the
  /// device may print too.
  [[gnu::cold]] LEAT_API static void write_scratch(writer& w, std::string_view bytes) noexcept;

  template <bool Newline, class Format, class... Values>
  [[gnu::always_inline]] static void print(writer& w, const Format& f, Values... values) {
    if (!format_access::is_compiled(f))
      return interpret(w, f.text(), Newline, detail::unmeasured_value(values)...);
    format_access::measure(f, values...);
    const auto size = static_cast<std::ptrdiff_t>(format_access::max_size(f, values...) + Newline);
    char* begin = w.next_;
    std::ptrdiff_t room = w.print_end_ - begin;
    if (room < size) [[unlikely]] {
      begin = detail::scratch(static_cast<std::size_t>(size));
      if (begin == nullptr)
        return interpret(w, f.text(), Newline, detail::unmeasured_value(values)...);
      room = detail::scratch_room;
    }
    char* end = format_access::write_fields(f, begin, begin + (room - size), values...);
    if (format_access::may_fail<Values...> && end == nullptr) [[unlikely]]
      return interpret(w, f.text(), Newline, detail::unmeasured_value(values)...);
    if constexpr (Newline) *end++ = '\n';
    if (begin == w.next_) [[likely]]
      w.next_ = end;
    else
      write_scratch(w, {begin, static_cast<std::size_t>(end - begin)});
  }

  template <class... Values>
  [[gnu::cold, gnu::noinline]] static void interpret(writer& w, std::string_view text, bool newline,
                                                     Values... values) {
    const detail::any_value args[sizeof...(Values) + 1] = {
        detail::any_value(detail::outlined(values))..., false};
    detail::vprint(w, text, args, sizeof...(Values), newline);
  }
};

namespace detail {

template <bool Newline, class Format, class... Args>
[[gnu::always_inline]] inline void print(writer& w, const Format& format, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>)
    with_custom_args(
        [&](formatting::format_args all) { vprint_custom(w, format.text(), all, Newline); },
        custom_argument(args)...);
  else
#if defined(__OPTIMIZE_SIZE__)  // -Os: the format is checked as ever, and interpreted at run time
    print_access::interpret(w, format.text(), Newline, unmeasured(args)...);
#else
    print_access::print<Newline>(w, format, value_of(args)...);
#endif
}

template <class... Args>
void print_runtime(writer& w, std::string_view format, bool newline, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>)
    with_runtime_args(
        format, [&](formatting::format_args all) { vprint_custom(w, format, all, newline); },
        args...);
  else
    print_access::interpret(w, format, newline, unmeasured(args)...);
}

}  // namespace detail

template <class... Args>
[[gnu::always_inline]] inline void writer::print(format_string<Args...> format, Args&&... args) {
  detail::print<false>(*this, format, args...);
}

template <class... Args>
[[gnu::always_inline]] inline void writer::println(format_string<Args...> format, Args&&... args) {
  detail::print<true>(*this, format, args...);
}

template <class... Args>
void writer::print(runtime_format format, Args&&... args) {
  detail::print_runtime(*this, format.text, false, args...);
}

template <class... Args>
void writer::println(runtime_format format, Args&&... args) {
  detail::print_runtime(*this, format.text, true, args...);
}

/// Prints to standard output: the same as leat::out.print(format, args...) and its like.
template <class... Args>
[[gnu::always_inline]] inline void print(format_string<Args...> format, Args&&... args) {
  detail::print<false>(out, format, args...);
}
template <class... Args>
void print(runtime_format format, Args&&... args) {
  detail::print_runtime(out, format.text, false, args...);
}
template <class... Args>
[[gnu::always_inline]] inline void println(format_string<Args...> format, Args&&... args) {
  detail::print<true>(out, format, args...);
}
template <class... Args>
void println(runtime_format format, Args&&... args) {
  detail::print_runtime(out, format.text, true, args...);
}
inline void println() { out.println(); }

}  // namespace v0
}  // namespace leat
