// scanf's engine: reads the format and executes each directive. scanf.cpp and wscanf.cpp call the
// engine.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "stdio/file.hpp"
#include "stdio/scan/directive.hpp"
#include "stdio/scan/floating.hpp"
#include "stdio/scan/input.hpp"
#include "stdio/scan/integer.hpp"
#include "stdio/scan/set.hpp"
#include "stdio/scan/small_array.hpp"
#include "stdio/scan/text.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// One call of scanf.
template <class Input>
class scanner {
  using Char = typename Input::character;  // NOLINT(readability-identifier-naming): as elsewhere
  using symbol = typename Input::symbol;
  static constexpr bool is_wide = !std::is_same_v<Char, char>;

 public:
  scanner(Input& in, pointer_arguments& arguments) noexcept : in_(in), arguments_(arguments) {}

  [[gnu::always_inline]] int scan(const Char* format) noexcept {
    for (;;) {
      const Char c = *format;
      if (c == 0) return matched_;
      ++format;
      outcome result;
      if (c != '%') [[unlikely]] {
        if (Input::is_space(Input::symbol_of(c))) {
          skip_space(in_);
          continue;
        }
        result = match(in_, Input::symbol_of(c));
      } else {
        scan_directive directive;
        format = read_directive(format, directive);
        if (format == nullptr) [[unlikely]] {
          errno = EINVAL;
          return matched_;
        }
        result = convert(directive, format);
      }
      if (result != outcome::matched) [[unlikely]]
        return finish(result);
    }
  }

 private:
  /// Integers are the most frequent conversions, so their path is the shortest.
  [[gnu::always_inline]] outcome convert(const scan_directive& directive,
                                         const Char*& format) noexcept {
    int base = 10;
    bool is_signed = false;
    switch (directive.letter) {
      case 'd':
        is_signed = true;
        break;
      case 'i':
        is_signed = true;
        base = 0;
        break;
      case 'u':
        break;
      case 'o':
        base = 8;
        break;
      case 'x':
      case 'X':
        base = 16;
        break;
      case 'b':
        base = 2;
        break;
      default:
        return convert_other(directive, format);
    }
    return convert_integer(directive, base, is_signed);
  }

  [[gnu::noinline]] outcome convert_other(const scan_directive& directive,
                                          const Char*& format) noexcept {
    switch (directive.letter) {
      case 'p':
        return convert_pointer(directive);
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return convert_floating(directive);
      case 's':
        return convert_string(directive);
      case 'c':
        return convert_characters(directive);
      case '[':
        return convert_set(directive, format);
      case 'n':
        if (void* const to = arguments_.get(directive))
          store_integer(to, in_.count(), directive.size);
        return outcome::matched;
      case '%':
        skip_space(in_);
        return match(in_, '%');
      default:
        errno = EINVAL;
        return outcome::mismatch;
    }
  }

  [[gnu::always_inline]] outcome convert_integer(const scan_directive& directive, int base,
                                                 bool is_signed) noexcept {
    std::uint64_t value;
    if (!quick_integer(in_, directive, base, is_signed, value)) [[unlikely]] {
      skip_space(in_);
      const outcome result =
          read_integer(in_, directive, base, is_signed, arguments_.accepts_binary, value);
      if (result != outcome::matched) return result;
    }
    if (directive.suppressed) return outcome::matched;
    store_integer(arguments_.get(directive), value, directive.size);
    ++matched_;
    return outcome::matched;
  }

  [[gnu::noinline]] outcome convert_pointer(scan_directive directive) noexcept {
    directive.size = sizeof(void*);
    skip_space(in_);
    if (in_.peek() != '(') return convert_integer(directive, 16, false);
    // printf writes a null pointer as "(nil)".
    field text(in_, directive.width);
    if (!text.take_word("(nil)")) return outcome::mismatch;
    if (directive.suppressed) return outcome::matched;
    store_integer(arguments_.get(directive), 0, directive.size);
    ++matched_;
    return outcome::matched;
  }

  outcome convert_floating(const scan_directive& directive) noexcept {
    if (directive.is_long) return convert_to<double>(directive);
    if (directive.is_long_double) return convert_to<long double>(directive);
    return convert_to<float>(directive);
  }

  template <class Float>
  outcome convert_to(const scan_directive& directive) noexcept {
    Float ignored;
    void* const to = directive.suppressed ? &ignored : arguments_.get(directive);
    if (!quick_floating<Float>(in_, directive, to)) [[unlikely]] {
      skip_space(in_);
      const outcome result = read_floating<Float>(in_, directive, to);
      if (result != outcome::matched) return result;
    }
    matched_ += !directive.suppressed;
    return outcome::matched;
  }

  outcome convert_string(const scan_directive& directive) noexcept {
    skip_space(in_);
    return convert_text(directive, directive.width, true,
                        [](symbol c) { return !Input::is_space(c); });
  }

  // If the input ends early, for example "ab" for "%5c", C does not define the result. As other
  // libraries do, leat stores the characters that the input has.
  [[gnu::noinline]] outcome convert_characters(const scan_directive& directive) noexcept {
    const std::size_t count = directive.width == SIZE_MAX ? 1 : directive.width;
    return convert_text(directive, count, false, [](symbol) { return true; });
  }

  [[gnu::noinline]] outcome convert_set(const scan_directive& directive,
                                        const Char*& format) noexcept {
    const bool excludes = *format == '^';
    const Char* const first = format + excludes;
    const Char* const last = end_of_set(first);
    if (last == nullptr) {
      errno = EINVAL;
      return outcome::mismatch;
    }
    format = last + 1;
    const scan_set<Char> set(first, last, excludes);
    return convert_text(directive, directive.width, true, [&set](symbol c) { return set.has(c); });
  }

  /// Takes characters while wanted(character) is true: at least one, at most `most`. Unless
  /// `directive` is suppressed, stores the characters. If `terminated` is true, also stores a null
  /// character.
  template <class Wanted>
  outcome convert_text(const scan_directive& directive, std::size_t most, bool terminated,
                       Wanted wanted) noexcept {
    void* const to = arguments_.get(directive);
    if (directive.is_long) return store_text_as<wchar_t>(directive, to, most, terminated, wanted);
    return store_text_as<char>(directive, to, most, terminated, wanted);
  }

  template <class To, class Wanted>
  outcome store_text_as(const scan_directive& directive, void* to, std::size_t most,
                        bool terminated, Wanted wanted) noexcept {
    text_target<To> target(to, directive.allocates);
    const symbol first = in_.peek();
    if (first == Input::none) return outcome::no_input;
    if (!wanted(first)) return outcome::mismatch;
    outcome result;
    if constexpr (std::is_same_v<To, Char>)
      result = copy(in_, target, most, wanted);
    else if constexpr (is_wide)
      result = copy_narrowed(in_, target, most, wanted);
    else
      result = copy_widened(in_, target, most, wanted);
    if (result != outcome::matched) return result;
    const To nul{};
    if (terminated && !target.add(&nul, 1)) return outcome::no_memory;
    if (directive.allocates && to != nullptr && !allocated_.add(static_cast<void**>(to)))
      return outcome::no_memory;
    target.deliver();
    matched_ += to != nullptr;
    return outcome::matched;
  }

  /// Ends the call after a directive has failed. Returns the call's result.
  [[gnu::noinline]] int finish(outcome why) noexcept {
    if (why == outcome::no_memory) {
      // After EOF the caller assumes that nothing was stored, so the caller would never free the
      // memory that %m has allocated.
      for (void** const to : allocated_) {
        std::free(*to);
        *to = nullptr;
      }
      errno = ENOMEM;
      return EOF;
    }
    return why == outcome::no_input && matched_ == 0 ? EOF : matched_;
  }

  Input& in_;
  pointer_arguments& arguments_;
  int matched_ = 0;
  small_array<void**, 8> allocated_;  // arguments of %m that point to new memory
};

/// Runs one call on a file.
template <class Input>
[[gnu::always_inline]] inline int scan_file(const char* function, leat_file* f,
                                            const typename Input::character* format,
                                            pointer_arguments& arguments) noexcept {
  const file_guard guard(f, function);
  Input in(*f);
  return scanner<Input>(in, arguments).scan(format);
}
/// Runs one call on a string.
template <class Input>
int scan_text(const typename Input::character* text, const typename Input::character* format,
              pointer_arguments& arguments) noexcept {
  Input in(text);
  return scanner<Input>(in, arguments).scan(format);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
