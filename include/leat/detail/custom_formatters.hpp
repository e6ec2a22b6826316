// Arguments with formatters of {fmt} in a compiled format: what stands behind the colon is parsed
// at compile time, and each formatter writes its own field.
#pragma once

#include <leat/detail/custom_format.hpp>
#include <leat/detail/format_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

#if LEAT_FORMAT_FMT

/// Writes an object to a context. `field` is the text of the field, as "{:>8}".
struct custom_writer {
  void (*write)(const custom_writer& self, const void* object, std::string_view field,
                formatting::format_context& to);
};

/// The formatter of a type, with its specification if this can be a constant.
template <class T>
struct custom_formatter : custom_writer {
  using formatter = formatting::formatter<T>;
  static constexpr bool is_constant = std::is_trivially_copyable_v<formatter>;

  constexpr custom_formatter() : custom_writer{&write_object} {}

  constexpr void parse(std::string_view spec) {
    if constexpr (is_constant) parse(parsed, spec);
  }

 private:
  struct nothing {};
  [[no_unique_address]] std::conditional_t<is_constant, formatter, nothing> parsed{};

  static constexpr void parse(formatter& to, std::string_view spec) {
    formatting::format_parse_context context(formatting::string_view(spec.data(), spec.size()));
    static_cast<void>(to.parse(context));
  }

  static void write_object(const custom_writer& self, const void* object, std::string_view field,
                           formatting::format_context& to) {
    if constexpr (is_constant) {
      write(static_cast<const custom_formatter&>(self).parsed, object, to);
    } else {
      formatter made;
      parse(made, field.substr(field.find_first_of(":}") + (field.find(':') != field.npos)));
      write(made, object, to);
    }
  }

  static void write(const formatter& by, const void* object, formatting::format_context& to) {
    // Some formatters take neither a const object, as of a view, nor are their functions const.
    using constant = const T;
    if constexpr (requires(const formatter& f, const T& value) { f.format(value, to); }) {
      static_cast<void>(by.format(*static_cast<const T*>(object), to));
    } else {
      formatter copy = by;
      if constexpr (requires(const T& value) { copy.format(value, to); })
        static_cast<void>(copy.format(*static_cast<constant*>(object), to));
      else
        static_cast<void>(copy.format(*const_cast<T*>(static_cast<constant*>(object)), to));
    }
  }
};

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
