// Formatters for user-defined types in one line: a format and the members to print.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/format.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {
namespace detail {

/// A text as a template argument.
template <std::size_t Size>
struct constant_text {
  char text[Size];

  consteval constant_text(const char (&literal)[Size]) {  // NOLINT: implicit, for literals
    for (std::size_t i = 0; i != Size; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, Size - 1}; }
};

/// The value of a member for an object: a data member, or the result of a function.
template <auto Member, class T>
[[gnu::always_inline]] inline decltype(auto) member_value(const T& object) {
  using member = decltype(Member);
  if constexpr (std::is_member_object_pointer_v<member>)
    return (object.*Member);
  else if constexpr (std::is_member_function_pointer_v<member>)
    return (object.*Member)();
  else
    return Member(object);
}
template <auto Member, class T>
using member_type = std::remove_cvref_t<decltype(member_value<Member>(std::declval<const T&>()))>;

/// True if a format fits values of these types; if not, parse_all() is no constant expression.
template <constant_text Format, class... Fields>
constexpr bool parse_all() {
  constexpr arg_kind kinds[] = {kind_of<Fields>()..., arg_kind::custom};
  format_parser parser(Format.view(), kinds, sizeof...(Fields));
  for (segment next; parser.next(next);) {
  }
  return true;
}
template <constant_text Format, class... Fields>
concept format_fits = requires { typename std::bool_constant<parse_all<Format, Fields...>()>; };

/// True if each member has a field, or is the width or precision of a field. The format must fit.
template <constant_text Format, class... Fields>
consteval bool uses_all() {
  constexpr arg_kind kinds[] = {kind_of<Fields>()..., arg_kind::custom};
  bool used[sizeof...(Fields) + 1]{};
  format_parser parser(Format.view(), kinds, sizeof...(Fields));
  for (segment next; parser.next(next);) {
    if (!next.is_field) continue;
    // The parser does not say which arguments the specification of a formatter refers to.
    if (kinds[next.arg] == arg_kind::custom && next.spec.exotic) return true;
    for (const int arg : {next.arg, next.width_argument, next.precision_argument})
      if (arg != segment::no_argument) used[arg] = true;
  }
  std::size_t count = 0;
  for (const bool one : used) count += one;
  return count == sizeof...(Fields);
}

/// A type that takes any specification.
struct any_field {};
template <class>
using any_field_for = any_field;

/// Returns false, and causes a compile error, if the format does not fit the members.
template <constant_text Format, class... Fields>
consteval bool check_fields() {
  if constexpr (!(true & ... & check_argument<Fields>())) {
    return false;
  } else if constexpr (!format_fits<Format, any_field_for<Fields>...>) {
    static_assert(
        format_fits<Format, any_field_for<Fields>...>,
        "the format of leat::formatted has more fields than members, mixes {} and {0}, or "
        "has a brace without its partner");
    return false;
  } else if constexpr (!format_fits<Format, Fields...>) {
    static_assert(format_fits<Format, Fields...>,
                  "a specification in the format of leat::formatted does not fit its member");
    return false;
  } else {
    static_assert(uses_all<Format, Fields...>(),
                  "a member in leat::formatted has no field in its format");
    return uses_all<Format, Fields...>();
  }
}

#if LEAT_FORMAT_FMT

/// The parts of a format whose values leat writes natively.
template <constant_text Format, class... Fields>
struct field_table {
  static constexpr std::size_t count = sizeof...(Fields);

  char literals[sizeof Format.text]{};  // all literals, without escapes
  std::size_t ends[count + 1]{};        // of literal i in `literals`; literal i is before field i
  std::uint64_t steps[count + 1]{};     // kind and specification
  std::size_t begins[count + 1]{}, sizes[count + 1]{};  // of the fields in the format
  std::uint64_t room = 0;  // the most bytes, without texts and names of error categories
  bool is_native = true;   // else {fmt} or the interpreter writes a field

  consteval field_table() {
    constexpr arg_kind kinds[] = {kind_of<Fields>()..., arg_kind::custom};
    constexpr bool native_fields[] = {(kind_of<Fields>() != arg_kind::custom || can_put<Fields>)...,
                                      true};
    const std::string_view text = Format.view();
    format_parser parser(text, kinds, count);
    std::size_t fields = 0, used = 0;
    for (segment next; parser.next(next);) {
      for (std::size_t i = next.literal_begin; i != next.literal_end; ++i)
        literals[used++] = text[i];
      if (!next.is_field) continue;
      is_native = is_native && fields != count && next.arg == static_cast<int>(fields) &&
                  next.is_static() && format_step::can_hold(next.spec) && native_fields[fields] &&
                  (kinds[fields] != arg_kind::custom || next.spec.plain);
      if (!is_native) return;
      ends[fields] = used;
      begins[fields] = next.literal_end;
      sizes[fields] = parser.position() - next.literal_end;
      steps[fields] =
          format_step::of(kinds[fields]) | (next.spec.plain ? 0 : format_step::of(next.spec));
      room += max_size(kinds[fields], next.spec);
      ++fields;
    }
    ends[fields] = used;
    is_native = is_native && fields == count;
    room += used;
    constexpr std::uint64_t inner[] = {room_of<Fields>..., 0};
    for (const std::uint64_t more : inner) room += more;
  }
};

/// The table of a wrong format.
struct no_table {
  std::uint64_t room = 0;
  bool is_native = false;
};

/// A member whose arg_kind is `custom`, and the function that writes the member.
template <class Put>
struct inner_value {
  const void* object;
  Put put;
};
using plain_inner_value = inner_value<custom_writer::put_function>;
using inner_value_once = inner_value<custom_writer::put_once_function>;

template <class T>
[[gnu::always_inline]] inline auto inner_value_of(const T& value) {
  if constexpr (kind_of<T>() != arg_kind::custom)
    return value_of(value);
  else if constexpr (runs_no_user_code<T>)
    return plain_inner_value{__builtin_addressof(value), put_of<T>};
  else
    return inner_value_once{__builtin_addressof(value), put_once_of<T>};
}

template <const auto& Table, std::size_t Index>
[[gnu::always_inline]] inline char* put_literal(char* to) {
  constexpr std::size_t begin = Index == 0 ? 0 : Table.ends[Index - 1];
  std::memcpy(to, Table.literals + begin, Table.ends[Index] - begin);
  return to + (Table.ends[Index] - begin);
}

/// Writes a literal and the field after it. If a text does not fit before `limit`, returns null.
template <const auto& Table, constant_text Format, std::size_t Index, class Value>
[[gnu::always_inline]] inline char* put_part(char* to, [[maybe_unused]] char* limit,
                                             const Value& value) {
  to = put_literal<Table, Index>(to);
  constexpr format_step step(Table.steps[Index]);
  if constexpr (std::is_same_v<Value, plain_inner_value>) {
    return value.put(nullptr, value.object, to, limit);
  } else if constexpr (is_c_text<Value>) {
    check_text(value.text);
    if constexpr (!step.is_specified()) return copy_c_text(to, limit, value.text);
    const std::string_view text(value.text, length_of(value.text));
    return static_cast<std::ptrdiff_t>(text.size()) <= limit - to
               ? write_specified(to, text, Table.steps[Index])
               : nullptr;
  } else {
    if constexpr (std::is_same_v<Value, std::string_view> || std::is_same_v<Value, named_error>)
      if (static_cast<std::ptrdiff_t>(text_size(value)) > limit - to) return nullptr;
    if constexpr (!step.is_specified())
      return write_value(to, value);
    else if constexpr (std::is_same_v<Value, time_stamp> && step.type() == '%')
      return write_calendar(to, value,
                            Format.view().substr(Table.begins[Index], Table.sizes[Index]));
    else
      return write_specified<widest<Value>>(to, value, Table.steps[Index]);
  }
}

/// As above, but makes room for a text.
template <const auto& Table, constant_text Format, std::size_t Index, class Value>
[[gnu::always_inline]] inline char* put_part(char* to, text_room& room, const Value& value) {
  if constexpr (std::is_same_v<Value, inner_value_once>) {
    return value.put(value.object, put_literal<Table, Index>(to), room);
  } else {
    for (std::size_t more = text_size(value) + 256;; more *= 2) {
      if (char* const end = put_part<Table, Format, Index>(to, room.limit, value)) return end;
      to = room.grow(room, to, more);
    }
  }
}

/// Writes all literals and fields. `limit` is a char* or a text_room. If a text does not fit before
/// a char*, returns null.
template <const auto& Table, constant_text Format, std::size_t... Indices, class Limit,
          class... Values>
[[gnu::always_inline]] inline char* put_parts(std::index_sequence<Indices...>, char* to,
                                              [[maybe_unused]] Limit& limit,
                                              const Values&... values) {
  const bool all =
      (true && ... && ((to = put_part<Table, Format, Indices>(to, limit, values)) != nullptr));
  if (!all) return nullptr;
  return put_literal<Table, sizeof...(Values)>(to);
}

#endif

}  // namespace detail

/// A base for formatters of user-defined types. Derive the formatter of {fmt}, or of the standard
/// library, from this base:
///
///     template <>
///     struct fmt::formatter<point> : leat::formatted<"({:.2f}, {:.2f})", &point::x, &point::y> {};
///
/// The format is checked against the members and compiled at compile time. If leat was built with
/// {fmt}, print and format of leat write such a value about as fast as its parts. The library whose
/// formatter is specialized uses this formatter, too. Members are data members, const member
/// functions without parameters, functions of a `const T&`, and lambdas without captures; their
/// types may have such formatters too. A call of print calls each function once. The field of such
/// a value has no specification: "{}".
///
/// @since 0.3
template <detail::constant_text Format, auto... Members>
struct formatted : detail::formatted_base {
  template <class Context>
  constexpr auto parse(Context& context) {
    const auto begin = context.begin();
    if (begin != context.end() && *begin != '}')
      detail::report_mistake(format_mistake::specification_not_allowed_for_this_argument);
    return begin;
  }

  template <class T, class Context>
  auto format(const T& object, Context& context) const {
    auto to = context.out();
    if constexpr (fits_members<T>()) {
      static constexpr basic_format_string<detail::member_type<Members, T>...> text(Format.view());
      for (const char c : leat::format(text, detail::member_value<Members>(object)...)) *to++ = c;
    }
    return to;
  }

 private:
  /// Returns false, and causes a compile error, if the format and the members do not fit a T.
  template <class T>
  static consteval bool fits_members() {
    constexpr bool are_members = (true && ... && std::is_invocable_v<decltype(Members), const T&>);
    static_assert(are_members,
                  "leat::formatted shows data members and const member functions of the type "
                  "itself, and functions of a const T&");
    if constexpr (are_members)
      return detail::check_fields<Format, detail::member_type<Members, T>...>();
    else
      return false;
  }

#if LEAT_FORMAT_FMT
  template <class T>
  static consteval auto make_table() {
    if constexpr (fits_members<T>())
      return detail::field_table<Format, detail::member_type<Members, T>...>();
    else
      return detail::no_table();
  }

 public:  // for leat
  template <class T>
  static constexpr auto table_of = make_table<T>();
  /// True if writing a T runs no code of the program: such code could print to the same stream.
  template <class T>
  static constexpr bool runs_no_user_code =
      (true && ... &&
       (std::is_member_object_pointer_v<decltype(Members)> &&
        detail::runs_no_user_code<detail::member_type<Members, T>> &&
        !detail::runs_code_for_value<detail::member_type<Members, T>>));

  template <class T>
  static char* put(const detail::custom_writer* /*self*/, const void* object, char* to,
                   char* limit) {
    return put_members<T>(object, to, limit);
  }
  template <class T>
  static char* put_once(const void* object, char* to, detail::text_room& room) {
    return put_members<T>(object, to, room);
  }

 private:
  template <class T, class Limit>
  [[gnu::always_inline]] static char* put_members(const void* object, char* to, Limit& limit) {
    const T& value = *static_cast<const T*>(object);
    return detail::put_parts<table_of<T>, Format>(
        std::index_sequence_for<detail::member_type<Members, T>...>(), to, limit,
        detail::inner_value_of(detail::member_value<Members>(value))...);
  }
#endif
};

}  // namespace v0
}  // namespace leat
