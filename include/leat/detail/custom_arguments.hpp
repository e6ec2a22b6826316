// Arguments of print and format whose types are not native, and formats with such arguments.
// Native types are the types that leat formats itself. format.hpp and formatted.hpp call these
// functions.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <leat/detail/custom_format.hpp>
#include <leat/detail/custom_formatters.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/format_steps.hpp>
#include <leat/detail/format_value.hpp>

namespace leat {
inline namespace v0 {
namespace detail {

/// A native argument of a call through `formatting`; leat still writes it.
struct custom_native {
  any_value value;
};

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

/// The id of an argument that is a width or a precision: an index or, with {fmt}, a name.
struct count_argument {
  // The type of indices in `formatting`.
  using index_type = std::conditional_t<LEAT_FORMAT_FMT, int, std::size_t>;

  std::string_view name;
  index_type index = 0;

  /// Reads the id between two braces, and goes to the closing brace.
  template <class Context, class Iterator>
  constexpr void parse(Context& context, Iterator& at) {
    const auto begin = at;
    while (at != context.end() && *at != '}' && *at != '{') ++at;
    if (at == context.end() || *at == '{') report_mistake(format_mistake::missing_closing_brace);
    if (at == begin) {
      index = context.next_arg_id();
    } else if (*begin >= '0' && *begin <= '9') {
      index = parse_index<index_type>({&*begin, static_cast<std::size_t>(at - begin)});
      context.check_arg_id(index);
    } else if constexpr (LEAT_FORMAT_FMT) {
      name = {&*begin, static_cast<std::size_t>(at - begin)};
      context.check_arg_id(formatting::string_view(name.data(), name.size()));
    } else {
      report_mistake(format_mistake::invalid_argument_index_or_single_brace);
    }
  }

  /// Returns the argument, or a bool if the argument is no integer. If there is no such argument,
  /// throws format_error.
  template <class Context>
  any_value value(Context& context) const {
    constexpr auto read = [](auto number) {
      using type = decltype(number);
      if constexpr (std::is_integral_v<type> || std::is_same_v<type, int128> ||
                    std::is_same_v<type, uint128>)
        return make_any_value(number);
      else
        return any_value();
    };
    const auto arg = find(context);
    if (!arg) report_mistake(format_mistake::argument_missing);
    if constexpr (requires { arg.visit(read); })
      return arg.visit(read);
    else
      return visit_format_arg(read, arg);
  }

 private:
  template <class Index>
  static constexpr Index parse_index(std::string_view digits) {
    constexpr Index most = 1 << 20;
    Index number = 0;
    if (digits.size() > 1 && digits[0] == '0')  // "00" is no index
      report_mistake(format_mistake::invalid_argument_index_or_single_brace);
    for (const char c : digits) {
      if (c < '0' || c > '9' || number > most)
        report_mistake(format_mistake::invalid_argument_index_or_single_brace);
      number = 10 * number + static_cast<Index>(c - '0');
    }
    return number;
  }
  template <class Context>
  auto find(Context& context) const {
    if constexpr (LEAT_FORMAT_FMT)
      if (!name.empty()) return context.arg(formatting::string_view(name.data(), name.size()));
    return context.arg(index);
  }
};

#endif

/// True if leat writes a native T even in a call through `formatting`. {fmt} writes integers and
/// texts as leat does, but some floating-point numbers differ. For error codes and times, {fmt}
/// needs headers that depend on its version. With std::format more native types differ, so leat
/// lets std::format write only integers of 32 and 64 bits.
template <class T>
inline constexpr bool stays_native =
    kind_of<T>() == arg_kind::error_code || kind_of<T>() == arg_kind::time ||
    is_float(kind_of<T>()) ||
    (LEAT_FORMAT_STD && kind_of<T>() != arg_kind::custom &&
     (kind_of<T>() < arg_kind::signed_32 || kind_of<T>() > arg_kind::unsigned_64));

/// Returns the text of a native value's field. `spec` is the text after the colon. The first of
/// `values` is the value; the values of the width and precision arguments follow. If the
/// specification, a width or a precision is wrong, throws format_error.
LEAT_API std::string format_field(std::string_view spec, const any_value* values,
                                  std::size_t count);

#if LEAT_FORMAT_FMT
/// The result of fmt::arg("name", value), or of a literal: "name"_a = value.
template <class T>
concept named_argument = requires(const T& arg) { formatting::arg(arg.name, arg.value); } &&
                         name_of<T>().starts_with("fmt::");
#else
template <class T>
concept named_argument = false;
template <class T>
inline constexpr bool has_shape = false;
#endif

/// An argument in the form that `formatting` takes.
template <class T>
[[gnu::always_inline]] inline decltype(auto) custom_argument(T& arg) {
  if constexpr (stays_native<std::remove_cv_t<T>>)
    return custom_native{make_any_value(arg)};
  else if constexpr (printed_as_other_type<std::remove_cv_t<T>>)
    return printed_type<std::remove_cv_t<T>>(printed_value(arg));
  else if constexpr (std::is_same_v<std::remove_cv_t<T>, std::byte>)
    return static_cast<unsigned char>(arg);
#if LEAT_FORMAT_FMT
  else if constexpr (has_shape<std::remove_cv_t<T>>)
    return standard_argument<std::remove_cv_t<T>>{arg};
#endif
  else
    return (arg);
}
template <class T>
using custom_type = std::remove_cvref_t<decltype(custom_argument(std::declval<T&>()))>;

/// Returns false, and causes a compile error, if a T that is not native has no formatter.
template <class T>
consteval bool check_argument() {
  if constexpr (named_argument<T>) {
    using value = std::remove_cvref_t<decltype(std::declval<const T&>().value)>;
    check_formatter<value>();
    return can_format<value>;
  } else if constexpr (kind_of<T>() != arg_kind::custom || has_shape<T>) {
    return true;
  } else {
    static_assert(can_format<T> || !std::is_pointer_v<T>,
                  "an argument is a pointer: to print the address, write "
                  "static_cast<const void*>(pointer)");
    check_formatter<T>();
    return can_format<T>;
  }
}

/// If the argument is a null C string, throws format_error. If such an argument had a
/// specification, {fmt} would crash.
template <class T>
inline void check_c_string(const T& arg) {
  if constexpr (named_argument<T>)
    check_c_string(arg.value);
  else if constexpr (std::is_pointer_v<T> && is_text<T>)
    check_text(arg);
}

/// Calls use(formatting::format_args) with all arguments.
template <class Use, class... Args>
inline decltype(auto) with_custom_args(const Use& use, Args&&... args) {
  (check_c_string(args), ...);
  if constexpr ((true & ... & check_argument<std::remove_cvref_t<Args>>()))
    return use(formatting::make_format_args(args...));
  else  // there was an error; {fmt} need not repeat it
    return use(formatting::make_format_args());
}

/// The part of a format for argument number Index of type T: T's formatter, if T has one.
template <std::size_t Index, class T>
struct formatter_of {
  constexpr bool parse(std::size_t, std::string_view, std::size_t) { return true; }
  template <class Arg>
  any_value value(std::uint64_t step, Arg& arg) const noexcept {
    return make_any_value(step, arg);
  }
};

#if LEAT_FORMAT_FMT

template <std::size_t Index, class T>
  requires has_shape<T>
struct formatter_of<Index, T> : standard_writer<T> {
  constexpr bool parse(std::size_t index, std::string_view spec, std::size_t size) {
    return index != Index || standard_writer<T>::parse(spec, size);
  }
  any_value value(std::uint64_t step, const T& arg) const noexcept {
    const bool plain = !format_step(step).is_specified();
    const custom_writer* const by = plain ? &plain_standard_writer<T> : this;
    return {step, custom_value{__builtin_addressof(arg), by}};
  }
};

template <std::size_t Index, class T>
  requires(kind_of<T>() == arg_kind::custom && has_formatter<T> && !has_shape<T>)
struct formatter_of<Index, T> {
  constexpr bool parse(std::size_t index, std::string_view spec, std::size_t size) {
    return index != Index || custom_formatter<T>::parse(spec, size);
  }
  any_value value(std::uint64_t step, const T& arg) const noexcept {
    return {step, custom_value{__builtin_addressof(arg), &custom_formatter_writer<T>}};
  }
};

/// If false for any argument, `formatting` prints the whole call.
template <class T>
inline constexpr bool is_written_by_leat =
    kind_of<T>() != arg_kind::custom || has_shape<T> || has_formatter<T>;

#else

template <class T>
inline constexpr std::size_t room_of = 0;
template <class T>
inline constexpr bool runs_no_user_code = kind_of<T>() != arg_kind::custom;

template <class T>
inline constexpr bool is_written_by_leat = kind_of<T>() != arg_kind::custom;

#endif

template <class Indices, class... Args>
struct custom_formatters_of;
template <std::size_t... Indices, class... Args>
struct custom_formatters_of<std::index_sequence<Indices...>, Args...>
    : formatter_of<Indices, Args>... {
  static constexpr bool all_written_by_leat = (... && is_written_by_leat<Args>);

  /// If a formatter does not end its field where leat's parser does, returns false.
  constexpr bool parse(std::string_view text) {
    constexpr arg_kind kinds[] = {kind_of<Args>()...};
    format_parser parser(text, kinds, sizeof...(Args));
    std::size_t index = 0;
    bool all = true;
    for (segment next; parser.next(next);) {
      if (!next.is_field) continue;
      const std::size_t colon = text.find_first_of(":}", next.literal_end);
      const std::size_t begin = text[colon] == ':' ? colon + 1 : colon;
      const std::size_t size = parser.position() - 1 - begin;
      all = (all && ... && formatter_of<Indices, Args>::parse(index, text.substr(begin), size));
      ++index;
    }
    return all;
  }

  template <class... Given>
  any_values<sizeof...(Args)> values(const std::uint64_t* steps, Given&... args) const noexcept {
    return {{formatter_of<Indices, Args>::value(steps[Indices], args)...}};
  }
};
template <class... Args>
using custom_formatters = custom_formatters_of<std::index_sequence_for<Args...>, Args...>;

/// A format with arguments that have formatters.
template <class... Args>
class custom_format : public compiled_format<kind_of<Args>()...> {
 protected:
  consteval explicit custom_format(std::string_view text)
      : compiled_format<kind_of<Args>()...>(has_names ? std::string_view() : text) {
    if constexpr ((true & ... & check_argument<custom_type<Args>>()))
      static_cast<void>(formatting::format_string<checked_type<Args>...>(
          formatting::string_view(text.data(), text.size())));
    if constexpr (has_names) {
      this->parts_.text = text.data();
      this->parts_.text_size = text.size();
      return;
    }
    constexpr std::size_t more =
        (0 + ... + (kind_of<Args>() == arg_kind::custom ? room_of<Args> : 0));
    const format_plan plan = this->parts_.plan;
    const bool compiled =
        this->parts_.way == format_way::in_order &&
        custom_formatters<Args...>::all_written_by_leat &&
        format_plan::can_hold(plan.text_size(), plan.max_size() + more, plan.field_count()) &&
        formatters_.parse(text);
    if (compiled)
      this->parts_.plan = plan.with_room(more).with_flags(plan.has_escaped_tail(), false);
    else
      this->parts_.way = format_way::interpreted;
  }

  friend struct format_access;

  /// {fmt} finds the names at run time, so it writes the whole call.
  static constexpr bool has_names = (... || named_argument<Args>);

  /// The type for the check of the format. With names, leat's parser checks nothing, so {fmt}
  /// checks the specifications of floating-point numbers.
  template <class T>
  using checked_type =
      std::conditional_t<has_names && is_float(kind_of<T>()), printed_type<T>, custom_type<T>>;

  /// True if no argument runs code of the program. Then print can write directly into the
  /// stream's buffer.
  static constexpr bool in_buffer = (... && runs_no_user_code<Args>);

  custom_formatters<Args...> formatters_;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

template <>
struct leat::detail::formatting::formatter<leat::detail::custom_native> {
  // leat's parser has checked the specification, except if an argument of the call has a name.
  std::string_view spec;
  leat::detail::count_argument counts[2];
  std::size_t count = 0;

  template <class Context>
  constexpr auto parse(Context& context) {
    const auto begin = context.begin();
    auto at = begin;
    for (; at != context.end() && *at != '}'; ++at)
      if (*at == '{') {
        if (count == std::size(counts))
          leat::detail::report_mistake(leat::format_mistake::invalid_type_for_this_argument);
        counts[count++].parse(context, ++at);
      }
    if (at != begin) spec = {&*begin, static_cast<std::size_t>(at - begin)};
    return at;
  }

  template <class Context>
  auto format(const leat::detail::custom_native& native, Context& context) const {
    leat::detail::any_value values[3] = {native.value};
    for (std::size_t i = 0; i != count; ++i) values[i + 1] = counts[i].value(context);
    auto out = context.out();
    for (const char c : leat::detail::format_field(spec, values, count + 1)) *out++ = c;
    return out;
  }
};

#endif
