// Arguments with formatters of {fmt} in a compiled format: each formatter writes its own field.
#pragma once

#include <leat/detail/custom_format.hpp>
#include <leat/detail/custom_writer.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/standard_values.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// The base of formatters that leat::formatted makes.
struct formatted_base {};

#if LEAT_FORMAT_FMT

// A class derived from one of these is a string for {fmt}, whatever formatter it has.
template <class Traits, class Allocator>
void as_string(const std::basic_string<char, Traits, Allocator>&);
template <class Traits>
void as_string(const std::basic_string_view<char, Traits>&);
template <class Char>
void as_string(const formatting::basic_string_view<Char>&);

/// T has a formatter that {fmt} uses.
template <class T>
concept has_formatter = std::is_default_constructible_v<formatting::formatter<T>> &&
                        !requires(const T& value) { as_string(value); };

/// True if T is a standard type that leat writes, or has a formatter of leat::formatted with native
/// parts only.
template <class T>
inline constexpr bool puts = [] {
  if constexpr (has_shape<T>)
    return true;
  else if constexpr (std::is_base_of_v<formatted_base, formatting::formatter<T>>)
    return formatting::formatter<T>::template table_of<T>.native;
  else
    return false;
}();
template <class T>
inline constexpr custom_writer::put_function put_of = [] {
  if constexpr (has_shape<T>)
    return plain_standard_writer<T>.put;
  else if constexpr (puts<T>)
    return custom_writer::put_function(&formatting::formatter<T>::template put<T>);
  else
    return custom_writer::put_function(nullptr);
}();
/// The most bytes that the formatter writes, without texts.
template <class T>
inline constexpr std::size_t room_of = [] {
  if constexpr (puts<T> && !has_shape<T>)
    return static_cast<std::size_t>(formatting::formatter<T>::template table_of<T>.room);
  else
    return std::size_t{0};
}();
/// True for {fmt}'s formatters of these types, and for classes derived from them without further
/// members.
template <class Formatter, class... Types>
inline constexpr bool is_formatter_of =
    (... || (std::is_base_of_v<formatting::formatter<Types>, Formatter> &&
             sizeof(Formatter) == sizeof(formatting::formatter<Types>)));

/// The formatter of a type. The specification is parsed at compile time if the formatter has no
/// members, or if {fmt} initializes all of them. Other formatters may have uninitialized members,
/// which a constant must not have; they are constructed and parsed at each call.
template <class T>
struct custom_formatter : custom_writer {
  using formatter = formatting::formatter<T>;
  static constexpr bool is_constant =
      std::is_trivially_copyable_v<formatter> &&
      (std::is_empty_v<formatter> ||
       is_formatter_of<formatter, std::string_view, std::string, const char*, bool, char, int,
                       unsigned, long, unsigned long, long long, unsigned long long, float, double,
                       long double, const void*>);

  constexpr custom_formatter() : custom_writer{&write_object, put_of<T>} {}

  /// `spec` is the text after the colon, up to the end of the format. Returns false if this
  /// formatter does not end the field after `size` bytes.
  constexpr bool parse(std::string_view spec, std::size_t size) {
    if constexpr (is_constant) {
      return parse(parsed_, spec) == size;
    } else {
      formatter made;
      return parse(made, spec) == size;
    }
  }

 private:
  struct nothing {};
  [[no_unique_address]] std::conditional_t<is_constant, formatter, nothing> parsed_{};

  static constexpr std::size_t parse(formatter& to, std::string_view spec) {
    formatting::format_parse_context context(formatting::string_view(spec.data(), spec.size()));
    return static_cast<std::size_t>(to.parse(context) - context.begin());
  }

  static void write_object(const custom_writer& self, const void* object, std::string_view field,
                           formatting::format_context& to) {
    if constexpr (is_constant) {
      formatter copy = static_cast<const custom_formatter&>(self).parsed_;
      write(copy, object, to);
    } else {
      formatter made;
      const bool has_spec = field.find(':') != std::string_view::npos;
      parse(made, field.substr(field.find_first_of(":}") + has_spec));
      write(made, object, to);
    }
  }

  static void write(formatter& by, const void* object, formatting::format_context& to) {
    const auto* const constant = static_cast<const T*>(object);
    // Views that cache results can be read only if they are not const.
    if constexpr (requires { by.format(*constant, to); })
      static_cast<void>(by.format(*constant, to));
    else
      static_cast<void>(by.format(*const_cast<T*>(constant), to));
  }
};

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
