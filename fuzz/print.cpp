// Any format string with any arguments: leat and {fmt} write the same text, or both refuse the
// format. Deliberate differences are left out.
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "format/by_steps.hpp"
#include "format/known_differences.hpp"
#include "format/outcome.hpp"
#include "format/samples.hpp"
#include "fuzz.hpp"

namespace {

using namespace leat::test;

template <class Int>
Int integer(fuzz::input& in) {
  const auto high = in.integer<std::uint64_t>(), low = in.integer<std::uint64_t>();
  return static_cast<Int>(uint128{high} << 64 | low);
}

sample value_of(fuzz::input& in) {
  switch (in.below(std::variant_size_v<sample>)) {
    case 0:
      return in.flag();
    case 1:
      return in.integer<char>();
    case 2:
      return in.integer<signed char>();
    case 3:
      return in.integer<short>();
    case 4:
      return in.integer<int>();
    case 5:
      return in.integer<long long>();
    case 6:
      return in.integer<unsigned char>();
    case 7:
      return in.integer<unsigned>();
    case 8:
      return in.integer<unsigned long long>();
    case 9:
      return integer<int128>(in);
    case 10:
      return integer<uint128>(in);
    case 11:
      return std::bit_cast<float>(in.integer<std::uint32_t>());
    case 12:
      return std::bit_cast<double>(in.integer<std::uint64_t>());
    case 13:
      return in.long_real();
    case 14:
      return in.text(40);
    case 15:
      return reinterpret_cast<const void*>(in.integer<std::uintptr_t>());
    default:
      return std::byte{in.integer<std::uint8_t>()};
  }
}

/// Returns true if a number in the format has four to nine digits. A width or precision of this
/// length is valid, but the output may have up to 1 GB.
bool may_be_huge(std::string_view format) {
  for (std::size_t at = 0; at < format.size();) {
    const std::size_t begin = std::min(format.find_first_of("0123456789", at), format.size());
    at = std::min(format.find_first_not_of("0123456789", begin), format.size());
    if (at - begin > 3 && at - begin < 10) return true;
  }
  return false;
}

/// Prints to a memory_writer of `size` bytes, which keeps the bytes that fit and counts the other
/// bytes as lost.
template <class... Args>
void print_into_small(std::size_t size, std::string_view format, const outcome& wanted,
                      const Args&... args) {
  std::string area(size, '#');
  leat::memory_writer out{std::span(area)};
  out.print(leat::runtime(format), args...);
  const auto kept = std::string_view(wanted.text).substr(0, size);
  fuzz::expect(out.view() == kept, "a small memory does not have the bytes that fit");
  fuzz::expect_equal(out.lost(), wanted.text.size() - kept.size(), "lost()");
  std::error_code ignored;
  out.close(ignored);
}

/// Compiles the format like a constant, and prints by the compiled steps. Does nothing if the
/// format cannot be compiled.
template <class... Args>
void print_by_steps(std::size_t room, std::string_view format, const outcome& wanted,
                    const Args&... args) {
  if (const auto text = leat::test::by_steps(format, room, args...))
    fuzz::expect_equal(*text, wanted, format);
}

/// With a name in the call, {fmt} parses the format, and leat writes the first argument. A format
/// that leat accepts without names has the same output with names.
template <class T>
void print_with_names(std::string_view format, const T& value, int width, int precision) {
  const std::unique_ptr<char[]> copy(new char[format.size()]);  // sanitizers know the copy's end
  if (!format.empty()) std::memcpy(copy.get(), format.data(), format.size());
  const std::string_view exact(copy.get(), format.size());
  const outcome wanted = by_leat(exact, value, width, precision, "w");
  const outcome named =
      by_leat(exact, value, width, precision, "w", fmt::arg("w", width), fmt::arg("p", precision));
  if (!wanted.refused) fuzz::expect_equal(named, wanted, format);
}

void drive(fuzz::input& in) {
  const sample value = value_of(in);
  const int width = static_cast<int>(in.below(2100)) - 50;
  const int precision = static_cast<int>(in.below(2100)) - 50;
  const std::size_t room = in.below(600);
  const bool one_field = in.flag();
  const std::string text = in.rest();
  const std::string format = one_field ? "{:" + text + '}' : text;
  if (may_be_huge(format)) return;
  if (is_deliberate(format)) return;
  const auto seconds = std::chrono::seconds(width * 1'000'000LL + precision);
  print_with_names(format, std::chrono::sys_seconds(seconds), width, precision);
  print_with_names(format, std::error_code(width, std::generic_category()), width, precision);
  print_with_names(format, static_cast<double>(width) / 7, width, precision);
  if (is_deliberate(value, text)) return;
  std::visit(
      [&](const auto& v) {
        const outcome wanted = by_fmt(format, v, width, precision);
        const outcome ours = by_leat(format, v, width, precision);
        fuzz::expect_equal(ours.refused, wanted.refused,
                           fmt::format("whether the format is refused (leat: {}, fmt: {})",
                                       ours.reason, wanted.reason));
        if (wanted.refused) return;
        fuzz::expect_equal(ours.text, wanted.text, format);
        print_into_small(room, format, wanted, v, width, precision);
        if (by_fmt(format, v) == wanted) print_by_steps(room, format, wanted, v);
        if (by_fmt(format, v, width) == wanted) print_by_steps(room, format, wanted, v, width);
        print_by_steps(room, format, wanted, v, width, precision);
      },
      value);
}

const fuzz::driver self("print", drive);

}  // namespace
