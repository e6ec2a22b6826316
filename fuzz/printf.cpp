// Formats of printf, generated from the grammar: leat and libc write the same text.
#include <leat/leat.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "fuzz.hpp"
#include "with_va_list.hpp"

// The formats are made at run time.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

namespace {

using fuzz::input;

/// The arguments of each call, in this order.
struct arguments {
  int small;
  long long large;
  double real;
  long double long_real;
  std::string text;
  const void* pointer;
  int width, precision;
};

/// The conversions of one argument.
struct kind {
  int number;  ///< the argument's number, from 1
  const char* flags;
  bool has_precision;
  std::string_view types;
  std::array<const char*, 6> lengths;
};
constexpr kind kinds[] = {
    {1, "-+ #0'", true, "diuoxX", {"", "hh", "h", "", "", ""}},
    {1, "-", false, "c", {"", "", "", "", "", ""}},
    {2, "-+ #0'", true, "diuoxX", {"l", "ll", "j", "z", "t", "ll"}},  // glibc 2.36 reads "q" as int
    {3, "-+ #0'", true, "aAeEfFgG", {"", "l", "", "l", "", "l"}},
    {4, "-+ #0'", true, "aAeEfFgG", {"L", "L", "L", "L", "L", "L"}},
    {5, "-", true, "s", {"", "", "", "", "", ""}},
    {6, "-", false, "p", {"", "", "", "", "", ""}},
};

arguments arguments_of(input& in) {
  arguments result{};
  result.small = in.integer<int>() >> in.below(32);
  result.large = in.integer<long long>() >> in.below(64);
  // Random bits, or a number with few digits.
  const auto bits = in.integer<std::uint64_t>();
  result.real = in.flag() ? std::bit_cast<double>(bits)
                          : static_cast<double>(bits % 1'000'000) / std::pow(10, bits % 7);
  result.long_real = in.long_real();
  result.text = in.text(60);
  result.pointer = reinterpret_cast<const void*>(in.integer<std::uintptr_t>());
  result.width = static_cast<int>(in.below(120)) - 40;
  result.precision = static_cast<int>(in.below(60)) - 10;
  return result;
}

/// Returns a width or precision, or `argument`, which is for example "*7$".
std::string amount_of(input& in, std::size_t most, const char* argument) {
  return in.below(4) == 0 ? argument : std::to_string(in.below(most));
}

/// Returns a conversion such as "%3$-12.4f".
std::string conversion(input& in) {
  const kind& chosen_kind = in.one_of(kinds);
  const char type = in.one_of(chosen_kind.types);
  std::string result = '%' + std::to_string(chosen_kind.number) + '$';
  const auto chosen = in.integer<std::uint8_t>();
  for (int i = 0; chosen_kind.flags[i] != '\0'; ++i) {
    // glibc 2.36 loses zeros of "%#.3g" if rounding gives a power of ten.
    const bool is_wrong = chosen_kind.flags[i] == '#' && (type | 0x20) == 'g';
    if ((chosen >> i & 1) != 0 && !is_wrong) result += chosen_kind.flags[i];
  }
  const std::size_t most = in.below(64) == 0 ? 1500 : 40;
  if (in.flag()) {
    const std::string width = amount_of(in, most, "*7$");
    // glibc 2.36 puts zeros after a number if the width is a numbered, negative argument.
    if (width[0] == '*') std::erase(result, '0');
    result += width;
  }
  if (chosen_kind.has_precision && in.flag()) result += '.' + amount_of(in, most, "*8$");
  return result + in.one_of(chosen_kind.lengths) + type;
}

std::string format_of(input& in) {
  std::string result;
  for (std::size_t n = in.below(5); n != 0; --n) {
    std::string text = in.text(8);
    std::erase(text, '\0');
    for (std::size_t at = 0; (at = text.find('%', at)) != text.npos; at += 2) text.insert(at, "%");
    result += text + conversion(in);
  }
  // Uses all arguments, so that each has a type.
  return result + "|%1$d%2$lld%3$e%4$Le%5$s%6$p%7$d%8$d";
}

template <class Call>
void call_with_arguments(const arguments& all, const Call& call) {
  call(all.small, all.large, all.real, all.long_real, all.text.c_str(), all.pointer, all.width,
       all.precision);
}

/// Prints the arguments by the function with this number. Returns the text.
template <class... Args>
std::string by_other_function(std::size_t function_number, const char* format, Args... args) {
  std::string result(40'000, '#');
  char* memory = result.data();
  const auto call = [&](const auto& function) {
    return static_cast<std::size_t>(function(format, args...));
  };
  if (function_number == 0)
    result.resize(static_cast<std::size_t>(leat_sprintf(memory, format, args...)));
  if (function_number == 1) result.resize(call(fuzz::with_va_list(leat_vsprintf, memory)));
  if (function_number == 2)
    result.resize(call(fuzz::with_va_list(leat_vsnprintf, memory, result.size())));
  if (function_number == 3 || function_number == 4) {
    const std::size_t n = function_number == 3
                              ? static_cast<std::size_t>(leat_asprintf(&memory, format, args...))
                              : call(fuzz::with_va_list(leat_vasprintf, &memory));
    result.assign(memory, n);
    std::free(memory);
  }
  if (function_number < 5) return result;
  const int descriptor = ::memfd_create("printed", 0);
  leat_file* const file = leat_fdopen(descriptor, "w");
  const std::size_t n = function_number == 5
                            ? static_cast<std::size_t>(leat_dprintf(descriptor, format, args...))
                        : function_number == 6 ? call(fuzz::with_va_list(leat_vdprintf, descriptor))
                                               : call(fuzz::with_va_list(leat_vfprintf, file));
  leat_fflush(file);
  fuzz::expect_equal(::pread(descriptor, memory, result.size(), 0), static_cast<ssize_t>(n),
                     format);
  leat_fclose(file);
  result.resize(n);
  return result;
}

void drive(fuzz::input& in) {
  const arguments all = arguments_of(in);
  const std::size_t room = in.below(300);
  const std::size_t function_number = in.below(8);
  const std::string format = format_of(in);
  call_with_arguments(all, [&](auto... args) {
    static std::array<char, 40'000> theirs, ours;
    const int wanted = std::snprintf(theirs.data(), theirs.size(), format.c_str(), args...);
    fuzz::expect(wanted >= 0, "libc refuses a format of the grammar");
    const std::string_view text(theirs.data(), static_cast<std::size_t>(wanted));
    fuzz::expect_equal(leat_snprintf(ours.data(), ours.size(), format.c_str(), args...), wanted,
                       format);
    fuzz::expect_equal(std::string_view(ours.data(), text.size() + 1),
                       std::string_view(text.data(), text.size() + 1), format);

    // Prints into memory that may be too small.
    std::fill_n(ours.begin(), 400, '#');
    fuzz::expect_equal(leat_snprintf(ours.data(), room, format.c_str(), args...), wanted, format);
    const auto kept = text.substr(0, room == 0 ? 0 : room - 1);
    fuzz::expect_equal(std::string_view(ours.data(), kept.size()), kept,
                       "the text in small memory");
    if (room != 0) fuzz::expect(ours[kept.size()] == '\0', "no NUL after the text in small memory");
    fuzz::expect(ours[kept.size() + (room != 0)] == '#',
                 "a byte after the end of small memory is changed");

    // Prints into a stream, whose buffer may be too small for the text.
    char* memory = nullptr;
    std::size_t length = 0;
    leat_file* const file = leat_open_memstream(&memory, &length);
    fuzz::expect_equal(leat_fprintf(file, format.c_str(), args...), wanted, format);
    leat_fclose(file);
    fuzz::expect_equal(std::string_view(memory, length), text, "the text in a stream: " + format);
    std::free(memory);

    fuzz::expect_equal(by_other_function(function_number, format.c_str(), args...), text,
                       fmt::format("{} by function {}", format, function_number));
  });
}

const fuzz::driver self("printf", drive);

}  // namespace
