// Formatted output: functions print and println, and the members of writer with these names.
// <leat/format.hpp> describes how format strings are compiled.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/format.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {

namespace detail {

/// Access for print to the buffer of a writer.
struct print_access {
  /// Formats in the buffer. If there is not enough room, or if only the interpreter can write a
  /// value, returns false and does not move the cursor.
  template <bool Newline, arg_kind... Kinds, class... Values>
  [[gnu::always_inline]] static bool print(writer& w, const compiled_format<Kinds...>& f,
                                           const Values&... values) {
    const auto size = static_cast<std::ptrdiff_t>(format_access::max_size(f, values...) + Newline);
    char* const begin = w.next_;
    const std::ptrdiff_t room = w.print_end_ - begin;
    if (room < size) [[unlikely]]
      return false;
    char* end = format_access::write_fields(f, begin, begin + (room - size), values...);
    if (format_access::may_fail(f) && end == nullptr) [[unlikely]]
      return false;
    if constexpr (Newline) *end++ = '\n';
    w.next_ = end;
    return true;
  }

  /// Returns writer::direct_writer(), which is protected.
  [[gnu::always_inline]] static writer* direct_writer(const writer& w) noexcept {
    return w.direct_writer();
  }

  // `Fields` is const any_value* or const gathered_fields*.
  template <class Fields>
  static void print_steps(writer& to, const char* text, format_plan plan, Fields fields);
  template <class Fields>
  static void print_steps_in_buffer(writer& to, const char* text, format_plan plan, Fields fields);
  template <class Fields>
  static void print_steps_elsewhere(writer& to, const char* text, format_plan plan, Fields fields);
  static bool write_short(writer& w, const char* line, std::size_t size) noexcept;
  /// True if the output of each call must arrive in one write.
  static bool whole_calls(const writer& w) noexcept;
  /// The memory that a write may move or overwrite. Arguments may be parts of this memory.
  static std::string_view own_memory(const writer& w) noexcept;
  /// Writes the scratch memory. During the write, the scratch memory is marked as in use, because
  /// the device may print too.
  static void write_scratch(writer& w, std::string_view bytes) noexcept;
};

/// The writer whose buffer a call of print uses; null for a shared stream without a
/// direct_writer(), for example while the process has several threads.
[[gnu::always_inline]] inline writer* buffered_writer(writer& w) noexcept { return &w; }
[[gnu::always_inline]] inline writer* buffered_writer(shared_writer_base& w) noexcept {
  return print_access::direct_writer(w);
}

template <bool Newline, class Writer, class Format, class... Args>
[[gnu::always_inline]] inline void print(Writer& w, const Format& format, Args&... args) {
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
  // Without room in the buffer, the arguments are used twice.
  if constexpr (!has_custom<std::remove_cv_t<Args>...> &&
                (false || ... || runs_code_for_value<std::remove_cv_t<Args>>))
    return [&](auto&&... values) { print<Newline>(w, format, values...); }(once(args)...);
  if constexpr (format_access::may_be_short<std::remove_cv_t<Args>...>)
    if (format_access::is_short(format))
      if (writer* const buffered = buffered_writer(w);
          buffered != nullptr && print_access::print<Newline>(*buffered, format, value_of(args)...))
        return;
#endif
  format_access::print<Newline>(w, format, args...);
}

template <class... Args>
void print_runtime(writer& w, std::string_view format, bool newline, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>) {
    with_runtime_args(
        format, [&](formatting::format_args all) { vprint_custom(w, format, all, newline); },
        args...);
  } else {
    const any_values<sizeof...(Args)> all = {{make_any_value(args)...}};
    vprint(w, format, all.array, sizeof...(Args), newline);
  }
}

}  // namespace detail

template <class... Args>
LEAT_INLINE_CALL void writer::print(const format_string<Args...>& format, Args&&... args) {
  detail::print<false>(*this, format, args...);
}

template <class... Args>
LEAT_INLINE_CALL void writer::println(const format_string<Args...>& format, Args&&... args) {
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

template <class... Args>
LEAT_INLINE_CALL void detail::shared_writer_base::print(const format_string<Args...>& format,
                                                        Args&&... args) {
  detail::print<false>(*this, format, args...);
}

template <class... Args>
LEAT_INLINE_CALL void detail::shared_writer_base::println(const format_string<Args...>& format,
                                                          Args&&... args) {
  detail::print<true>(*this, format, args...);
}

template <class... Args>
void detail::shared_writer_base::print(runtime_format format, Args&&... args) {
  detail::print_runtime(*this, format.text, false, args...);
}

template <class... Args>
void detail::shared_writer_base::println(runtime_format format, Args&&... args) {
  detail::print_runtime(*this, format.text, true, args...);
}

/// Prints to standard output, as leat::out.print(format, args...) and leat::out.println().
template <class... Args>
LEAT_INLINE_CALL void print(const format_string<Args...>& format, Args&&... args) {
  detail::print<false>(out, format, args...);
}
template <class... Args>
void print(runtime_format format, Args&&... args) {
  detail::print_runtime(out, format.text, false, args...);
}
template <class... Args>
LEAT_INLINE_CALL void println(const format_string<Args...>& format, Args&&... args) {
  detail::print<true>(out, format, args...);
}
template <class... Args>
void println(runtime_format format, Args&&... args) {
  detail::print_runtime(out, format.text, true, args...);
}
inline void println() { out.println(); }

/// Does not compile: std::println(stderr, …) has no counterpart here; the compiler's message shows
/// the replacement.
template <class File, class... Args>
  requires std::is_class_v<File>
void print(File*, Args&&...) {
  static_assert(
      !std::is_class_v<File>,
      "leat does not print to a FILE: write leat::err.print(...), or open a leat::writer");
}
template <class File, class... Args>
  requires std::is_class_v<File>
void println(File*, Args&&...) {
  static_assert(
      !std::is_class_v<File>,
      "leat does not print to a FILE: write leat::err.println(...), or open a leat::writer");
}

namespace detail {

/// A stream in the place of a format.
template <class T>
concept stream_argument =
    std::is_base_of_v<writer, T> || std::is_base_of_v<shared_writer_base, T> ||
    requires(T& stream) { stream.rdbuf(); };

}  // namespace detail

/// Does not compile: these functions print to standard output only.
template <detail::stream_argument Stream, class... Args>
void print(Stream&, Args&&...) {
  static_assert(!detail::stream_argument<Stream>,
                "leat::print prints to standard output: for a stream of leat write "
                "out.print(...), for std::cerr write leat::err.print(...)");
}
template <detail::stream_argument Stream, class... Args>
void println(Stream&, Args&&...) {
  static_assert(!detail::stream_argument<Stream>,
                "leat::println prints to standard output: for a stream of leat write "
                "out.println(...), for std::cerr write leat::err.println(...)");
}

}  // namespace v0
}  // namespace leat
