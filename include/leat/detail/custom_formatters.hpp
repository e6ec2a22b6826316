// Arguments with formatters of {fmt} in a compiled format: each formatter writes its own field.
// custom_arguments.hpp and formatted.hpp use these classes.
#pragma once

#include <leat/detail/custom_format.hpp>
#include <leat/detail/custom_writer.hpp>
#include <leat/detail/format_parser.hpp>
#include <leat/detail/format_value.hpp>
#include <leat/detail/standard_values.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// The base of formatters that leat::formatted makes.
struct formatted_base {};

#if LEAT_FORMAT_FMT

// A class derived from std::basic_string, std::basic_string_view or fmt::basic_string_view is a
// string for {fmt}, whatever formatter the class has.
template <class Traits, class Allocator>
void as_string(const std::basic_string<char, Traits, Allocator>&);
template <class Traits>
void as_string(const std::basic_string_view<char, Traits>&);
template <class Char>
void as_string(const formatting::basic_string_view<Char>&);

/// True if T has a formatter that {fmt} uses.
template <class T>
concept has_formatter = std::is_default_constructible_v<formatting::formatter<T>> &&
                        !requires(const T& value) { as_string(value); };

/// True if T is a standard type that leat writes, or has a formatter of leat::formatted with native
/// parts only.
template <class T>
inline constexpr bool can_put = [] {
  if constexpr (has_shape<T>)
    return true;
  else if constexpr (std::is_base_of_v<formatted_base, formatting::formatter<T>>)
    return formatting::formatter<T>::template table_of<T>.is_native;
  else
    return false;
}();
/// True if writing a T runs no code of the program: such code could print to the same stream.
template <class T>
inline constexpr bool runs_no_user_code = kind_of<T>() != arg_kind::custom || has_shape<T>;
template <class T>
  requires(kind_of<T>() == arg_kind::custom && can_put<T> && !has_shape<T>)
inline constexpr bool runs_no_user_code<T> =
    formatting::formatter<T>::template runs_no_user_code<T>;

template <class T>
inline constexpr custom_writer::put_function put_of = [] {
  if constexpr (has_shape<T>)
    return plain_standard_writer<T>.put;
  else if constexpr (can_put<T> && runs_no_user_code<T>)
    return custom_writer::put_function(&formatting::formatter<T>::template put<T>);
  else
    return custom_writer::put_function(nullptr);
}();
template <class T>
inline constexpr custom_writer::put_once_function put_once_of = [] {
  if constexpr (can_put<T> && !runs_no_user_code<T>)
    return custom_writer::put_once_function(&formatting::formatter<T>::template put_once<T>);
  else
    return custom_writer::put_once_function(nullptr);
}();
/// The most bytes that a formatter of leat::formatted writes, without texts and names of error
/// categories; 0 for other types.
template <class T>
inline constexpr std::size_t room_of = [] {
  if constexpr (can_put<T> && !has_shape<T>)
    return static_cast<std::size_t>(formatting::formatter<T>::template table_of<T>.room);
  else
    return std::size_t{0};
}();
/// True for {fmt}'s formatters of these types, and for classes derived from such a formatter
/// without further data members.
template <class Formatter, class... Types>
inline constexpr bool is_formatter_of =
    (... || (std::is_base_of_v<formatting::formatter<Types>, Formatter> &&
             sizeof(Formatter) == sizeof(formatting::formatter<Types>)));

/// Formatters that were parsed in earlier calls. If a specification has more than 15 characters, or
/// if all slots of the formatter's type are taken, each call parses a formatter again.
template <class Formatter>
class parsed_formatters {
 public:
  /// `key` is format_step::formatter_text(). If there is no such formatter, or if `key` is
  /// text_too_long, returns null.
  static const Formatter* find(std::uint64_t key) noexcept {
    for (const slot& one : entries)
      if (__atomic_load_n(&one.key, __ATOMIC_ACQUIRE) == key) return &one.formatter;
    return nullptr;
  }
  /// Finds a formatter by the specification, for any key.
  static const Formatter* find(std::string_view spec) noexcept {
    const unsigned n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i != n; ++i)
      if (std::string_view(entries[i].spec, entries[i].size) == spec) return &entries[i].formatter;
    return nullptr;
  }

  /// Stores a formatter. If all slots are taken, or if another thread is storing a formatter at
  /// this moment, does nothing.
  static void add(std::uint64_t key, std::string_view spec, const Formatter& parsed) noexcept {
    if (spec.size() > sizeof slot::spec || __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
      return;
    if (count != capacity && find(spec) == nullptr) {
      slot& next = entries[count];
      next.size = static_cast<unsigned char>(spec.size());
      spec.copy(next.spec, sizeof next.spec);
      next.formatter = parsed;
      if (key != format_step::text_too_long) __atomic_store_n(&next.key, key, __ATOMIC_RELEASE);
      __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
  }

 private:
  struct slot {
    std::uint64_t key = ~std::uint64_t{0};  // no step has this key
    char spec[15] = {};
    unsigned char size = 0;
    Formatter formatter{};
  };
  static constexpr unsigned capacity = 4;
  static inline constinit slot entries[capacity];
  static inline unsigned count = 0;
  static inline bool busy = false;
};

/// How print writes a type by its formatter. A format has no parsed formatters, because each call
/// makes its format on the stack.
template <class T>
struct custom_formatter {
  using formatter = formatting::formatter<T>;
  /// True if a copy of a parsed formatter can be used in other calls. Formatters of the program
  /// with members may refer to the format.
  static constexpr bool is_cacheable =
      std::is_trivially_copyable_v<formatter> &&
      is_formatter_of<formatter, formatting::string_view, std::string_view, std::string,
                      const char*, bool, char, int, unsigned, long, unsigned long, long long,
                      unsigned long long, float, double, long double, const void*>;

  /// `spec` is the text after the colon, up to the end of the format. If this formatter does not
  /// end the field after `size` bytes, returns false.
  static constexpr bool parse(std::string_view spec, std::size_t size) {
    formatter made;
    return parse(made, spec) == size;
  }

  static void write_value(const any_value& value, std::string_view field,
                          formatting::format_context& to) {
    if constexpr (std::is_empty_v<formatter>) {
      formatter made;
      write(made, value, to);
    } else {
      if constexpr (is_cacheable)
        if (const auto* const parsed = parsed_formatters<formatter>::find(key_of(value))) [[likely]]
          return write(*parsed, value, to);
      parse_and_write(value, field, to);
    }
  }

 private:
  static std::uint64_t key_of(const any_value& value) noexcept {
    return format_step(value.step).formatter_text();
  }
  /// The specification of a field, from a format that begins with the field. A compiled format has
  /// no fields inside a specification, so the first '}' ends the field.
  static std::string_view spec_in(std::string_view format) noexcept {
    const std::string_view field = format.substr(0, format.find('}'));
    const std::size_t colon = field.find(':');
    return colon == std::string_view::npos ? std::string_view() : field.substr(colon + 1);
  }
  static constexpr std::size_t parse(formatter& to, std::string_view spec) {
    formatting::format_parse_context context(formatting::string_view(spec.data(), spec.size()));
    return static_cast<std::size_t>(to.parse(context) - context.begin());
  }

  [[gnu::noinline]] static void parse_and_write(const any_value& value, std::string_view field,
                                                formatting::format_context& to) {
    if constexpr (is_cacheable)  // a long specification has no key
      if (const auto* const parsed = parsed_formatters<formatter>::find(spec_in(field)))
        return write(*parsed, value, to);
    formatter made;
    const bool has_spec = field.find(':') != std::string_view::npos;
    parse(made, field.substr(field.find_first_of(":}") + has_spec));
    if constexpr (is_cacheable)
      parsed_formatters<formatter>::add(key_of(value), spec_in(field), made);
    write(made, value, to);
  }

  template <class Formatter>
  static void write(Formatter& by, const any_value& value, formatting::format_context& to) {
    const auto* const constant = static_cast<const T*>(value.custom.object);
    // Views that cache results can be read only if they are not const.
    if constexpr (requires { by.format(*constant, to); }) {
      static_cast<void>(by.format(*constant, to));
    } else if constexpr (requires { by.format(*const_cast<T*>(constant), to); } ||
                         !std::is_const_v<Formatter>) {
      static_cast<void>(by.format(*const_cast<T*>(constant), to));
    } else {  // format() is not const
      formatter copy = by;
      write(copy, value, to);
    }
  }
};
template <class T>
inline constexpr custom_writer custom_formatter_writer{&custom_formatter<T>::write_value, put_of<T>,
                                                       put_once_of<T>};

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
