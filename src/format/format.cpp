// What compiled formats call for a field, and formats that make a string.
#include <leat/format.hpp>

#include <cmath>
#include <utility>

#include "format/field.hpp"
#include "format/interpret.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

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
    if (spec.width() == 0) {  // then most of it needs no unpacking
      const auto bits = static_cast<std::uint64_t>(value);
      std::size_t prefix;
      return put_integer(to, spec.unpack(), value < 0 ? 0 - bits : bits, value < 0, prefix);
    }
  }
  memory_output out{to};
  write_field(out, spec.unpack(), value);
  return out.at;
}

/// Numbers that are no integers mostly have a specification with decimals, and perhaps a width, as
/// "{:.2f}" or "{:8.2f}".
template <>
char* write_specified(char* to, double value, std::uint64_t counts, std::uint64_t marks) {
  const packed_spec spec(counts, marks);
  if (spec.is_decimals()) {
    *to = '-';
    const std::size_t sign = std::signbit(value);
    char* const end =
        std::isfinite(value) ? write_fixed(to + sign, std::fabs(value), spec.precision()) : nullptr;
    if (end != nullptr) {
      const auto size = static_cast<std::size_t>(end - to);
      if (size >= static_cast<std::size_t>(spec.width())) return end;
      if (char* const padded = pad_in_place(to, size, sign, spec.unpack())) return padded;
    }
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

std::string vformat(std::string_view format, const any_value* args, std::size_t count) {
  string_output out;
  interpret(out, format, args, count);
  return std::move(out.text);
}

void check_format(std::string_view format, const arg_kind* kinds, std::size_t count) {
  format_parser parser(format, kinds, count);
  for (segment next; parser.next(next);) continue;
}

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

std::string vformat_custom(std::string_view format, formatting::format_args args) {
  return translated([&] {
    return formatting::vformat(formatting::string_view(format.data(), format.size()), args);
  });
}

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
