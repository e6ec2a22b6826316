// The standard types that print writes natively: ranges, maps, sets, pairs, tuples, optional
// values, variants and durations of numbers, texts and of each other; paths, monostate and ids of
// threads; and the results of fmt::join. Each of these types has a shape. standard_values.hpp
// writes the values.
#pragma once

#include <leat/detail/custom_format.hpp>
#include <leat/detail/format_value.hpp>

#include <cstddef>
#include <cstdint>
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
  joined,
};

/// The name of a type, and the text that the compiler writes after the name.
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
/// program. A value may be visited twice: if its text does not fit, the value is written again. So
/// the types in std::ranges do not count as standard: their functions may have side effects, and a
/// subrange may be readable only once.
template <class T>
consteval bool is_standard() {
  constexpr std::string_view type = name_of<T>();
  return type.starts_with("std::") &&
         type.substr(0, type.find('<')).find("ranges::") == std::string_view::npos;
}

template <class T>
consteval shape shape_of();

/// True for a number, a character, a bool, a text, or a type with a shape.
template <class T>
consteval bool is_writable_type() {
  constexpr arg_kind kind = kind_of<T>();
  if constexpr (kind == arg_kind::custom)
    return shape_of<T>() != shape::none;
  else
    return kind <= arg_kind::text && !printed_as_other_type<T> && !std::is_same_v<T, std::byte>;
}

template <class T>
using element_of = std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>;

template <class T, std::size_t... Indices>
consteval bool has_writable_elements(std::index_sequence<Indices...>) {
  return (true && ... && is_writable_type<std::remove_cv_t<std::tuple_element_t<Indices, T>>>());
}

/// Types that only the general formatters of <fmt/ranges.h> can match.
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

/// True if T has no formatter, or has {fmt}'s general formatter, which `Like` has too.
template <class T, class Like>
consteval bool has_no_other_formatter() {
  if constexpr (!has_any_formatter<T>) {
    return true;
  } else if constexpr (!has_any_formatter<Like>) {
    return false;
  } else {
    // The program's formatter of T may be derived from any formatter of {fmt}, even from one of
    // another type.
    using of = formatting::formatter<T>;
    using general = formatting::formatter<Like>;
    using parser = parser_of<of>;
    using general_parser = parser_of<general>;
    return sizeof(of) == sizeof(general) && has_separator<of> == has_separator<general> &&
           std::is_aggregate_v<of> == std::is_aggregate_v<general> &&
           std::is_same_v<of, parser> == std::is_same_v<general, general_parser> &&
           is_parameter<T, parser> == is_parameter<Like, general_parser>;
  }
}

/// True if a thread's id is a number, as in libstdc++; the number is also its text.
template <class T>
inline constexpr bool is_numeric_thread_id =
#  if defined(__GLIBCXX__)
    std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(std::uint64_t);
#  else
    false;
#  endif

template <class T>
consteval shape shape_of_range() {
  using element = element_of<T>;
  // NOLINTNEXTLINE(bugprone-branch-clone): the second condition is legal only after the first one
  if constexpr (std::is_same_v<element, T> || !is_writable_type<element>()) {
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

/// Types that have the form of T, and that only the general formatters of {fmt} match.
template <class T>
struct stand_in {
  using tuple = some_tuple<>;
};
template <template <class...> class Template, class... Parameters>
struct stand_in<Template<Parameters...>> {
  using tuple = some_tuple<Parameters...>;
};
template <template <class, class> class Template, class First, class Second>
struct stand_in<Template<First, Second>> {
  using tuple = some_tuple<First, Second>;
  using duration =
      Template<std::conditional_t<std::is_same_v<First, short>, unsigned short, short>, Second>;
  using period = Second;
};

template <class T>
consteval shape shape_of_duration() {
  using rep = typename T::rep;
  // {fmt} has a name for the unit 1/1000, but not for 2/2000.
  using period = typename stand_in<T>::period;
  constexpr arg_kind kind = kind_of<rep>();
  constexpr bool is_number = (kind >= arg_kind::signed_32 && kind <= arg_kind::unsigned_64) ||
                             kind == arg_kind::float_32 || kind == arg_kind::float_64;
  if constexpr (!is_number || !std::is_arithmetic_v<rep> ||
                !std::is_same_v<period, typename period::type>)
    return shape::none;
  else
    return has_no_other_formatter<T, typename stand_in<T>::duration>() ? shape::duration
                                                                       : shape::none;
}

template <class T>
using joined_element = std::remove_cvref_t<decltype(*std::declval<T>().begin)>;
/// True for a result of fmt::join that leat writes. Only pointers and the iterators of vectors and
/// spans run no code of the program. Elements that have a shape have other specifications.
template <class T>
inline constexpr bool is_joined = false;
template <class T>
  requires requires { std::string_view(T::sep.data()), *T::begin; }
inline constexpr bool is_joined<T> =
    name_of<T>().starts_with("fmt::") && std::is_same_v<decltype(T::begin), decltype(T::end)> &&
    (std::is_pointer_v<decltype(T::begin)> ||
     name_of<decltype(T::begin)>().starts_with("__gnu_cxx::__normal_iterator<") ||
     name_of<decltype(T::begin)>().starts_with("std::__wrap_iter<")) &&
    kind_of<joined_element<T>>() != arg_kind::custom && is_writable_type<joined_element<T>>();

/// The shape of a T without reference and cv. `none`: {fmt} writes the value, if {fmt} can.
template <class T>
consteval shape shape_of() {
  // NOLINTNEXTLINE(bugprone-branch-clone): each condition is legal only after the earlier ones
  if constexpr (kind_of<T>() != arg_kind::custom || !std::is_class_v<T> || !is_standard<T>()) {
    return is_joined<T> ? shape::joined : shape::none;
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
    return is_writable_type<typename T::value_type>() && !has_any_formatter<T> ? shape::optional
                                                                               : shape::none;
  } else if constexpr (requires(const T& value) {
                         value.index();
                         value.valueless_by_exception();
                       }) {
    using alternatives = typename stand_in<T>::tuple;
    constexpr std::make_index_sequence<std::tuple_size_v<alternatives>> all;
    return has_writable_elements<alternatives>(all) && !has_any_formatter<T> ? shape::variant
                                                                             : shape::none;
  } else if constexpr (requires { std::tuple_size<T>::value; }) {  // NOLINT(modernize-type-traits)
    return has_writable_elements<T>(std::make_index_sequence<std::tuple_size_v<T>>()) &&
                   has_no_other_formatter<T, typename stand_in<T>::tuple>()
               ? shape::tuple
               : shape::none;
  } else if constexpr (has_name<T>("std::monostate")) {
    return has_any_formatter<T> ? shape::none : shape::monostate;
  } else if constexpr (has_name<T>("std::thread::id")) {
    return is_numeric_thread_id<T> && !has_any_formatter<T> ? shape::thread_id : shape::none;
  } else {
    return shape::none;
  }
}

template <class T>
inline constexpr bool has_shape = shape_of<T>() != shape::none;

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

#endif
