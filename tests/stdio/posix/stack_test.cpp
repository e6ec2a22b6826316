// Measures the stack that formatting and parsing need: a thread with 16 KiB of stack has enough.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <pthread.h>
#include <leat/fstream.hpp>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstddef>
#include <cwchar>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/c_files.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

/// Calls `use` in a new thread. Returns the used size of the thread's stack, in bytes.
std::size_t stack_depth_of(const std::function<void()>& use) {
  constexpr std::size_t size = 256 << 10;
  constexpr char untouched = '\x5a';
  std::vector<char> memory(size + 4096, untouched);
  char* const begin =
      memory.data() + (4096 - reinterpret_cast<std::uintptr_t>(memory.data()) % 4096) % 4096;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, begin, size);
  pthread_t thread;
  const auto run = [](void* context) -> void* {
    (*static_cast<const std::function<void()>*>(context))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&use)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return size -
         static_cast<std::size_t>(
             std::find_if(begin, begin + size, [](char c) { return c != untouched; }) - begin);
}

/// Formats that are not literals, so that the compiler does not warn about their arguments.
using runtime_format = const char*;

/// Returns `value` with `digits` digits after the point. To parse a number of hundreds of digits,
/// the library needs exact arithmetic.
std::string long_decimal(long double value, int digits) {
  std::string text(static_cast<std::size_t>(digits) + 100, ' ');
  text.resize(
      static_cast<std::size_t>(leat_snprintf(text.data(), text.size(), "%.*Le", digits, value)));
  return text;
}

class small_stack : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers have larger frames";
  }
  /// Expects that a thread with `use` needs at most 16 KiB. An empty thread already needs 8.5 KiB
  /// (glibc on x86-64), because the stack also has the thread-local objects. leat's thread-local
  /// objects need 4 KiB. Debug builds have larger frames; other processors were not measured.
  static void expect_small_stack(const char* label, const std::function<void()>& use) {
    use();  // the dynamic loader needs much stack when it first resolves a function
#if defined(NDEBUG) && defined(__x86_64__)
    constexpr std::size_t most = 16 << 10;
#else
    constexpr std::size_t most = 20 << 10;
#endif
    EXPECT_LE(stack_depth_of(use), most) << label;
  }
};

constexpr long double largest = std::numeric_limits<long double>::max();
constexpr long double least = std::numeric_limits<long double>::denorm_min();

TEST_F(small_stack, is_enough_for_printf) {
  std::string room(40'000, ' ');
  std::vector<wchar_t> wide(40'000);
  for (const runtime_format format :
       {"%.3000Le", "%Lf", "%.12000Lf", "%Lg", "%La", "%.50Lg", "%#.3000Lg"})
    for (const long double value : {largest, least, 1.25L, 0.1L})
      expect_small_stack(
          format, [&] { ASSERT_GT(leat_snprintf(room.data(), room.size(), format, value), 0); });
  for (const runtime_format format : {"%.3000e", "%f", "%.1100f", "%g", "%a", "%#.300g"})
    expect_small_stack(format, [&] {
      ASSERT_GT(leat_snprintf(room.data(), room.size(), format, 1.7e308), 0);
      ASSERT_GT(leat_snprintf(room.data(), room.size(), format, 5e-324), 0);
    });
  expect_small_stack("text", [&] {
    const runtime_format format = "%d %s %-300c %m %ls";
    ASSERT_GT(leat_snprintf(room.data(), room.size(), format, 1, "text", 'c', L"wide"), 0);
    const runtime_format numbered = "%2$d %1$s";
    ASSERT_GT(leat_snprintf(room.data(), room.size(), numbered, "text", 2), 0);
  });
  expect_small_stack("wide", [&] {
    ASSERT_GT(leat_swprintf(wide.data(), wide.size(), L"%.3000Le %Lf %d", largest, least, 5), 0);
  });
  leat_file* const f = leat_tmpfile();
  leat_setvbuf(f, nullptr, _IONBF, 0);
  expect_small_stack("fprintf", [&] {
    ASSERT_GT(leat_fprintf(f, static_cast<runtime_format>("%.3000Le %Lf %d"), largest, least, 5),
              0);
  });
  leat_fclose(f);
}

TEST_F(small_stack, is_enough_for_scanf) {
  long double value;
  double number;
  float single;
  for (const auto& input :
       {long_decimal(least, 11'600), long_decimal(largest, 5'000), std::string("0.1"),
        long_decimal(0.1L, 300), std::string("0x1.8p-16000")})
    expect_small_stack("%Lf", [&] {
      ASSERT_EQ(leat_sscanf(input.c_str(), "%Lf", &value), 1);
      ASSERT_EQ(leat_sscanf("5e-324 179769313486231580793e288", "%lf%lf", &number, &number), 2);
      ASSERT_EQ(leat_sscanf(long_decimal(1.5e-310L, 1'000).c_str(), "%lf", &number), 1);
      ASSERT_EQ(leat_sscanf(long_decimal(1.5e-40L, 1'000).c_str(), "%f", &single), 1);
    });
  char word[100];
  wchar_t wide[100];
  expect_small_stack("text", [&] {
    ASSERT_EQ(leat_sscanf("5 abc [x] 7", "%*d %99s %99[^a-z]", word, word), 2);
    ASSERT_EQ(leat_swscanf(L"5 abc [x] 7.5e300", L"%*d %99ls %99l[^a-z] %lf", wide, wide, &number),
              2);
  });
}

TEST_F(small_stack, is_enough_for_print) {
  leat::string_writer out;
  expect_small_stack("{}", [&] { out.print("{} {} {}", largest, least, 0.1L); });
  expect_small_stack("{:.3000e}",
                     [&] { out.print("{:.3000e} {:f} {:g}", largest, largest, least); });
  expect_small_stack("{:*^{}.{}f}", [&] { out.print("{:*^{}.{}f}", largest, 6000, 100); });
  expect_small_stack("a double",
                     [&] { out.print("{:.3000e} {:a} {:.1000f}", 5e-324, 1.5, 1e308); });
  expect_small_stack("runtime", [&] { out.print(leat::runtime("{:.3000e} {}"), least, largest); });
  leat::ostringstream text;
  text.precision(3000);
  expect_small_stack("<<", [&] { text << std::scientific << largest << least << 1e308; });
}

TEST_F(small_stack, is_enough_for_parse) {
  const std::string hard = long_decimal(1.5e-310L, 1'000);
  const std::string longer = long_decimal(least, 11'600);
  expect_small_stack("parse", [&] {
    leat::memory_reader in(longer);
    ASSERT_TRUE(in.parse<long double>());
    ASSERT_TRUE(leat::parse<double>(hard));
    ASSERT_TRUE(leat::parse<float>("1.000000059604644775390625000000000000001"));
  });
  // The numbers are normal, and the fields are short. For other numbers and fields, the standard
  // library calls strtold.
  leat::istringstream in(long_decimal(1.5e-300L, 100) + " " +
                         long_decimal(16 * std::numeric_limits<long double>::min(), 100));
  expect_small_stack(">>", [&] {
    double number = 0;
    long double value = 0;
    in.clear();
    in.seekg(0);
    ASSERT_TRUE(in >> number >> value);
  });
}

}  // namespace
