// Compiled literals print the same text to memory, strings, files and a shared writer.
#include <gtest/gtest.h>
#include <unistd.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

#include "format/outcome.hpp"

namespace leat::test {
namespace {

TEST(print, reads_volatile_arguments) {
  const volatile bool yes = true;
  volatile char letter = 'c';
  volatile int number = 5;
  EXPECT_EQ(leat::format("{} {:>6} {} {}", yes, yes, letter, number), "true   true c 5");
}

/// The path of a file. The destructor removes the file.
class scratch_file {
 public:
  // Tests run in parallel, each in its own process.
  scratch_file()
      : path_(testing::TempDir() + "leat_print_test_" + std::to_string(::getpid()) + ".txt") {}
  ~scratch_file() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

/// Checks that `write` writes `text` to memory, a string, a shared writer and files. If memory is
/// full, the text is cut.
void expect_in_every_writer(const std::string& text, const std::function<void(writer&)>& write) {
  for (std::size_t room = 0; room <= text.size() + 1; ++room) {
    std::vector<char> area(room);
    memory_writer fixed{std::span(area)};
    write(fixed);
    const std::size_t kept = std::min(room, text.size());
    EXPECT_EQ(fixed.view(), text.substr(0, kept)) << "in " << room << " bytes";
    EXPECT_EQ(fixed.lost(), text.size() - kept) << "in " << room << " bytes";
    std::error_code reported;
    fixed.close(reported);
  }
  string_writer grows;
  write(grows);
  EXPECT_EQ(grows.view(), text);
  {
    string_writer below;
    {
      synchronized shared{below};
      write(shared);
      shared.flush();
    }
    EXPECT_EQ(below.view(), text) << "synchronized";
  }
  for (const std::size_t size : {1U, 7U, 4096U}) {
    scratch_file file;
    auto out = create(file.path(), {.buffer_size = size});
    write(out);
    out.close();
    EXPECT_EQ(file.content(), text) << "with a buffer of " << size;
  }
}

/// Compares print, println and format of a compiled literal with {fmt}.
template <class... Args>
void expect_as_fmt(format_string<Args...> format, Args&&... args) {
  SCOPED_TRACE(std::string(format.text()));
  const outcome expected = by_fmt(format.text(), args...);
  ASSERT_FALSE(expected.refused) << expected;
  expect_in_every_writer(expected.text, [&](writer& to) { to.print(format, args...); });
  expect_in_every_writer(expected.text + '\n', [&](writer& to) { to.println(format, args...); });
  EXPECT_EQ(leat::format(format, args...), expected.text);
  EXPECT_EQ(by_leat(format.text(), args...), expected);
}

constexpr __int128 big = static_cast<__int128>(1) << 100;

TEST(print, writes_every_native_type) {
  const std::string text = "a string";
  char array[] = "an array";
  char* pointer_to_text = array;
  const int number = -5;
  const void* pointer = &text;
  expect_as_fmt("{} {} {} {}", 1, 2U, 3L, 4UL);
  expect_as_fmt("{} {} {}", static_cast<short>(-1), static_cast<unsigned char>(255), -7LL);
  expect_as_fmt("{} {} {}", static_cast<signed char>(-128), static_cast<unsigned short>(1), number);
  expect_as_fmt("{} {} {}", big, -big, static_cast<unsigned __int128>(big));
  expect_as_fmt("{} {} {}", 0, 0ULL, static_cast<__int128>(0));
  expect_as_fmt("{} {}", std::numeric_limits<std::int64_t>::min(),
                std::numeric_limits<std::uint64_t>::max());
  expect_as_fmt("{} {} {}", 1.5F, 2.25, 3.125L);
  expect_as_fmt("{} {} {}", true, false, 'c');
  expect_as_fmt("{} {} {} {}", "a literal", text, std::string_view("a view"), array);
  expect_as_fmt("{} {}", pointer_to_text, static_cast<const char*>(array));
  expect_as_fmt("{} {} {}", pointer, static_cast<void*>(array), nullptr);
  expect_as_fmt("{}{}", "", std::string());
  expect_as_fmt("{:>10}|{:#x}|{:08.3f}|{:^9}|{:+}", text, 255, 3.14159, true, 7);
}

TEST(print, writes_bytes_as_numbers) {
  EXPECT_EQ(leat::format("{} {:02x} {:#b}", std::byte{200}, std::byte{10}, std::byte{5}),
            "200 0a 0b101");
}

TEST(print, writes_the_category_and_the_number_of_an_error_code) {
  const auto code = std::make_error_code(std::errc::no_such_file_or_directory);
  const std::error_code smallest(std::numeric_limits<int>::min(), std::system_category());
  const std::string text = "generic:2 system:-2147483648 generic:0";
  expect_in_every_writer(text, [&](writer& to) {
    to.print("{} {} {}", code, smallest, std::error_code(0, std::generic_category()));
  });
  EXPECT_EQ(leat::format("{1} {0}", code, 'x'), "x generic:2");
}

// Most literals of up to 16 bytes are copied by one load. A longer literal takes another path.
TEST(print, writes_literals_of_any_length) {
  expect_as_fmt("");
  expect_as_fmt("a");
  expect_as_fmt("{}", 1);
  expect_as_fmt("0123456789abcde{}0123456789abcde", 1);
  expect_as_fmt("0123456789abcdef{}0123456789abcdef", 1);
  expect_as_fmt("0123456789abcdefg{}0123456789abcdefg", 1);
  expect_as_fmt("0123456789abcdefghijklmnopqrstu{}0123456789abcdefghijklmnopqrstuv{}", 1, 2);
  expect_as_fmt("0123456789abcdefghijklmnopqrstuvwxyzABCD");
  expect_as_fmt("0123456789abcdefghijklmnopqrstuvwxyzABCD{}", "text");
  expect_as_fmt("{}0123456789abcdefghijklmnopqrstuvwxyzABCD", 1.5);
}

template <std::size_t Size>
struct repeated {
  char text[Size + 4 + Size + 1]{};
  consteval repeated() {
    for (std::size_t i = 0; i != Size; ++i) text[i] = static_cast<char>('a' + i % 26);
    text[Size] = text[Size + 3] = '-';
    text[Size + 1] = '{';
    text[Size + 2] = '}';
    for (std::size_t i = 0; i != Size; ++i) text[Size + 4 + i] = static_cast<char>('A' + i % 26);
  }
  constexpr operator std::string_view() const { return {text, sizeof text - 1}; }
};
template <std::size_t Size>
inline constexpr repeated<Size> literal_of{};

TEST(print, writes_literals_of_each_length_up_to_40) {
  [&]<std::size_t... Size>(std::index_sequence<Size...>) {
    (expect_as_fmt(literal_of<Size>, Size), ...);
  }(std::make_index_sequence<41>());
}

TEST(print, writes_a_brace_for_a_doubled_brace) {
  expect_as_fmt("{{");
  expect_as_fmt("}}");
  expect_as_fmt("{{}}{}{{{}}}", 1, 2);
  expect_as_fmt("{{{{{{{{{{{{{{{{{}}}}}}}}}}}}}}}}}", 1);  // eight escapes on each side
  expect_as_fmt("0123456789abcd{{}}{}", 1);
  expect_as_fmt("0123456789abcde{{}}{}", 1);  // 17 bytes, not contiguous in the text
  expect_as_fmt("0123456789abcdefgh{{{}}}0123456789abcdefgh", 1);
  expect_as_fmt("{}}}0123456789abcdefgh{{", 1);
}

TEST(print, writes_embedded_zero_bytes) {
  using namespace std::string_view_literals;
  constexpr auto format = "a\0{}\0b"sv;
  EXPECT_EQ(leat::format(format, 1), "a\0001\0b"sv);
  EXPECT_EQ(leat::format("{}", "x\0y"sv), "x\0y"sv);
}

TEST(print, writes_arguments_in_the_order_of_their_indexes) {
  expect_as_fmt("{0} {1}", 1, "two");
  expect_as_fmt("{1} {0} {1}", 1, "two");
  expect_as_fmt("{0}{0}{0}{0}", 'x');
  expect_as_fmt("{1}", 1, 2);
  expect_as_fmt("{}", 1, 2);
  expect_as_fmt("none", 1, 2.5, "three");
  expect_as_fmt("{0:{1}.{2}f}|{0:<{1}}|", 3.14159, 12, 3);
  expect_as_fmt("{:{}}|{:.{}}|{:{}.{}f}", 1, 5, "text", 2, 2.5, 9, 3);
  expect_as_fmt("{:*^{}}", "mid", 9UL);
}

TEST(print, writes_twenty_arguments) {
  expect_as_fmt("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", 1, 2, 3, 4, 5, 6, 7,
                8, 9, 10, "11", 12.5, 'x', true, 15U, 16L, 17.5F, big, nullptr, "20");
  expect_as_fmt("{19}{18}{17}", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                19);
}

TEST(print, writes_more_arguments_than_the_interpreter_has_on_the_stack) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    expect_as_fmt("{99} {0} {50:>{2}}", I...);
  }(std::make_integer_sequence<int, 100>());
}

TEST(print, writes_text_larger_than_any_buffer) {
  const std::string large(300'000, 'x');
  string_writer to;
  to.print("<{}>{}\n", large, 1);
  EXPECT_EQ(to.view(), "<" + large + ">1\n");
  EXPECT_EQ(leat::format("{}", large), large);
}

/// A C string whose length the compiler does not know.
class hidden_text {
 public:
  explicit hidden_text(std::size_t size) : text_(size, 'a') {
    for (std::size_t i = 0; i != size; ++i) text_[i] = static_cast<char>('a' + i % 26);
  }
  const std::string& text() const { return text_; }
  const char* c_str() const {
    const char* result = text_.c_str();
    asm volatile("" : "+r"(result));
    return result;
  }

 private:
  std::string text_;
};

TEST(print, writes_c_strings_of_any_length_at_any_position_in_a_buffer) {
  constexpr std::size_t most = 700;
  std::vector<char> area(most);
  for (std::size_t n = 0; n <= 200; ++n) {
    const hidden_text first(n), second(n / 3);
    const std::string line =
        "<" + first.text() + ">" + second.text() + ",-7 " + first.text() + second.text() + "\n";
    for (std::size_t room = line.size(); room <= most; room += room < line.size() + 90 ? 1U : 50U) {
      memory_writer to{std::span(area).first(room)};
      to.print("<{}>{},{} {}{}\n", first.c_str(), second.c_str(), -7, first.c_str(),
               second.c_str());
      ASSERT_EQ(to.view(), line) << n << " in " << room;
      ASSERT_EQ(to.lost(), 0);
    }
    ASSERT_EQ(leat::format("<{}>{},{} {}{}\n", first.c_str(), second.c_str(), -7, first.c_str(),
                           second.c_str()),
              line);
  }
}

TEST(print, writes_c_strings_with_other_fields_in_the_same_call) {
  for (std::size_t n : {0U, 1U, 5U, 63U, 64U, 65U, 500U, 950U, 1000U, 5000U, 100'000U}) {
    const hidden_text some(n);
    const char* const text = some.c_str();
    char array[] = "array";
    string_writer to;
    for (int i = 0; i != 3; ++i)
      to.print("{:>9}|{}|{:.3}|{:^70}|{}|{}|{}|{:.2f}\n", text, text, text, text, "literal", array,
               some.text(), 1.5);
    const std::string line =
        fmt::format("{:>9}|{}|{:.3}|{:^70}|literal|array|{}|1.50\n", text, text, text, text, text);
    ASSERT_EQ(to.view(), line + line + line);
    if (n > 1000) continue;  // the checks below try each size of memory up to the text's size
    expect_as_fmt("{}", text);
    expect_as_fmt("{}{}", text, text);
  }
}

TEST(print, writes_nothing_for_a_null_c_string) {
  const char* null = nullptr;
  asm volatile("" : "+r"(null));
  const hidden_text some(30);
  string_writer to;
  EXPECT_THROW(to.print("{}", null), format_error);
  EXPECT_THROW(to.println("a literal, {} and {}", some.c_str(), null), format_error);
  EXPECT_THROW(to.print("{:>8}", null), format_error);
  EXPECT_THROW(to.print("{1} {0}", null, 2), format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{} {}", 1, null)), format_error);
  EXPECT_EQ(to.view(), "");
  synchronized shared{to};
  EXPECT_THROW(shared.print("{} {}\n", some.c_str(), null), format_error);
  shared.print("{}\n", some.c_str());
  shared.flush();
  EXPECT_EQ(to.view(), some.text() + "\n");
}

TEST(print, ignores_a_null_c_string_that_no_field_shows) {
  const char* null = nullptr;
  asm volatile("" : "+r"(null));
  const hidden_text large(3000);
  char bytes[4000];
  leat::memory_writer to(bytes);
  to.print("{0}", large.c_str(), null);
  EXPECT_EQ(to.view(), large.text());
  EXPECT_EQ(leat::format("{0} {0}", large.c_str(), null), large.text() + " " + large.text());
  EXPECT_EQ(leat::format(leat::runtime("{0}"), 1, null), "1");
  EXPECT_THROW(static_cast<void>(leat::format(leat::runtime("{}{}"), 1, null)), format_error);
}

TEST(print, writes_hundreds_of_thousands_of_fill_characters) {
  for (const char* format : {"{:100000}", "{:>100000}", "{:é^100001}", "{:{}}"})
    EXPECT_EQ(by_leat(format, 42, 100000), by_fmt(format, 42, 100000)) << format;
  expect_as_fmt("{:300}", 1);
  EXPECT_EQ(leat::format("{:<5000}", "x").size(), 5000);
}

TEST(print, println_without_arguments_writes_a_newline) {
  string_writer to;
  to.println();
  to.println("text");
  to.println(runtime("{}"), 1);
  EXPECT_EQ(to.view(), "\ntext\n1\n");
}

TEST(print, counts_the_bytes_that_a_full_writer_loses) {
  memory_writer to(std::span<char>{});
  to.print("{} {}", 1, "two");
  to.print("{0}", 1);
  to.print("0123456789abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(to.lost(), 5 + 1 + 36);
  std::error_code reported;
  to.close(reported);
  EXPECT_EQ(reported, errc::memory_full);
}

}  // namespace
}  // namespace leat::test
