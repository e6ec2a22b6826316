// Functions by which print writes values of standard types that have a shape. The texts are the
// same as {fmt}'s. custom_formatters.hpp and custom_arguments.hpp use these functions.
#pragma once

#include <leat/detail/custom_writer.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/format_value.hpp>
#include <leat/detail/standard_shapes.hpp>
#include <leat/detail/time_stamp.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#if LEAT_FORMAT_FMT

namespace leat {
inline namespace v0 {
namespace detail {

/// Writes a text or a character as "{:?}" does. If the quoted text does not fit before `limit`,
/// returns null.
LEAT_API char* write_quoted(char* to, char* limit, std::string_view text);
LEAT_API char* write_quoted(char* to, char* limit, char character);

/// How the elements of a value are written: as in "{::04x}", or quoted if they are texts.
struct element_format {
  std::uint64_t step = 0;    ///< bits of a format_step; 0 for "{}"
  std::ptrdiff_t size = 64;  ///< the most bytes of an element, without the bytes of a text
  bool quoted = true;

  /// For the elements of a range in another value; {fmt} 9 does not quote these elements.
  constexpr element_format in_range() const { return {.quoted = quoted && FMT_VERSION >= 100000}; }
  /// For the elements of a pair, tuple or optional value.
  constexpr element_format in_tuple() const { return {.quoted = quoted || FMT_VERSION < 100000}; }
};
/// Since 12.1, {fmt} quotes a path in a variant, but no longer the elements of a range or tuple in
/// a variant.
inline constexpr bool quotes_paths_in_variants = FMT_VERSION >= 120100;

template <class T>
char* put_standard(const T& value, char* to, char* limit, const element_format& by = {},
                   bool without_brackets = false);

/// Writes an element. If the element does not fit before `limit`, returns null.
template <class T>
inline char* put_element(const T& value, char* to, char* limit, const element_format& by = {}) {
  constexpr arg_kind kind = kind_of<T>();
  if constexpr (kind == arg_kind::custom && shape_of<T>() == shape::path) {
    const bool quoted = by.quoted || FMT_VERSION < 100100;
    return put_element(std::string_view(value.native()), to, limit, {.quoted = quoted});
  } else if constexpr (kind == arg_kind::custom) {
    return put_standard(value, to, limit, by.in_range());
  } else if constexpr (kind == arg_kind::text) {
    const auto text = value_of(value);
    if (by.quoted) return write_quoted(to, limit, text);
    if (limit - to < by.size + static_cast<std::ptrdiff_t>(text.size())) return nullptr;
    return by.step == 0 ? write_value(to, text) : write_specified(to, text, by.step);
  } else {
    if constexpr (kind == arg_kind::character)
      if (by.quoted) return write_quoted(to, limit, value);
    if (limit - to < by.size) return nullptr;
    const auto number = value_of(value);
    return by.step == 0 ? write_value(to, number)
                        : write_specified<widest<decltype(value_of(value))>>(to, number, by.step);
  }
}
inline char* put_word(std::string_view word, char* to, char* limit) {
  return put_element(word, to, limit, {.quoted = false});
}

template <class T, std::size_t... Indices>
inline char* put_elements(const T& value, char* to, char* limit, std::string_view separator,
                          const element_format& by, std::index_sequence<Indices...>) {
  [[maybe_unused]] const auto put = [&](std::size_t index, const auto& element) {
    if (index != 0) {
      if (limit - to < 2) return false;
      std::memcpy(to, separator.data(), 2);
      to += 2;
    }
    to = put_element(element, to, limit, by);
    return to != nullptr;
  };
  using std::get;
  const bool all = (true && ... && put(Indices, get<Indices>(value)));
  return all ? to : nullptr;
}

template <class T, std::size_t... Indices>
inline char* put_alternative(const T& value, char* to, char* limit,
                             std::index_sequence<Indices...>) {
  if (value.valueless_by_exception()) return put_word("valueless by exception", to, limit);
  const auto put = [&]<class Alternative>(const Alternative& alternative) {
    constexpr bool is_path = shape_of<Alternative>() == shape::path;
    constexpr bool is_quoted = kind_of<Alternative>() != arg_kind::custom ||
                               (is_path ? quotes_paths_in_variants : !quotes_paths_in_variants);
    to = put_element(alternative, to, limit, {.quoted = is_quoted});
    return true;
  };
  static_cast<void>((... || (value.index() == Indices && put(*get_if<Indices>(&value)))));
  return to;
}

/// The period of a duration, and the type of its number.
struct duration_type {
  std::int64_t num, den;     ///< of the period
  std::uint8_t decimals;     ///< of a second
  bool is_signed, is_short;  ///< is_short: the number has at most 32 bits
};
template <class T>
inline constexpr duration_type duration_type_of = {
    T::period::num, T::period::den, std::uint8_t{decimals_of(T::period::den)},
    std::is_signed_v<typename T::rep>, sizeof(typename T::rep) <= 4};

// Each of these functions returns null if the text may not fit before `limit`.

/// Writes "ms", or "[2/3]s" if the period has no name.
LEAT_API char* write_unit(char* to, const char* limit, const duration_type& type) noexcept;
/// Writes a duration by a specification that standard_writer::parse() accepts. `count` has the bits
/// of the number, also of an unsigned number. If {fmt} can't write the duration, throws
/// format_error.
LEAT_API char* write_duration(char* to, const char* limit, std::int64_t count,
                              const duration_type& type, std::string_view spec);

/// Writes a duration: the number, "{:g}" if it is a floating-point number, and the unit. If `spec`
/// is not empty, writes an integer's duration by `spec`.
template <class T>
inline char* put_duration(const T& value, char* to, char* limit, std::string_view spec = {}) {
  constexpr arg_kind kind = kind_of<typename T::rep>();
  if constexpr (is_float(kind)) {
    constexpr auto general = format_step::of(field_spec{.type = 'g', .plain = false});
    to = put_element(value.count(), to, limit, {.step = format_step::of(kind) | general});
    return to == nullptr ? to : write_unit(to, limit, duration_type_of<T>);
  } else {
    return write_duration(to, limit, static_cast<std::int64_t>(value.count()), duration_type_of<T>,
                          spec);
  }
}

#  if defined(__GLIBCXX__)
template <class T>
inline char* put_thread_id(const T& id, char* to, char* limit) {
  std::uint64_t number;
  std::memcpy(&number, &id, sizeof number);
  return number == 0 ? put_word("thread::id of a non-executing thread", to, limit)
                     : put_element(number, to, limit);
}
#  endif

/// Writes a result of fmt::join. The elements are never quoted.
template <class T>
inline char* put_joined(const T& value, char* to, char* limit, element_format by) {
  by.quoted = false;
  const std::string_view separator(value.sep.data(), value.sep.size());
  char few[2] = {};  // one store copies most separators
  separator.copy(few, sizeof few);
  for (auto at = value.begin; to != nullptr && at != value.end; ++at) {
    if (at != value.begin) {
      if (limit - to < by.size + static_cast<std::ptrdiff_t>(separator.size())) return nullptr;
      std::memcpy(to, few, sizeof few);
      to = separator.size() <= sizeof few ? to + separator.size() : write_value(to, separator);
    }
    to = put_element(*at, to, limit, by);
  }
  return to;
}

/// Writes a value that has a shape. If the value's text does not fit before `limit`, returns null.
template <class T>
char* put_standard(const T& value, char* to, char* limit, const element_format& by,
                   bool without_brackets) {
  constexpr shape form = shape_of<T>();
  constexpr bool has_braces = form == shape::set || form == shape::map;
  if (limit - to < 16) return nullptr;
  if constexpr (form == shape::duration) {
    return put_duration(value, to, limit);
  } else if constexpr (form == shape::path) {
    return put_element(value, to, limit, {.quoted = false});
  } else if constexpr (form == shape::joined) {
    return put_joined(value, to, limit, by);
  } else if constexpr (form == shape::monostate) {
    return put_word("monostate", to, limit);
#  if defined(__GLIBCXX__)
  } else if constexpr (form == shape::thread_id) {
    return put_thread_id(value, to, limit);
#  endif
  } else if constexpr (form == shape::optional) {
    if (!value.has_value()) return put_word("none", to, limit);
    to = put_element(*value, to + std::string_view("optional(").copy(to, 9), limit, by.in_tuple());
  } else if constexpr (form == shape::variant) {
    constexpr std::make_index_sequence<std::tuple_size_v<typename stand_in<T>::tuple>> all;
    to = put_alternative(value, to + std::string_view("variant(").copy(to, 8), limit, all);
  } else if constexpr (form == shape::tuple) {
    *to++ = '(';
    to = put_elements(value, to, limit, ", ", by.in_tuple(),
                      std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    if (!without_brackets) *to++ = has_braces ? '{' : '[';
    bool is_first = true;
    for (const auto& element : value) {
      if (!is_first) {
        if (limit - to < 2) return nullptr;
        *to++ = ',';
        *to++ = ' ';
      }
      is_first = false;
      if constexpr (form == shape::map)
        to = put_elements(element, to, limit, ": ", by.in_tuple(), std::make_index_sequence<2>());
      else
        to = put_element(static_cast<const element_of<T>&>(element), to, limit, by);
      if (to == nullptr) return nullptr;
    }
    if (without_brackets) return to;
  }
  if (to == nullptr || to == limit) return nullptr;
  *to++ = form == shape::range ? ']' : has_braces ? '}' : ')';
  return to;
}

/// Writes a T by its specification. The specification of a range or set is an optional "n". If
/// the elements are numbers, characters or texts, a colon and their specification may follow. The
/// specification of a result of fmt::join is the specification of its elements.
template <class T>
struct standard_writer : custom_writer {
  element_format elements;
  bool without_brackets = false;

  constexpr standard_writer() : custom_writer{nullptr, &put_object} {}

  /// As custom_formatter::parse().
  constexpr bool parse(std::string_view spec, std::size_t size) {
    constexpr shape form = shape_of<T>();
    constexpr bool is_range = form == shape::range || form == shape::set;
    spec = spec.substr(0, size);
    without_brackets = is_range && spec.starts_with('n');
    spec.remove_prefix(without_brackets);
    if (spec.empty()) return true;
    if constexpr (form == shape::joined) return parse_elements<joined_element<T>>(spec);
    if constexpr (is_range)
      if (spec.starts_with(':')) return parse_elements<element_of<T>>(spec.substr(1));
    return false;
  }

 private:
  template <class Element>
  constexpr bool parse_elements(std::string_view spec) {
    constexpr arg_kind kinds[] = {kind_of<Element>()};
    constexpr std::size_t most = 32;
    if (kinds[0] == arg_kind::custom || spec.size() + 3 > most) return false;
    char text[most] = {'{', ':'};
    for (std::size_t i = 0; i != spec.size(); ++i) text[i + 2] = spec[i];
    text[spec.size() + 2] = '}';
    format_parser parser({text, spec.size() + 3}, kinds, 1);
    segment field;
    parser.next(field);
    const field_spec& of = field.spec;
    if (!field.is_static() || !format_step::can_hold(of)) return false;
    elements.quoted = false;
    elements.size = static_cast<std::ptrdiff_t>(max_size(kinds[0], of)) + 64;
    if (!of.plain) elements.step = format_step::of(kinds[0]) | format_step::of(of);
    return true;
  }

  static char* put_object(const custom_writer* self, const void* object, char* to, char* limit) {
    const T& value = *static_cast<const T*>(object);
    if (self == nullptr) return put_standard(value, to, limit);
    const auto& by = static_cast<const standard_writer&>(*self);
    return put_standard(value, to, limit, by.elements, by.without_brackets);
  }
};

/// Writes a duration by its specification: nothing, or conversions such as "%H".
template <class T>
  requires(shape_of<T>() == shape::duration)
struct standard_writer<T> : custom_writer {
  std::string_view format;

  constexpr standard_writer() : custom_writer{nullptr, &put_object} {}

  /// As custom_formatter::parse(). Accepts the conversions of integers that all versions of {fmt}
  /// write alike, of whole seconds, or of parts of a second with up to 9 decimals.
  constexpr bool parse(std::string_view text, std::size_t size) {
    constexpr std::intmax_t num = T::period::num, den = T::period::den;
    format = text.substr(0, size);
    bool good = size == 0 || (std::is_integral_v<typename T::rep> && format[0] == '%' &&
                              (den == 1 || (num == 1 && 1'000'000'000 % den == 0)));
    constexpr std::string_view letters = "HIMSRTpQqnt%";
    for (std::size_t at = 0; good && at < size; at += format[at] == '%' ? 2U : 1U)
      good = format[at] == '%' ? at + 1 < size && letters.find(format[at + 1]) < letters.size()
                               : format[at] != '{';
    return good;
  }

 private:
  static char* put_object(const custom_writer* self, const void* object, char* to, char* limit) {
    return put_duration(*static_cast<const T*>(object), to, limit,
                        static_cast<const standard_writer*>(self)->format);
  }
};

/// The writer of a field "{}": a constant, so that no call constructs a writer on the stack.
template <class T>
inline constexpr standard_writer<T> plain_standard_writer;

/// Returns the format_mistake for a specification that leat does not support: the specification of
/// a range's elements without the second colon, or a specification that needs a header of {fmt}
/// that is not included.
constexpr auto mistake_in(shape form, std::string_view spec) {
  // {fmt} accepts more for ranges: 's', "?s", and after ':' any specification.
  const bool is_of_elements = form <= shape::map && !spec.starts_with('n') &&
                              !spec.starts_with('s') && !spec.starts_with('?') &&
                              spec.find(':') == std::string_view::npos;
  return is_of_elements ? &format_mistake::elements_need_a_second_colon_before_their_specification
         : form <= shape::tuple    ? &format_mistake::include_fmt_ranges_h_for_this_specification
         : form == shape::duration ? &format_mistake::include_fmt_chrono_h_for_this_specification
                                   : &format_mistake::include_fmt_std_h_for_this_specification;
}

/// An argument that has a shape, for {fmt}.
template <class T>
struct standard_argument {
  const T& value;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat

template <class T>
  requires(!leat::detail::has_any_formatter<T>)
struct leat::detail::formatting::formatter<leat::detail::standard_argument<T>> {
  leat::detail::standard_writer<T> by;

  constexpr auto parse(format_parse_context& context) {
    const std::string_view text(context.begin(),
                                static_cast<std::size_t>(context.end() - context.begin()));
    const std::size_t size = text.find('}') < text.size() ? text.find('}') : text.size();
    if (!by.parse(text, size))
      leat::detail::report_mistake(
          leat::detail::mistake_in(leat::detail::shape_of<T>(), text.substr(0, size)));
    return context.begin() + size;
  }
  template <class Context>
  auto format(const leat::detail::standard_argument<T>& argument, Context& context) const {
    std::string text(128, '\0');
    char* end = nullptr;
    for (;; text.resize(2 * text.size())) {
      end = by.put(&by, &argument.value, text.data(), text.data() + text.size() - 64);
      if (end != nullptr) break;
    }
    auto out = context.out();
    for (const char* at = text.data(); at != end; ++at) *out++ = *at;
    return out;
  }
};
template <class T>
  requires(leat::detail::has_any_formatter<T>)
struct leat::detail::formatting::formatter<leat::detail::standard_argument<T>>
    : leat::detail::formatting::formatter<T> {
  template <class Context>
  auto format(const leat::detail::standard_argument<T>& argument, Context& context) const {
    return formatting_base::format(argument.value, context);
  }

 private:
  using formatting_base = leat::detail::formatting::formatter<T>;
};

#endif
