// Random formats of one and two conversions, printed to a leat_file, compared with glibc's printf.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "support/libraries.hpp"
#include "support/sanitizer.hpp"

extern "C" int leat_stdio_fprintf(leat_file* f, const char* format, ...);  // see <leat/stdio.h>

namespace {

using leat_test::rounds;

// The formats are made at run time.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

/// A stream whose device is a string, and the comparison of the stream with glibc.
class compared_stream {
 public:
  compared_stream() : file_(leat_fopencookie(this, "w", {nullptr, write, nullptr, nullptr})) {
    leat_setvbuf(file_, nullptr, _IOFBF, buffer_size);
  }
  ~compared_stream() { leat_fclose(file_); }
  compared_stream(const compared_stream&) = delete;
  compared_stream& operator=(const compared_stream&) = delete;

  /// Prints into a buffer that has `room` bytes left. Expects the count and the text of glibc;
  /// after a failure, the errno of glibc.
  template <class... Args>
  void expect_same(std::size_t room, const std::string& format, Args... args) {
    errno = 0;
    const int wanted = std::snprintf(wanted_, sizeof wanted_, format.c_str(), args...);
    const int wanted_error = errno;
    ASSERT_LT(wanted, static_cast<int>(sizeof wanted_)) << format;
    leat_fwrite(wanted_, 1, buffer_size - room, file_);
    errno = 0;
    const int count = leat_stdio_fprintf(file_, format.c_str(), args...);
    const int error = errno;
    leat_fflush(file_);
    ASSERT_EQ(count, wanted) << format << " room " << room;
    if (wanted < 0)
      ASSERT_EQ(error, wanted_error) << format;
    else
      ASSERT_EQ(text_.substr(buffer_size - room), wanted_) << format << " room " << room;
    text_.clear();
  }

  static constexpr std::size_t buffer_size = 1024;

 private:
  static ssize_t write(void* cookie, const char* from, std::size_t n) {
    static_cast<compared_stream*>(cookie)->text_.append(from, n);
    return static_cast<ssize_t>(n);
  }

  leat_file* file_;
  std::string text_;
  char wanted_[10000]{};
};

/// The type of the value's argument.
enum class value_type { plain_int, long_int, real, text, wide_text, pointer };

/// A conversion with its arguments.
struct random_conversion {
  std::string text;
  value_type type;
  int stars = 0, star[2]{};  // the arguments of the width and the precision
  std::uint64_t integer = 0;
  double real = 0;
  std::string characters{};
  std::wstring wide_characters{};
  const void* pointer = nullptr;
};

class random_formats {
 public:
  explicit random_formats(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  random_conversion conversion() {
    random_conversion c{literal() + '%', value_type::plain_int};
    const char letter = "ddiuoxXcssspfFeEgGll"[below(20)];
    for (const char flag : {'-', '+', ' ', '#', '0'})
      if (below(5) == 0 && is_defined(flag, letter)) c.text += flag;
    if (below(2) == 0) add_count(c, -40);
    if (below(2) == 0 && letter != 'c' && letter != 'p') {
      c.text += '.';
      if (below(8) != 0) add_count(c, INT_MIN);
    }
    switch (letter) {
      case 'c':
        c.integer = 1 + below(127);
        c.text += below(8) == 0 ? "lc" : "c";
        break;
      case 's':
        c.type = value_type::text;
        c.characters.assign(length(), static_cast<char>('a' + below(26)));
        c.text += 's';
        break;
      case 'l':
        c.type = value_type::wide_text;
        c.wide_characters.assign(length(),
                                 static_cast<wchar_t>(L'a' + static_cast<int>(below(26))));
        c.text += "ls";
        break;
      case 'p':
        c.type = value_type::pointer;
        c.pointer = below(8) == 0 ? nullptr : reinterpret_cast<const void*>(bits());
        c.text += 'p';
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
        c.type = value_type::real;
        c.real = real();
        c.text += below(2) == 0 ? "l" : "";
        c.text += letter;
        break;
      default: {
        const char* const size =
            std::array{"hh", "h", "", "", "", "l", "ll", "j", "z", "t"}[below(10)];
        c.type = *size == 'h' || *size == '\0' ? value_type::plain_int : value_type::long_int;
        c.integer = bits();
        c.text += size;
        c.text += letter;
      }
    }
    return c;
  }

  std::string literal() { return std::array{"", "", ": ", "%%", "a literal "}[below(5)]; }

  /// A random number of bytes that are left in the buffer. The fast path stops at the end of the
  /// buffer.
  std::size_t room() { return below(2) == 0 ? compared_stream::buffer_size : below(400); }

 private:
  /// Returns false for conversions that can't be compared. C does not define zeros before texts.
  /// If rounding gives a power of ten, glibc 2.36 loses zeros of "%#.3g".
  static bool is_defined(char flag, char letter) {
    if (flag == '0') return std::strchr("cslp", letter) == nullptr;
    if (flag == '#') return std::strchr("diucslpgG", letter) == nullptr;
    return letter != 'p' || flag == '-';
  }

  /// Adds a width or a precision. The argument of a '*' is `rare` in one of 256 cases.
  void add_count(random_conversion& c, int rare) {
    const std::uint64_t kind = below(256);
    const std::uint64_t size = kind == 0 ? 3000 : kind < 16 ? 300 : kind < 64 ? 40 : 12;
    const int count = static_cast<int>(below(size));
    if (below(3) != 0) {
      c.text += std::to_string(count);
    } else {
      c.text += '*';
      c.star[c.stars++] = kind == 255 ? rare : below(4) == 0 ? -count : count;
    }
  }

  std::size_t length() { return below(16) == 0 ? below(1500) : below(20); }

  std::uint64_t bits() {
    const std::uint64_t value = random_() >> below(64);
    return below(16) == 0 ? 0 : below(2) == 0 ? value : 0 - value;
  }

  double real() {
    switch (below(8)) {
      case 0:
        return static_cast<double>(static_cast<std::int64_t>(bits()));
      case 1:
        return std::array{0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 0.5, 2.5, 9.5}[below(8)];
      case 2: {
        const std::uint64_t any = random_();
        double value;
        std::memcpy(&value, &any, sizeof value);
        return value;
      }
      default:
        return static_cast<double>(static_cast<std::int64_t>(bits() % 10'000'000)) / 100;
    }
  }

  std::mt19937_64 random_;
};

/// Calls use(arguments…) with the arguments of a conversion.
template <class Use>
void with_arguments(const random_conversion& c, const Use& use) {
  const auto with_value = [&](auto... stars) {
    switch (c.type) {
      case value_type::plain_int:
        return use(stars..., static_cast<int>(c.integer));
      case value_type::long_int:
        return use(stars..., c.integer);
      case value_type::real:
        return use(stars..., c.real);
      case value_type::text:
        return use(stars..., static_cast<const void*>(c.characters.c_str()));
      case value_type::wide_text:
        return use(stars..., static_cast<const void*>(c.wide_characters.c_str()));
      case value_type::pointer:
        return use(stars..., c.pointer);
    }
  };
  if (c.stars == 0) return with_value();
  if (c.stars == 1) return with_value(c.star[0]);
  with_value(c.star[0], c.star[1]);
}

TEST(printf_random, one_conversion_matches_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  random_formats random(1);
  compared_stream stream;
  for (int i = 0; i != rounds(1'000'000) && !HasFatalFailure(); ++i) {
    const random_conversion c = random.conversion();
    with_arguments(c, [&](auto... arguments) {
      stream.expect_same(random.room(), c.text + random.literal(), arguments...);
    });
  }
}

TEST(printf_random, two_conversions_match_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  random_formats random(2);
  compared_stream stream;
  for (int i = 0; i != rounds(1'000'000) && !HasFatalFailure(); ++i) {
    const random_conversion a = random.conversion(), b = random.conversion();
    with_arguments(a, [&](auto... first) {
      with_arguments(b, [&](auto... second) {
        stream.expect_same(random.room(), a.text + b.text + random.literal(), first..., second...);
      });
    });
  }
}

}  // namespace
