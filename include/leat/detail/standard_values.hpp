// Standard types that print writes natively: ranges, maps, sets, pairs, tuples, optional values,
// variants and durations of numbers, texts and of each other; paths, monostate and ids of threads.
// The texts are those of {fmt}.
#pragma once

#include <leat/detail/custom_format.hpp>
#include <leat/detail/custom_writer.hpp>
#include <leat/detail/format_value.hpp>

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

enum class shape : std::uint8_t {
  none,
  range,
  set,
  map,
  tuple,
  optional,
  variant,
  duration,
  path,
  monostate,
  thread_id,
};

/// The name of a type, and what the compiler writes after the name.
template <class T>
consteval auto name_of() {
  constexpr std::string_view name = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "T = ";
  return name.substr(name.find(before) + before.size());
}
/// True if T has this name: for types that differ from others only in the name.
template <class T>
consteval bool has_name(std::string_view name) {
  return name_of<T>().starts_with(name) &&
         std::string_view("];").find(name_of<T>()[name.size()]) != std::string_view::npos;
}

/// True for types of the standard library, whose iterators and accessors run no code of the
/// program. A value may be visited twice: if its text does not fit, it is written again. So the
/// types in std::ranges do not count as standard: their functions may have side effects, and a
/// subrange may be readable only once.
template <class T>
consteval bool is_standard() {
  constexpr std::string_view type = name_of<T>();
  return type.starts_with("std::") &&
         type.substr(0, type.find('<')).find("ranges::") == std::string_view::npos;
}

template <class T>
consteval shape shape_of();

/// A number, a character, a bool, a text, or a T with a shape.
template <class T>
consteval bool is_written() {
  constexpr arg_kind kind = kind_of<T>();
  if constexpr (kind == arg_kind::custom)
    return shape_of<T>() != shape::none;
  else
    return kind <= arg_kind::text && !holder<T> && !std::is_same_v<T, std::byte>;
}

template <class T>
using element_of = std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>;

template <class T, std::size_t... Indices>
consteval bool are_elements_written(std::index_sequence<Indices...>) {
  return (true && ... && is_written<std::remove_cv_t<std::tuple_element_t<Indices, T>>>());
}

/// Types that only the general formatters of <fmt/ranges.h> and <fmt/chrono.h> can match.
template <class Element>
struct some_range {
  using value_type = Element;
  const Element* begin() const;
  const Element* end() const;
};
template <class Element>
struct some_set : some_range<Element> {
  using key_type = Element;
};
template <class Element>
struct some_map : some_range<Element> {
  using key_type = typename Element::first_type;
  using mapped_type = typename Element::second_type;
};
template <class... Elements>
struct some_tuple {};
template <std::size_t Index, class... Elements>
const std::tuple_element_t<Index, some_tuple<Elements...>>& get(const some_tuple<Elements...>&);

template <class Formatter>
concept has_separator = requires(Formatter by) { by.set_separator(""); };
template <class T>
inline constexpr bool has_any_formatter = std::is_default_constructible_v<formatting::formatter<T>>;

/// The class that declares the parse() of a formatter; void if there are several parse().
template <class Class, class Member>
Class class_of(Member Class::*);
template <class Formatter>
consteval auto find_parser() {
  if constexpr (requires { class_of(&Formatter::parse); })
    return std::type_identity<decltype(class_of(&Formatter::parse))>();
  else if constexpr (requires {
                       class_of(&Formatter::template parse<formatting::format_parse_context>);
                     })
    return std::type_identity<decltype(class_of(
        &Formatter::template parse<formatting::format_parse_context>))>();
  else
    return std::type_identity<void>();
}
template <class Formatter>
using parser_of = typename decltype(find_parser<Formatter>())::type;

/// True if one of the template parameters of Class is T.
template <class T, class Class>
inline constexpr bool is_parameter = false;
template <class T, template <class...> class Class, class... Parameters>
inline constexpr bool is_parameter<T, Class<Parameters...>> =
    (... || std::is_same_v<T, Parameters>);
template <class T, template <auto, class...> class Class, auto Value, class... Parameters>
inline constexpr bool is_parameter<T, Class<Value, Parameters...>> =
    (... || std::is_same_v<T, Parameters>);

/// True if T has no formatter, or the formatter that {fmt} has for all types like it.
template <class T, class Like>
consteval bool has_no_other_formatter() {
  if constexpr (!has_any_formatter<T>) {
    return true;
  } else if constexpr (!has_any_formatter<Like>) {
    return false;
  } else {  // a formatter of the program may be derived from one of {fmt}'s, also for another type
    using of = formatting::formatter<T>;
    using usual = formatting::formatter<Like>;
    using parser = parser_of<of>;
    using usual_parser = parser_of<usual>;
    return sizeof(of) == sizeof(usual) && has_separator<of> == has_separator<usual> &&
           std::is_aggregate_v<of> == std::is_aggregate_v<usual> &&
           std::is_same_v<of, parser> == std::is_same_v<usual, usual_parser> &&
           is_parameter<T, parser> == is_parameter<Like, usual_parser>;
  }
}

/// True if a thread's id is a number, as in libstdc++; the number is also its text.
template <class T>
inline constexpr bool is_number_of_thread =
#  if defined(__GLIBCXX__)
    std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(std::uint64_t);
#  else
    false;
#  endif

template <class T>
consteval shape shape_of_range() {
  using element = element_of<T>;
  // NOLINTNEXTLINE(bugprone-branch-clone): the second condition is legal only after the first one
  if constexpr (std::is_same_v<element, T> || !is_written<element>()) {
    return shape::none;
  } else if constexpr (FMT_VERSION < 100100 && shape_of<element>() == shape::path) {
    return shape::none;  // {fmt} quotes paths twice
  } else if constexpr (requires { typename T::mapped_type; }) {
    return has_no_other_formatter<T, some_map<element>>() ? shape::map : shape::none;
  } else if constexpr (requires { typename T::key_type; }) {
    return has_no_other_formatter<T, some_set<element>>() ? shape::set : shape::none;
  } else {
    return has_no_other_formatter<T, some_range<element>>() ? shape::range : shape::none;
  }
}

template <class T>
struct like {
  using tuple = some_tuple<>;
};
template <template <class...> class Template, class... Parameters>
struct like<Template<Parameters...>> {
  using tuple = some_tuple<Parameters...>;
};
template <template <class, class> class Template, class First, class Second>
struct like<Template<First, Second>> {
  using tuple = some_tuple<First, Second>;
  using duration =
      Template<std::conditional_t<std::is_same_v<First, short>, unsigned short, short>, Second>;
  using period = Second;
};

template <class T>
consteval shape shape_of_duration() {
  using rep = typename T::rep;
  // {fmt} has a name for the unit 1/1000, but not for 2/2000.
  using period = typename like<T>::period;
  constexpr arg_kind kind = kind_of<rep>();
  constexpr bool is_number = (kind >= arg_kind::signed_32 && kind <= arg_kind::unsigned_64) ||
                             kind == arg_kind::float_32 || kind == arg_kind::float_64;
  if constexpr (!is_number || !std::is_arithmetic_v<rep> ||
                !std::is_same_v<period, typename period::type>)
    return shape::none;
  else
    return has_no_other_formatter<T, typename like<T>::duration>() ? shape::duration : shape::none;
}

/// The shape of a T without reference and cv. `none`: {fmt} writes it, if it can.
template <class T>
consteval shape shape_of() {
  // NOLINTNEXTLINE(bugprone-branch-clone): each condition is legal only after those before it
  if constexpr (kind_of<T>() != arg_kind::custom || !std::is_class_v<T> || !is_standard<T>()) {
    return shape::none;
  } else if constexpr (requires(const T& value) {
                         typename T::period;
                         value.count();
                       }) {
    return shape_of_duration<T>();
  } else if constexpr (requires(const T& value) { value.lexically_normal().native(); }) {
    if constexpr (!std::is_same_v<typename T::value_type, char>)
      return shape::none;  // Windows' paths are wide
    else
      return has_any_formatter<T> ? shape::none : shape::path;
  } else if constexpr (requires(const T& value) {
                         value.begin();
                         value.end();
                       }) {
    return shape_of_range<T>();
  } else if constexpr (
      requires(const T& value) {
        value.has_value();
        *value;
        typename T::value_type;
      } && !requires { typename T::error_type; }) {
    return is_written<typename T::value_type>() && !has_any_formatter<T> ? shape::optional
                                                                         : shape::none;
  } else if constexpr (requires(const T& value) {
                         value.index();
                         value.valueless_by_exception();
                       }) {
    using alternatives = typename like<T>::tuple;
    constexpr std::make_index_sequence<std::tuple_size_v<alternatives>> all;
    return are_elements_written<alternatives>(all) && !has_any_formatter<T> ? shape::variant
                                                                            : shape::none;
  } else if constexpr (requires { std::tuple_size<T>::value; }) {  // NOLINT(modernize-type-traits)
    return are_elements_written<T>(std::make_index_sequence<std::tuple_size_v<T>>()) &&
                   has_no_other_formatter<T, typename like<T>::tuple>()
               ? shape::tuple
               : shape::none;
  } else if constexpr (has_name<T>("std::monostate")) {
    return has_any_formatter<T> ? shape::none : shape::monostate;
  } else if constexpr (has_name<T>("std::thread::id")) {
    return is_number_of_thread<T> && !has_any_formatter<T> ? shape::thread_id : shape::none;
  } else {
    return shape::none;
  }
}

template <class T>
inline constexpr bool has_shape = shape_of<T>() != shape::none;

/// Writes a text or a character as "{:?}" does. Returns null if it does not fit before `limit`.
LEAT_API char* write_quoted(char* to, char* limit, std::string_view text);
LEAT_API char* write_quoted(char* to, char* limit, char character);

/// How the elements of a value are written: as in "{::04x}", or quoted if they are texts.
struct element_format {
  std::uint64_t step = 0;    ///< bits of a format_step; 0 for "{}"
  std::ptrdiff_t size = 64;  ///< the most bytes of an element that is no text
  bool quoted = true;

  /// For the elements of a range in another value, which {fmt} 9 does not quote.
  constexpr element_format in_range() const { return {.quoted = quoted && FMT_VERSION >= 100000}; }
  /// For the elements of a pair, tuple or optional value.
  constexpr element_format in_tuple() const { return {.quoted = quoted || FMT_VERSION < 100000}; }
};
/// {fmt} 12.1 quotes alternatives of variants, but not the elements of an alternative.
inline constexpr bool quotes_alternatives = FMT_VERSION >= 120100;

template <class T>
char* put_standard(const T& value, char* to, char* limit, const element_format& by = {},
                   bool bare = false);

/// Writes an element. Returns null if it does not fit before `limit`.
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
                               (is_path ? quotes_alternatives : !quotes_alternatives);
    to = put_element(alternative, to, limit, {.quoted = is_quoted});
    return true;
  };
  static_cast<void>((... || (value.index() == Indices && put(*get_if<Indices>(&value)))));
  return to;
}

/// Returns the unit of a duration: "ms", or "[2/3]s" if the period has no name.
template <class Period>
consteval auto unit_of() {
  struct {
    char text[48]{};
    std::size_t size = 0;

    constexpr void add(std::string_view more) {
      for (const char c : more) text[size++] = c;
    }
    constexpr void add(std::intmax_t number) {
      if (number >= 10) add(number / 10);
      text[size++] = static_cast<char>('0' + number % 10);
    }
  } unit;
  constexpr bool is_new = FMT_VERSION >= 100200;
  struct name {
    std::intmax_t factor;
    std::string_view of_part, of_multiple;
  };
  constexpr name names[] = {{1, "s", ""},
                            {10, "ds", "das"},
                            {100, "cs", "hs"},
                            {1'000, "ms", "ks"},
                            {1'000'000, "\xC2\xB5s", "Ms"},
                            {1'000'000'000, "ns", "Gs"},
                            {1'000'000'000'000, "ps", "Ts"},
                            {1'000'000'000'000'000, "fs", "Ps"},
                            {1'000'000'000'000'000'000, "as", "Es"},
                            {60, "", is_new ? "min" : "m"},
                            {3'600, "", "h"},
                            {86'400, "", is_new ? "d" : ""}};
  for (const name& known : names) {
    if (Period::num == 1 && Period::den == known.factor) unit.add(known.of_part);
    if (Period::den == 1 && Period::num == known.factor) unit.add(known.of_multiple);
  }
  if (unit.size != 0) return unit;
  unit.add("[");
  unit.add(Period::num);
  if (Period::den != 1) {
    unit.add("/");
    unit.add(Period::den);
  }
  unit.add("]s");
  return unit;
}

/// Writes a duration: the number, "{:g}" if it is a floating-point number, and the unit.
template <class T>
inline char* put_duration(const T& value, char* to, char* limit) {
  constexpr arg_kind kind = kind_of<typename T::rep>();
  constexpr field_spec spec = {.type = is_float(kind) ? 'g' : '\0', .plain = !is_float(kind)};
  constexpr std::uint64_t step = spec.plain ? 0 : format_step::of(kind) | format_step::of(spec);
  static constexpr auto unit = unit_of<typename T::period>();
  to = put_element(value.count(), to, limit, {.step = step});
  return to == nullptr ? to : put_word({unit.text, unit.size}, to, limit);
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

/// Writes a value that has a shape. Returns null if it does not fit before `limit`.
template <class T>
char* put_standard(const T& value, char* to, char* limit, const element_format& by, bool bare) {
  constexpr shape form = shape_of<T>();
  constexpr bool has_braces = form == shape::set || form == shape::map;
  if (limit - to < 16) return nullptr;
  if constexpr (form == shape::duration) {
    return put_duration(value, to, limit);
  } else if constexpr (form == shape::path) {
    return put_element(value, to, limit, {.quoted = false});
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
    constexpr std::make_index_sequence<std::tuple_size_v<typename like<T>::tuple>> all;
    to = put_alternative(value, to + std::string_view("variant(").copy(to, 8), limit, all);
  } else if constexpr (form == shape::tuple) {
    *to++ = '(';
    to = put_elements(value, to, limit, ", ", by.in_tuple(),
                      std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    if (!bare) *to++ = has_braces ? '{' : '[';
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
    if (bare) return to;
  }
  if (to == nullptr || to == limit) return nullptr;
  *to++ = form == shape::range ? ']' : has_braces ? '}' : ')';
  return to;
}

/// Writes a T by its specification. For ranges and sets this is "n" or nothing, and then perhaps a
/// colon and the specification of the elements, if these are numbers, characters or texts.
template <class T>
struct standard_writer : custom_writer {
  element_format elements;
  bool bare = false;

  constexpr standard_writer() : custom_writer{nullptr, &put_object} {}

  /// As custom_formatter::parse().
  constexpr bool parse(std::string_view spec, std::size_t size) {
    constexpr shape form = shape_of<T>();
    constexpr bool is_range = form == shape::range || form == shape::set;
    spec = spec.substr(0, size);
    bare = is_range && spec.starts_with('n');
    spec.remove_prefix(bare);
    if (spec.empty()) return true;
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
    if (!field.is_static() || !format_step::holds(of)) return false;
    elements.quoted = false;
    elements.size = static_cast<std::ptrdiff_t>(max_size(kinds[0], of)) + 64;
    if (!of.plain) elements.step = format_step::of(kinds[0]) | format_step::of(of);
    return true;
  }

  static char* put_object(const custom_writer* self, const void* object, char* to, char* limit) {
    const T& value = *static_cast<const T*>(object);
    if (self == nullptr) return put_standard(value, to, limit);
    const auto& by = static_cast<const standard_writer&>(*self);
    return put_standard(value, to, limit, by.elements, by.bare);
  }
};

/// The writer of a field "{}": a constant, so that no call makes one in its own memory.
template <class T>
inline constexpr standard_writer<T> plain_standard_writer;

/// An argument that has a shape, for {fmt}.
template <class T>
struct standard_argument {
  const T& value;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat

template <class... Elements>
struct std::tuple_size<leat::detail::some_tuple<Elements...>>
    : std::integral_constant<std::size_t, sizeof...(Elements)> {};
template <std::size_t Index, class First, class... Others>
struct std::tuple_element<Index, leat::detail::some_tuple<First, Others...>>
    : std::tuple_element<Index - 1, leat::detail::some_tuple<Others...>> {};
template <class First, class... Others>
struct std::tuple_element<0, leat::detail::some_tuple<First, Others...>> {
  using type = First;
};

template <class T>
  requires(!leat::detail::has_any_formatter<T>)
struct leat::detail::formatting::formatter<leat::detail::standard_argument<T>> {
  leat::detail::standard_writer<T> by;

  constexpr auto parse(format_parse_context& context) {
    const std::string_view text(context.begin(),
                                static_cast<std::size_t>(context.end() - context.begin()));
    const std::size_t size = text.find('}') < text.size() ? text.find('}') : text.size();
    if (!by.parse(text, size)) {
      if (std::is_constant_evaluated())
        leat::format_mistake::invalid_type_for_this_argument();
      else
        leat::detail::throw_format_error(leat::format_mistake::invalid_type_for_this_argument(),
                                         leat::format_error::no_position);
    }
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
