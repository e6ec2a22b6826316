// Standard types that print writes natively: ranges, maps, sets, pairs, tuples, optional values and
// durations of numbers, texts and of each other. The texts are those of {fmt}.
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

enum class shape : std::uint8_t { none, range, set, map, tuple, optional, duration };

/// True for types of the standard library, whose iterators and accessors run no code of the
/// program. A value may be visited twice: if its text does not fit, it is written again. So the
/// types in std::ranges are not such: their functions may have side effects, and a subrange may be
/// readable only once.
template <class T>
consteval bool is_standard() {
  constexpr std::string_view name = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "T = ";
  constexpr std::string_view type = name.substr(name.find(before) + before.size());
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

/// One of the template parameters of Class is T.
template <class T, class Class>
inline constexpr bool is_parameter = false;
template <class T, template <class...> class Class, class... Parameters>
inline constexpr bool is_parameter<T, Class<Parameters...>> =
    (... || std::is_same_v<T, Parameters>);
template <class T, template <auto, class...> class Class, auto Value, class... Parameters>
inline constexpr bool is_parameter<T, Class<Value, Parameters...>> =
    (... || std::is_same_v<T, Parameters>);

/// T has no formatter, or that one which {fmt} has for all types like it.
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

template <class T>
consteval shape shape_of_range() {
  using element = element_of<T>;
  if constexpr (std::is_same_v<element, T> || !is_written<element>()) {
    return shape::none;
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
  using tuple = T;
  using duration = T;
};
template <template <class...> class Template, class... Parameters>
struct like<Template<Parameters...>> {
  using tuple = some_tuple<Parameters...>;
};
template <template <class, class> class Template, class First, class Second>
struct like<Template<First, Second>> {
  using tuple = some_tuple<First, Second>;
  using duration = Template<short, Second>;
};

/// The shape of a T without reference and cv. `none`: {fmt} writes it, if it can.
template <class T>
consteval shape shape_of() {
  // NOLINTNEXTLINE(bugprone-branch-clone): each condition is legal only after those before it
  if constexpr (kind_of<T>() != arg_kind::custom || !std::is_class_v<T> || !is_standard<T>()) {
    return shape::none;
  } else if constexpr (requires {
                         typename T::rep;
                         typename T::period;
                       }) {
    using rep = typename T::rep;
    if constexpr (!std::is_integral_v<rep> || sizeof(rep) < 4 || T::period::num != 1)
      return shape::none;
    else
      return (T::period::den == 1 || T::period::den == 1'000 || T::period::den == 1'000'000'000) &&
                     has_no_other_formatter<T, typename like<T>::duration>()
                 ? shape::duration
                 : shape::none;
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
  } else if constexpr (requires { std::tuple_size<T>::value; }) {  // NOLINT(modernize-type-traits)
    return are_elements_written<T>(std::make_index_sequence<std::tuple_size_v<T>>()) &&
                   has_no_other_formatter<T, typename like<T>::tuple>()
               ? shape::tuple
               : shape::none;
  } else {
    return shape::none;
  }
}

template <class T>
inline constexpr bool has_shape = shape_of<T>() != shape::none;

/// Writes a text or a character as "{:?}" does. Returns null if it does not fit before `limit`.
LEAT_API char* write_quoted(char* to, char* limit, std::string_view text);
LEAT_API char* write_quoted(char* to, char* limit, char character);

/// How the elements of a range are written: as in "{::04x}", or quoted if they are texts.
struct element_format {
  std::uint64_t step = 0;    ///< of format_step; 0 for "{}"
  std::ptrdiff_t size = 64;  ///< the most bytes of an element that is no text
  bool quoted = true;
};
/// {fmt} 9 does not quote the elements of a range in a range, pair or tuple.
inline constexpr element_format elements_of_elements = {.quoted = FMT_VERSION >= 100000};

template <class T>
char* put_standard(const T& value, char* to, char* limit, const element_format& by = {},
                   bool bare = false);

/// Writes an element. Returns null if it does not fit before `limit`.
template <class T>
inline char* put_element(const T& value, char* to, char* limit, const element_format& by = {}) {
  constexpr arg_kind kind = kind_of<T>();
  if constexpr (kind == arg_kind::custom) {
    return put_standard(value, to, limit, elements_of_elements);
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

template <class T, std::size_t... Indices>
inline char* put_elements(const T& value, char* to, char* limit, std::string_view separator,
                          std::index_sequence<Indices...>) {
  [[maybe_unused]] const auto put = [&](std::size_t index, const auto& element) {
    if (index != 0) {
      if (limit - to < 2) return false;
      std::memcpy(to, separator.data(), 2);
      to += 2;
    }
    to = put_element(element, to, limit);
    return to != nullptr;
  };
  using std::get;
  const bool all = (true && ... && put(Indices, get<Indices>(value)));
  return all ? to : nullptr;
}

/// Writes a value that has a shape. Returns null if it does not fit before `limit`.
template <class T>
char* put_standard(const T& value, char* to, char* limit, const element_format& by, bool bare) {
  constexpr shape form = shape_of<T>();
  constexpr bool has_braces = form == shape::set || form == shape::map;
  if (limit - to < 16) return nullptr;
  if constexpr (form == shape::duration) {
    to = put_element(value.count(), to, limit);
    if (to == nullptr || limit - to < 2) return nullptr;
    if (T::period::den != 1) *to++ = T::period::den == 1'000 ? 'm' : 'n';
    *to++ = 's';
    return to;
  } else if constexpr (form == shape::optional) {
    if (!value.has_value()) return to + std::string_view("none").copy(to, 4);
    to = put_element(*value, to + std::string_view("optional(").copy(to, 9), limit);
  } else if constexpr (form == shape::tuple) {
    *to++ = '(';
    to = put_elements(value, to, limit, ", ", std::make_index_sequence<std::tuple_size_v<T>>());
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
        to = put_elements(element, to, limit, ": ", std::make_index_sequence<2>());
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

/// Writes a T by its specification: "", "n", or a colon and the specification of its elements, if
/// these are numbers, characters or texts.
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

/// For a field "{}". A call need not make it in its own memory.
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
