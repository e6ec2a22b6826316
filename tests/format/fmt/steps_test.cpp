// All kinds of compiled formats, compared with {fmt}.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "format/outcome.hpp"

#if defined(__linux__)
#  include <sys/mman.h>
#endif

namespace {

struct point {
  int x, y;
};
/// print does not keep the formatter of this type: each call makes the formatter and parses the
/// specification.
struct tagged {
  int value;
};
/// {fmt} treats this type as a string, whatever its formatter says.
struct name : std::string {
  using std::string::string;
};
/// A type whose formatter parses "}}" as a brace.
struct braced {
  int value;
};
/// A type whose formatter leaves a member uninitialised.
struct unset {
  int value;
};

class long_category final : public std::error_category {
  const char* name() const noexcept override { return name_.c_str(); }
  std::string message(int) const override { return "?"; }
  std::string name_;

 public:
  explicit long_category(std::size_t size) : name_(size, 'c') {}
};

}  // namespace

template <>
struct fmt::formatter<name> : fmt::formatter<int> {
  template <class Context>
  auto format(const name&, Context& context) const {
    return fmt::format_to(context.out(), "not this");
  }
};

template <>
struct fmt::formatter<braced> {
  constexpr auto parse(fmt::format_parse_context& context) {
    auto at = context.begin();
    while (at != context.end() && (*at != '}' || (at + 1 != context.end() && at[1] == '}')))
      at += *at == '}' ? 2 : 1;
    return at;
  }
  template <class Context>
  auto format(const braced& b, Context& context) const {
    return fmt::format_to(context.out(), "[{}]", b.value);
  }
};

template <>
struct fmt::formatter<unset> {
  bool has = false;
  char letter;

  constexpr formatter() {}
  constexpr auto parse(fmt::format_parse_context& context) {
    auto at = context.begin();
    if (at != context.end() && *at != '}') has = true, letter = *at++;
    return at;
  }
  template <class Context>
  auto format(const unset& u, Context& context) const {
    return fmt::format_to(context.out(), "{}{}", has ? letter : '-', u.value);
  }
};

template <>
struct fmt::formatter<point> : fmt::formatter<int> {
  template <class Context>
  auto format(const point& p, Context& context) const {
    fmt::formatter<int>::format(p.x, context);
    *context.out() = '/';
    return fmt::formatter<int>::format(p.y, context);
  }
};

/// print does not keep this formatter, because the formatter has members that {fmt}'s formatters do
/// not have, and is not trivially copyable.
template <>
struct fmt::formatter<tagged> {
  std::array<char, 8> tag{};
  std::size_t size = 0;

  constexpr formatter() = default;
  constexpr formatter(const formatter& other) : tag(other.tag), size(other.size) {}

  constexpr auto parse(fmt::format_parse_context& context) {
    auto at = context.begin();
    while (at != context.end() && *at != '}') tag[size++] = *at++;
    return at;
  }
  template <class Context>
  auto format(const tagged& t, Context& context) const {
    return fmt::format_to(context.out(), "<{} {}>", fmt::string_view(tag.data(), size), t.value);
  }
};

namespace {

template <class... Args>
void check(const leat::format_string<Args...>& format, const Args&... args) {
  const std::string_view text = format.text();
  const std::string expected =
      fmt::format(fmt::runtime(fmt::string_view(text.data(), text.size())), args...);
  EXPECT_EQ(leat::format(format, args...), expected);
  EXPECT_EQ(leat::format(leat::runtime(text), args...), expected);
  constexpr std::size_t rooms[] = {0, 1, 2, 63, 64, 65, 66, 300, 1024, 5000};
  for (const std::size_t more : rooms) {
    std::vector<char> memory(expected.size() + more);
    leat::memory_writer to{std::span(memory)};
    to.print(format, args...);
    EXPECT_EQ(to.view(), expected) << more;
    EXPECT_FALSE(to.error());
  }
  leat::string_writer all;
  all.print("before ");
  all.println(format, args...);
  {
    leat::synchronized shared{all};
    shared.println(format, args...);
  }
  all.print("after");
  EXPECT_EQ(all.view(), "before " + expected + "\n" + expected + "\nafter");
}

TEST(steps, write_each_kind_of_value) {
  const std::string text = "a text", long_text(3000, 'x');
  const char* const c_string = "a C string";
  check("{} {} {} {}", true, 'c', -1, 2U);
  check("{},{},{},{}", std::int64_t{-5'000'000'000}, std::uint64_t{1} << 63, std::int8_t{-7},
        std::uint16_t{9});
  check("{}{}{}", 1.5F, -2.25, 0.1L);
  check("{}|{}|{}", text, std::string_view(text).substr(2), c_string);
  check("{}|{}|{}", long_text, 1, long_text.c_str());
  check("{} {} {}", static_cast<const void*>(c_string), nullptr, static_cast<const void*>(nullptr));
  check("{} {} {}", static_cast<__int128>(-1) << 100, static_cast<unsigned __int128>(1) << 127, 1);
  check("{}", 1);
  check("");
  check("literal");
}

TEST(steps, write_values_as_their_specifications_say) {
  const std::string text = "text", long_text(3000, 'x');
  check("{:>8}|{:<8}|{:^8}|{:*^9}|", text, text.c_str(), 'c', true);
  check("{:x} {:#X} {:#o} {:b} {:+} {: }", 255, 255U, 8, std::uint64_t{5}, 7, std::int64_t{7});
  check("{:08} {:>8} {:<8}| {:^+9}|", -42, 42U, std::int64_t{-1}, 0);
  check("{:.3f} {:8.2f} {:08.2f} {:+.1f} {:.0f}", 1.23456, -2.5, -2.5, 0.05, 2.5);
  check("{:e} {:.3g} {:.10} {:12} {:<12}| {:a}", 1e10, 1234.5, 0.1, 1.5, 2.5, 1.0);
  check("{:.2f} {:.3} {:8}", 1.5F, 0.1F, 2.5F);
  check("{:.2f} {:.20g}", 1.5L, 0.1L);
  check("{:.3} {:5.2}| {:.2}", text, text, long_text);
  check("{:3000} {:>4000}", text, 1);
  check("{:20} {:>20}", nullptr, static_cast<const void*>(text.data()));
  check("{:.126f} {:.127f} {:.300f}", 1.5, 1.5, 1.5);
  check("{:4095}{:4096}", 1, 2);
  check("{:é>6}|{:😀<3}", 1, text);
  check("{:d} {:s} {:c} {:d}", 'a', false, 65, true);
  const void* const pointer = &text;
  check("{:d} {:d} {:s} {:s} {:c} {:s} {:p}", -7, std::uint64_t{7}, text, text.c_str(), 'c', true,
        pointer);
  check("{:d}", -7);
  check("{:s}{:s}", text, text.c_str());
  check("{:p} {:p}", nullptr, pointer);
  for (const bool value : {false, true}) {
    check("{:d} {:x} {:#b}", value, value, value);
    check("{:>6}|{:<6}|{:*^7}", value, value, value);
    check("{:4}|{:>5s}|{:6d}|{:#06x}|{:>40}", value, value, value, value, value);
  }
  for (const int number : {0, 1, -1, 255, -65536, 2147483647}) {
    const auto magnitude = static_cast<unsigned>(number);
    check("{:#010x} {:#10x} {:<#10X}| {:*^#11x}", magnitude, magnitude, magnitude, magnitude);
    check("{:+#010x} {: #10x} {:<+#14X}| {:*^#15x}", number, number, number, number);
    check("{:010x} {:+10x} {:#40x} {:#040x}", number, number, number, number);
    check("{:#018x} {:#018x} {:#3x}", std::int64_t{number} << 31, std::uint64_t{magnitude} << 32,
          number);
  }
}

TEST(steps, write_literals_of_any_length) {
#define LEAT_TEN(text) text text text text text text text text text text
  check("123456789012345{}1234567890123456{}12345678901234567{}", 1, 2, 3);
  check(LEAT_TEN("1234567890123456789") "{}{}{}" LEAT_TEN("1234567890123456789"), 1, 2, 3);
  check(LEAT_TEN("1234567890123456789") "1{}12{}123{}", 1, 2, 3);
  check(LEAT_TEN("12345678901234567890") LEAT_TEN("123456") "{}{}{}", 1, 2, 3);
  check(LEAT_TEN(LEAT_TEN("12345678901234567890")) "{}{}{}", 1, 2, 3);
  check("{}{}{}" LEAT_TEN(LEAT_TEN("12345678901234567890"))
            LEAT_TEN(LEAT_TEN("12345678901234567890")),
        1, 2, 3);
  check(LEAT_TEN(LEAT_TEN("12345678901234567890")) LEAT_TEN(LEAT_TEN("12345678901234567890"))
            LEAT_TEN("1234567890"));
  check("{{}}{}{{{}}}}}{{{}{{", 1, 2, 3);
  check("{{\"a\":{},\"b\":\"{}\",\"c\":{:.2f}}}\n", 1, std::string("x"), 2.5);
  check("{{" LEAT_TEN("1234567890") "{}{}{}}}" LEAT_TEN("1234567890"), 1, 2, 3);
  check("{{}}");
  check("{}{{", 1);
#undef LEAT_TEN
}

TEST(steps, use_arguments_in_any_order_and_as_widths_and_precisions) {
  check("{2} {0} {1}", 1, 2.5, std::string("x"));
  check("{0} {0} {1}", 1, 2);
  check("{0} {1} {2}", 1, 2, 3);
  check("{0:>5} {1:<{2}}|", 1, 2, 7);
  check("{:{}} {:.{}f}", 1, 5, 2.5, 3);
  check("{} {}", 1, 2, 3);  // the third argument is unused
  check("{1}", 1, 2);
  const std::string text = "text", long_text(3000, 'x');
  const char* const c_string = "a C string";
  check("{1} {0}", 1.5, text);
  check("{0}{0}", text);
  check("{0:x} {0:d} {0:o} {0:b}", 255);  // more fields than are compiled
  check("{1}{{{0}}}{1}{{", c_string, 2);
  check("{1}, {0}, {1}", long_text, long_text.c_str());
  check("{2}, {0}, {1}", long_text, long_text.c_str(), 1);
  check("{0:>{1}} {0:<{1}}| {0:*^{1}}|", text, 12U);
  check("{:{}} {:{}} {:{}}", true, 7, 'c', std::int8_t{4}, 1.5F, std::uint64_t{9});
  check("{:0{}d} {:#{}x} {:+.{}e} {:.{}}", -42, std::int64_t{8}, 255, 6, 1e10, 3, text, 2);
  check("{:>{}.{}} {:{}.{}f}|", text, 9, 3, 3.14159, 10, 2);
  check("{:{}} {:.{}f} {:.{}f}", 1, 0, 2.5, 0, 1e300, 40);
  check("{:{}} {:.{}f} {:.{}}", 1, 4095, 2.5, 126, text, 126);
  check("{:{}} {:.{}f} {:.{}}", 1, 5000, 2.5, 200, text, 127);  // too much for a step
  check("{:>{}} {:>{}} {:>{}}", 1, 1500, 2, 1500, 3, 1500);     // too much for a plan
  check("{:{}}", 1, __int128{5});
  check("{3}{2}{1}{0}", 1.5F, 0.1L, __int128{1} << 100, static_cast<const void*>(nullptr));
  check("{3:>9}{2:*^9}{1:>9}{0:_<9}", 1.5F, 0.1L, true, 'c');
  check("{1:?}{0:>7d}{2:?}", 'c', text, "\n");
  check("{12} {0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} {11}", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
        11, 12);
  check("{11} {0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10}", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
}

TEST(steps, refuse_widths_and_precisions_that_are_negative_or_too_large) {
  leat::string_writer to;
  EXPECT_THROW(to.print("{} {:{}}", 1, 2, -1), leat::format_error);
  EXPECT_THROW(to.print("{} {:.{}f}", 1, 2.5, std::int64_t{-1}), leat::format_error);
  EXPECT_THROW(to.print("{} {:{}}", 1, 2, std::uint64_t{1} << 40), leat::format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{:{}}", 2, -5'000'000'000)), leat::format_error);
}

TEST(steps, write_integers_as_characters_with_type_c) {
  for (int number = 0; number != 128; ++number) {
    check("{:c}", number);
    check("{:c}{:<3c}{:>3c}{:*^4c}|", number, static_cast<unsigned>(number), std::int64_t{number},
          static_cast<std::uint64_t>(number));
    check("{0:c}{1}{0:c}", number, 1);
    check("{:{}c}|", number, 5);
    check("{:c} {}", number, point{1, 2});
  }
  // Each version of {fmt} has its own text of these numbers, or no text.
  const auto check_other = [](auto number) {
    const leat::test::outcome expected = leat::test::by_fmt("{:c} {:>3c}", number, number);
    leat::string_writer to;
    const auto call = [&] { to.print("{:c} {:>3c}", number, number); };
    if (expected.refused) {
      EXPECT_THROW(call(), leat::format_error) << number;
    } else {
      call();
    }
    EXPECT_EQ(to.view(), expected.text) << number;
  };
  for (const int number : {128, 255, 256, 300, -1, -65, -128, -129, 1'000'000}) check_other(number);
  check_other(300U);
  check_other(std::uint64_t{1} << 40);
}

TEST(steps, quote_texts_and_characters) {
  for (int byte = 0; byte != 256; ++byte) {
    const char c = static_cast<char>(byte);
    check("{:?}", c);
    check("{:?} {} {:?}", c, 1, std::string(1, c));
    check("{1:?} {0:?}", c, std::string("seven b") + c);
    check("{:?}", std::string("nine byte") + c + "nine byte");
    check("{:?} {}", std::string(30, c), point{1, 2});
  }
  constexpr std::size_t sizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 62, 63, 64, 65, 500, 3000};
  for (const std::size_t size : sizes) {
    check("{:?}", std::string(size, 'x'));
    check("{:?}|{:?}", std::string(size, '"'), std::string(size, 'x').c_str());
    check("{:?}|{}", std::string(size, 'x') + "\n\t\\", std::string(size, 'y'));
    check("{} {:?} {}", 1.5, std::string(size, 'x') + "é\xff", 2);
  }
}

template <std::size_t... I>
void check_many(std::index_sequence<I...>) {
  static constexpr auto text = [] {
    std::array<char, 3 * sizeof...(I)> all{};
    for (std::size_t i = 0; i != sizeof...(I); ++i)
      all[3 * i] = '{', all[3 * i + 1] = '}', all[3 * i + 2] = ' ';
    return all;
  }();
  static constexpr std::string_view format(text.data(), text.size());
  check(leat::format_string<decltype(I)...>(format), I...);
}
TEST(steps, write_many_arguments) {
  check_many(std::make_index_sequence<30>());
  check_many(std::make_index_sequence<63>());
  check_many(std::make_index_sequence<64>());
  check_many(std::make_index_sequence<100>());
}

TEST(steps, write_types_of_the_program) {
  const std::string long_text(3000, 'x');
  check("{}", point{1, -2});
  check("[{:>4}] {} {:.2f}", point{1, -2}, std::string("text"), 2.5);
  check("{:+}{{{}}}{:x}{}", point{1, 2}, point{3, 4}, point{255, 16}, 7);
  check("{}{}{}", long_text, point{1, 2}, long_text.c_str());
  check("{:tag} {}{{{:}}}", tagged{1}, tagged{2}, tagged{3});
  check("{1:tag} {0}", tagged{1}, tagged{2});
  check("{0:tag} {1}", tagged{1}, tagged{2});
  check("{:{}}", point{1, 2}, 6);
  check("{:>5000}", point{1, 2});
}

TEST(steps, write_types_that_fmt_treats_specially) {
  check("{} {} {}", name("bob"), 1, point{1, 2});
  check("{1} {0}", name("bob"), 1);
  check("{:a}}}| {}", braced{1}, 2);
  check("{} {:x} {}", unset{1}, unset{2}, 3);
  check("{1} {0}", unset{1}, 2);
}

TEST(steps, write_error_codes_with_long_names) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{40}, std::size_t{200}, std::size_t{1500}}) {
    const long_category category(size);
    const std::error_code code(-100'000, category);
    const std::string one = std::string(size, 'c') + ":-100000";
    EXPECT_EQ(leat::format("{}", code), one);
    std::string expected = "1 " + one;
    for (int i = 0; i != 5; ++i) expected += one;
    EXPECT_EQ(leat::format("{} {}{}{}{}{}{}", 1, code, code, code, code, code, code), expected);
    for (const std::size_t more : {std::size_t{0}, std::size_t{30}, std::size_t{200}}) {
      std::vector<char> memory(expected.size() + more);
      leat::memory_writer to{std::span(memory)};
      to.print("{} {}{}{}{}{}{}", 1, code, code, code, code, code, code);
      EXPECT_EQ(to.view(), expected);
    }
    EXPECT_EQ(leat::format("{} {}", point{1, 2}, code), "1/2 " + one);
    EXPECT_EQ(leat::format("{1} {0} {1}", 1, code), one + " 1 " + one);
  }
}

TEST(steps, write_nothing_for_an_empty_constant) {
  static constexpr std::string_view none;
  check(leat::format_string<>(none));
}

#if defined(__linux__)
TEST(steps, read_nothing_on_the_page_after_a_constant) {
  constexpr std::size_t page = 4096;
  static constexpr std::string_view format = "{} {} {}ab";
  struct alignas(page) pages {
    char text[page], guard[page];
  };
  static constexpr pages constant = [] {
    pages result{};
    for (std::size_t i = 0; i != format.size(); ++i)
      result.text[page - format.size() + i] = format[i];
    return result;
  }();
  void* const guard = const_cast<char*>(constant.guard);
  ASSERT_EQ(mprotect(guard, page, PROT_NONE), 0);
  leat::string_writer to;
  to.print(std::string_view(constant.text + page - format.size(), format.size()), 1, 2, 3);
  EXPECT_EQ(to.view(), "1 2 3ab");
  ASSERT_EQ(mprotect(guard, page, PROT_READ), 0);
}
#endif

TEST(steps, write_nothing_for_a_null_c_string) {
  leat::string_writer to;
  const char* const none = nullptr;
  EXPECT_THROW(to.print("{} {} {}", 1, none, 2), leat::format_error);
  EXPECT_THROW(to.print("{} {} {:>5}", 1, 2, none), leat::format_error);
  EXPECT_THROW(to.print("{} {}", point{1, 2}, none), leat::format_error);
  EXPECT_THROW(to.print("{1} {0}", 1, none), leat::format_error);
  EXPECT_EQ(to.view(), "");
}

}  // namespace
