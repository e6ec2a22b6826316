// The parser of format strings, for the grammar of std::format. The headers that compile formats,
// such as format_steps.hpp, call the parser at compile time. The interpreter calls the parser at
// run time.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <leat/detail/custom_format.hpp>
#include <leat/detail/format_field.hpp>

namespace leat {
inline namespace v0 {

/// The mistakes of format strings, one function for each. At compile time a mistake calls the
/// function, which is not constexpr, so the compiler reports an error with the function's name. At
/// run time the function returns the text of the format_error.
namespace format_mistake {
LEAT_API const char* unmatched_closing_brace() noexcept;
LEAT_API const char* missing_closing_brace() noexcept;
LEAT_API const char* invalid_argument_index_or_single_brace() noexcept;
LEAT_API const char* argument_missing() noexcept;
LEAT_API const char* automatic_and_manual_indexing_mixed() noexcept;
LEAT_API const char* invalid_fill_character() noexcept;
LEAT_API const char* number_too_big() noexcept;
LEAT_API const char* invalid_type_for_this_argument() noexcept;
LEAT_API const char* sign_needs_a_signed_number() noexcept;
LEAT_API const char* alternate_form_needs_a_number() noexcept;
LEAT_API const char* zero_padding_needs_a_number() noexcept;
LEAT_API const char* precision_not_allowed_for_this_argument() noexcept;
LEAT_API const char* missing_precision() noexcept;
LEAT_API const char* width_or_precision_must_be_an_integer() noexcept;
LEAT_API const char* locale_not_supported() noexcept;
LEAT_API const char* specification_not_allowed_for_this_argument() noexcept;
LEAT_API const char* calendar_needs_leat_format_fmt_or_std() noexcept;
LEAT_API const char* elements_need_a_second_colon_before_their_specification() noexcept;
LEAT_API const char* include_fmt_ranges_h_for_this_specification() noexcept;
LEAT_API const char* include_fmt_chrono_h_for_this_specification() noexcept;
LEAT_API const char* include_fmt_std_h_for_this_specification() noexcept;
}  // namespace format_mistake

namespace detail {

/// A run of literal text, then perhaps a field.
struct segment {
  std::size_t literal_begin = 0;
  std::size_t literal_end = 0;
  bool is_field = false;
  int arg = 0;
  field_spec spec;
  int width_argument = no_argument;
  int precision_argument = no_argument;
  /// The specification of a time with a '%'. If leat writes the whole time natively, spec.type is
  /// '%' and spec.width is the most bytes that are written; else spec.exotic is true.
  std::string_view time_spec;

  static constexpr int no_argument = -1;
  constexpr bool is_static() const {
    return width_argument == no_argument && precision_argument == no_argument;
  }
};

[[noreturn]] LEAT_API void throw_format_error(const char* what, std::size_t position);

/// Reads a format string segment by segment and checks the string against the kinds of its
/// arguments. If the string is wrong, throws format_error; at compile time, the call is not
/// constant.
class format_parser {
 public:
  constexpr format_parser(std::string_view text, const arg_kind* kinds, std::size_t count)
      : text_(text), kinds_(kinds), count_(count) {}

  /// Reads the next segment. Returns false at the end of the text.
  constexpr bool next(segment& out) {
    if (at_end()) return false;
    out = segment{};
    out.literal_begin = at_;
    while (!at_end() && peek() != '{' && peek() != '}') ++at_;
    out.literal_end = at_;
    if (at_end()) return true;
    const char brace = text_[at_++];
    if (!at_end() && peek() == brace) {  // an escape: one brace belongs to the literal
      out.literal_end = at_++;
      return true;
    }
    if (brace == '}') {
      --at_;
      fail(format_mistake::unmatched_closing_brace);
    }
    out.is_field = true;
    out.arg = parse_index('}', ':');
    if (at_end()) fail(format_mistake::missing_closing_brace);
    if (accept(':'))
      parse_only_spec(out);
    else
      ++at_;
    return true;
  }

  /// Reads a specification and the closing brace.
  constexpr void parse_only_spec(segment& out) {
    if (!at_end()) parse_spec(out);
    if (at_end()) fail(format_mistake::missing_closing_brace);
    if (peek() != '}') fail(format_mistake::invalid_type_for_this_argument);
    ++at_;
  }

  constexpr std::size_t position() const { return at_; }

 private:
  constexpr bool at_end() const { return at_ == text_.size(); }
  constexpr char peek() const { return text_[at_]; }
  constexpr bool is_digit() const { return !at_end() && peek() >= '0' && peek() <= '9'; }
  constexpr arg_kind kind_of(int arg) const { return kinds_[static_cast<std::size_t>(arg)]; }

  constexpr void fail(const char* (*mistake)() noexcept) const {
    if (std::is_constant_evaluated())
      mistake();
    else
      throw_format_error(mistake(), at_);
  }

  constexpr bool accept(char c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }

  /// As accept(c). If `c` is next and not allowed, fails with the mistake.
  constexpr bool accept(char c, bool allowed, const char* (*mistake)() noexcept) {
    if (!allowed && !at_end() && peek() == c) fail(mistake);
    return accept(c);
  }

  constexpr int parse_number() {
    std::uint64_t value = 0;
    while (is_digit()) {
      value = 10 * value + static_cast<std::uint64_t>(peek() - '0');
      if (value > 2147483647) fail(format_mistake::number_too_big);
      ++at_;
    }
    return static_cast<int>(value);
  }

  /// Reads the index of an argument. If there is no index, takes the next argument. `end` or
  /// `other_end` must follow.
  constexpr int parse_index(char end, char other_end) {
    const std::size_t begin = at_;
    int index = 0;
    if (is_digit()) {
      if (next_index_ > 0) fail(format_mistake::automatic_and_manual_indexing_mixed);
      next_index_ = -1;
      if (peek() == '0')
        ++at_;  // "00" is no index
      else
        index = parse_number();
    } else if (!at_end() && (peek() == end || peek() == other_end)) {
      if (next_index_ < 0) fail(format_mistake::automatic_and_manual_indexing_mixed);
      index = next_index_++;
    }
    if (at_end()) fail(format_mistake::missing_closing_brace);
    if (peek() != end && peek() != other_end) {
      at_ = begin;
      fail(format_mistake::invalid_argument_index_or_single_brace);
    }
    if (static_cast<std::size_t>(index) >= count_) {
      at_ = begin;
      fail(format_mistake::argument_missing);
    }
    return index;
  }

  constexpr void parse_spec(segment& field) {
    field_spec& spec = field.spec;
    const arg_kind kind = kind_of(field.arg);
    if (!at_end() && peek() == '}') return;
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '}' && is_usual_type(kind, peek())) {
      ++at_;
      return;
    }
    spec.plain = false;
    if (kind == arg_kind::custom) {
      skip_spec(spec);
      return;
    }
    if (kind == arg_kind::error_code)
      fail(format_mistake::specification_not_allowed_for_this_argument);
    const bool numeric = kind <= arg_kind::float_80;

    const std::size_t begin = at_;
    parse_fill_and_align(spec);
    const bool has_sign = !at_end() && (peek() == '+' || peek() == '-' || peek() == ' ');
    if (has_sign) {
      const bool takes_sign = kind == arg_kind::character || kind == arg_kind::signed_32 ||
                              kind == arg_kind::signed_64 || kind == arg_kind::signed_128 ||
                              is_float(kind);
      if (!takes_sign) fail(format_mistake::sign_needs_a_signed_number);
      spec.sign = peek();
      ++at_;
    }
    spec.alternate = accept('#', numeric, format_mistake::alternate_form_needs_a_number);
    spec.zero = accept('0', numeric, format_mistake::zero_padding_needs_a_number);
    if (spec.zero && spec.align == alignment::none) spec.align = alignment::numeric;
    spec.width = parse_count(0, field.width_argument);
    if (accept('.', is_float(kind) || is_string(kind),
               format_mistake::precision_not_allowed_for_this_argument)) {
      if (!is_digit() && (at_end() || peek() != '{')) fail(format_mistake::missing_precision);
      spec.precision = parse_count(-1, field.precision_argument);
    }
    if (kind == arg_kind::time && !at_end() && peek() == '%') {
      parse_time_spec(field, begin);
      return;
    }
    if (!at_end() && peek() == 'L') fail(format_mistake::locale_not_supported);
    if (!at_end() && peek() != '}') {
      check_type(kind, peek());
      spec.type = text_[at_++];
    }
    const bool in_letters =
        spec.type == '\0' || spec.type == 's' || spec.type == 'c' || spec.type == '?';
    if (in_letters &&
        (kind == arg_kind::character || (!has_fmt_corner_cases && is_text(kind, spec)))) {
      if (has_sign) fail(format_mistake::sign_needs_a_signed_number);
      if (spec.alternate) fail(format_mistake::alternate_form_needs_a_number);
      if (spec.align == alignment::numeric || (!has_fmt_corner_cases && spec.zero))
        fail(format_mistake::zero_padding_needs_a_number);
    }
    spec.exotic = is_exotic(kind, spec, in_letters);
    const bool has_flags = spec.sign != '-' || spec.alternate || spec.zero;
    if (spec.type == '?')
      spec.mostly_quick = !has_flags && spec.align == alignment::none && spec.width == 0 &&
                          spec.precision < 0 && field.is_static();
    else if (spec.type == 'c')
      spec.mostly_quick = !has_flags && is_integer(kind) && kind <= arg_kind::unsigned_64;
  }

  /// Skips a specification that only the formatter of its type can read. If the specification
  /// refers to other arguments, the specification is exotic.
  constexpr void skip_spec(field_spec& spec) {
    while (!at_end() && peek() != '}') {
      if (!accept('{')) {
        ++at_;
      } else {
        parse_index('}', '}');
        ++at_;
        spec.exotic = true;
      }
    }
  }

  constexpr void parse_time_spec(segment& field, std::size_t begin) {
    constexpr std::string_view conversions = "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%";
    if (!field.is_static()) fail(format_mistake::width_or_precision_must_be_an_integer);
    bool native = at_ == begin;
    std::size_t most = 0;
    for (; !at_end() && peek() != '}'; ++at_, ++most) {
      if (peek() == '{') fail(format_mistake::invalid_type_for_this_argument);
      if (peek() != '%') continue;
      ++at_;
      native = native && !at_end() && native_conversions.find(peek()) != std::string_view::npos;
      most += longest_conversion;
      if (!at_end() && (peek() == 'E' || peek() == 'O')) ++at_;
      if (at_end() || conversions.find(peek()) == std::string_view::npos)
        fail(format_mistake::invalid_type_for_this_argument);
    }
    field.time_spec = text_.substr(begin, at_ - begin);
    if (native) {
      field.spec.type = '%';
      field.spec.width = static_cast<int>(most);
    } else {
      field.spec.exotic = true;
      if (!LEAT_FORMAT_FMT && !LEAT_FORMAT_STD)
        fail(format_mistake::calendar_needs_leat_format_fmt_or_std);
    }
  }

  /// True for a number that is written as a character or a word. {fmt} rejects some of these
  /// specifications at run time.
  static constexpr bool is_text(arg_kind kind, const field_spec& spec) {
    return kind == arg_kind::boolean || (is_integer(kind) && spec.type == 'c');
  }

  static constexpr bool is_exotic(arg_kind kind, const field_spec& spec, bool in_letters) {
    if (spec.type == '?') return true;
    // With an alignment, {fmt} 9 uses the zero as fill character. {fmt} 10 and the standard ignore
    // the zero.
    if (has_fmt_corner_cases && spec.zero && spec.align != alignment::numeric) return true;
    if (kind == arg_kind::boolean)
      return in_letters && (spec.alternate || spec.align == alignment::numeric);
    if (is_integer(kind)) return spec.type == 'c';
    // The value 1 with "{:#}" is "1.0" in {fmt} 9 and "1." in {fmt} 10.
    return is_float(kind) && spec.alternate && spec.type == '\0' && spec.precision < 0;
  }

  constexpr void parse_fill_and_align(field_spec& spec) {
    if (at_end()) return;
    const std::size_t size = code_point_size(peek());
    if (at_ + size < text_.size() && align_of(text_[at_ + size]) != alignment::none) {
      if (peek() == '{') fail(format_mistake::invalid_fill_character);
      for (std::size_t i = 0; i != size; ++i) spec.fill[i] = text_[at_ + i];
      spec.fill_size = static_cast<std::uint8_t>(size);
      at_ += size;
    }
    spec.align = align_of(peek());
    if (spec.align != alignment::none) ++at_;
  }

  /// Reads a number and returns it, or sets `argument` to the index of the argument that has the
  /// number. If there is no number, returns `none`.
  constexpr int parse_count(int none, int& argument) {
    if (is_digit()) return parse_number();
    if (accept('{')) {
      argument = parse_index('}', '}');
      if (!is_integer(kind_of(argument)))
        fail(format_mistake::width_or_precision_must_be_an_integer);
      ++at_;
    }
    return none;
  }

  constexpr void check_type(arg_kind kind, char type) const {
    constexpr std::string_view integer = "dxXoBb";
    std::string_view allowed;
    std::string_view more;
    if (is_float(kind)) {
      allowed = "aAeEfFgG";
    } else if (is_string(kind)) {
      allowed = "s?";
    } else if (kind == arg_kind::pointer) {
      allowed = "p";
    } else if (kind != arg_kind::time) {
      allowed = integer;
      more = kind == arg_kind::boolean ? "s" : kind == arg_kind::character ? "c?" : "c";
    }
    if (allowed.find(type) == std::string_view::npos && more.find(type) == std::string_view::npos)
      fail(format_mistake::invalid_type_for_this_argument);
  }

  /// True if "{:d}", with this type, is the same as "{}".
  static constexpr bool is_usual_type(arg_kind kind, char type) {
    return type == 'd'   ? is_integer(kind)
           : type == 's' ? is_string(kind) || kind == arg_kind::boolean
           : type == 'c' ? kind == arg_kind::character
                         : type == 'p' && kind == arg_kind::pointer;
  }

  static constexpr alignment align_of(char c) {
    return c == '<'   ? alignment::left
           : c == '>' ? alignment::right
           : c == '^' ? alignment::center
                      : alignment::none;
  }

  /// Bytes of the UTF-8 code point that starts with `lead`.
  static constexpr std::size_t code_point_size(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0xC0 || byte >= 0xF8 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  }

  std::string_view text_;
  const arg_kind* kinds_;
  std::size_t count_;
  std::size_t at_ = 0;
  int next_index_ = 0;  // -1 after an index was given explicitly
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
