#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "format/field.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

namespace {

template <class Call>
void format_whole(writer& to, const Call& call) {
  // The output of one call must arrive in one piece here, also what a formatter that throws leaves.
  string_writer whole;
  try {
    call(whole);
  } catch (...) {
    to.write(whole.view());
    throw;
  }
  if (!whole.error()) {
    to.write(whole.view());
  } else {  // no memory to keep it together: in pieces rather than not at all
    whole.clear();
    call(to);
  }
}

/// The width or precision that is given as an argument.
int count_of(const detail::any_value& value, std::size_t position) {
  using detail::arg_kind;
  constexpr int largest = std::numeric_limits<int>::max();
  bool negative = false;
  bool large = false;
  int count = 0;
  const auto check = [&](auto v) {
    negative = v < 0;
    large = v > static_cast<decltype(v)>(largest);
    count = static_cast<int>(v);
  };
  switch (value.kind) {
    case arg_kind::signed_64:
      check(value.signed_64);
      break;
    case arg_kind::unsigned_64:
      check(value.unsigned_64);
      break;
    case arg_kind::signed_128:
      check(value.signed_128);
      break;
    case arg_kind::unsigned_128:
      check(value.unsigned_128);
      break;
    default:
      break;
  }
  if (negative) throw format_error("negative width or precision", position);
  if (large) throw format_error("width or precision too big", position);
  return count;
}

void interpret(writer& to, std::string_view format, const detail::any_value* args,
               std::size_t count) {
  detail::arg_kind few[32];
  std::vector<detail::arg_kind> many;
  detail::arg_kind* kinds = few;
  if (count > std::size(few)) {
    many.resize(count);
    kinds = many.data();
  }
  for (std::size_t i = 0; i != count; ++i) kinds[i] = args[i].kind;
  detail::segment next;
  // Once over all of it first: what is wrong must not be written in part.
  for (detail::format_parser check(format, kinds, count); check.next(next);) {
  }
  detail::format_parser parser(format, kinds, count);
  detail::writer_output out{to};
  while (parser.next(next)) {
    to.write(format.substr(next.literal_begin, next.literal_end - next.literal_begin));
    if (!next.is_field) continue;
    detail::field_spec& spec = next.spec;
    const std::size_t at = parser.position();
    if (next.width_argument >= 0) spec.width = count_of(args[next.width_argument], at);
    if (next.precision_argument >= 0) spec.precision = count_of(args[next.precision_argument], at);
    try {
      if (next.time_spec.empty())
        detail::write_field(out, spec, args[next.arg]);
      else
        to.write(detail::format_calendar(args[next.arg].time, next.time_spec));
    } catch (const fmt::format_error& error) {  // it refuses some values, as '{:c}' of 300
      throw format_error(error.what(), at);
    }
  }
}

}  // namespace

namespace {

struct scratch_memory {
  char bytes[1024];
  bool in_use = false;
};
thread_local scratch_memory the_scratch;

}  // namespace

void format_access::write_scratch(writer& w, std::string_view bytes) noexcept {
  the_scratch.in_use = true;
  w.write_slow(bytes);
  the_scratch.in_use = false;
}

bool format_access::whole_calls(const writer& w) noexcept { return w.sink_->whole_calls(); }

namespace detail {

void throw_format_error(const char* what, std::size_t position) {
  throw format_error(what, position);
}

char* write_value(char* to, const void* value) noexcept {
  to[0] = '0';
  to[1] = 'x';
  return write_in_base<4>(to + 2, std::uint64_t{reinterpret_cast<std::uintptr_t>(value)});
}

char* write_value(char* to, const std::error_code* value) noexcept {
  memory_output out{to};
  write_field(out, {}, value);
  return out.at;
}

template <class T>
char* write_specified(char* to, T value, std::uint64_t counts, std::uint64_t marks) {
  const packed_spec spec(counts, marks);
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>) {
    if (spec.width() == 0) {  // so most of it need not be unpacked
      const auto bits = static_cast<std::uint64_t>(value);
      std::size_t prefix;
      return put_integer(to, spec.unpack(), value < 0 ? 0 - bits : bits, value < 0, prefix);
    }
  }
  memory_output out{to};
  write_field(out, spec.unpack(), value);
  return out.at;
}

/// Decimals and nothing else, as most numbers have that are not integers.
template <>
char* write_specified(char* to, double value, std::uint64_t counts, std::uint64_t marks) {
  const packed_spec spec(counts, marks);
  if (spec.is_decimals()) {
    *to = '-';
    char* const digits = to + std::signbit(value);
    if (std::isfinite(value))
      if (char* const end = write_fixed(digits, std::fabs(value), spec.precision())) return end;
  }
  memory_output out{to};
  write_field(out, spec.unpack(), value);
  return out.at;
}

template char* write_specified(char*, bool, std::uint64_t, std::uint64_t);
template char* write_specified(char*, char, std::uint64_t, std::uint64_t);
template char* write_specified(char*, std::int64_t, std::uint64_t, std::uint64_t);
template char* write_specified(char*, std::uint64_t, std::uint64_t, std::uint64_t);
template char* write_specified(char*, __int128, std::uint64_t, std::uint64_t);
template char* write_specified(char*, unsigned __int128, std::uint64_t, std::uint64_t);
template char* write_specified(char*, float, std::uint64_t, std::uint64_t);
template char* write_specified(char*, long double, std::uint64_t, std::uint64_t);
template char* write_specified(char*, std::string_view, std::uint64_t, std::uint64_t);
template char* write_specified(char*, const void*, std::uint64_t, std::uint64_t);
template char* write_specified(char*, time_stamp, std::uint64_t, std::uint64_t);

char* scratch(std::size_t size) noexcept {
  return size <= sizeof the_scratch.bytes && !the_scratch.in_use ? the_scratch.bytes : nullptr;
}

void vprint(writer& to, std::string_view format, const any_value* args, std::size_t count,
            bool newline) {
  const auto call = [&](writer& w) {
    interpret(w, format, args, count);
    if (newline) w.put('\n');
  };
  if (format_access::whole_calls(to))
    format_whole(to, call);
  else
    call(to);
}

namespace {

/// An output iterator over a writer.
struct writer_iterator {
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  writer* to;
  writer_iterator& operator=(char c) {
    to->put(c);
    return *this;
  }
  writer_iterator& operator*() { return *this; }
  writer_iterator& operator++() { return *this; }
  writer_iterator operator++(int) { return *this; }
};

/// Calls what may throw {fmt}'s exception, so that a program has to know of one only.
template <class Call>
auto translated(const Call& call) {
  try {
    return call();
  } catch (const fmt::format_error& error) {
    throw format_error(error.what(), format_error::no_position);
  }
}

}  // namespace

void vprint_fmt(writer& to, std::string_view format, fmt::format_args args, bool newline) {
  const auto call = [&](writer& w) {
    translated([&] {
      fmt::vformat_to(writer_iterator{&w}, fmt::string_view(format.data(), format.size()), args);
    });
    if (newline) w.put('\n');
  };
  if (format_access::whole_calls(to))
    format_whole(to, call);
  else
    call(to);
}

std::string vformat(std::string_view format, const any_value* args, std::size_t count) {
  string_writer text;
  vprint(text, format, args, count, false);
  text.flush();
  return text.take();
}

std::string vformat_fmt(std::string_view format, fmt::format_args args) {
  return translated(
      [&] { return fmt::vformat(fmt::string_view(format.data(), format.size()), args); });
}

}  // namespace detail

namespace format_mistake {

const char* unmatched_closing_brace() noexcept {
  return "a '}' stands alone; write '}}' for a brace";
}
const char* missing_closing_brace() noexcept { return "a field has no closing '}'"; }
const char* invalid_argument_index() noexcept { return "the name of an argument must be a number"; }
const char* argument_missing() noexcept { return "there is no argument for this field"; }
const char* automatic_and_manual_indexing_mixed() noexcept {
  return "'{}' and '{0}' can't be mixed";
}
const char* invalid_fill_character() noexcept { return "'{' can't be a fill character"; }
const char* number_too_big() noexcept { return "the number is too big"; }
const char* invalid_type_for_this_argument() noexcept {
  return "the specification does not fit the argument";
}
const char* sign_needs_a_signed_number() noexcept { return "a sign needs a signed number"; }
const char* alternate_form_needs_a_number() noexcept { return "'#' needs a number"; }
const char* zero_padding_needs_a_number() noexcept { return "'0' needs a number"; }
const char* precision_not_allowed_for_this_argument() noexcept {
  return "this argument takes no precision";
}
const char* missing_precision() noexcept { return "a precision is missing behind '.'"; }
const char* width_or_precision_must_be_an_integer() noexcept {
  return "a width or precision must be an integer";
}
const char* locale_not_supported() noexcept {
  return "'L' is not supported: leat is independent of the locale";
}
const char* specification_not_allowed_for_this_argument() noexcept {
  return "this argument takes no specification";
}

}  // namespace format_mistake
}  // namespace v0
}  // namespace leat
