// Lines of wide characters, read by fgetws. The bytes are mostly ASCII: fgetws has a fast path for
// ASCII.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <clocale>
#include <cstdio>
#include <cwchar>
#include <random>
#include <string>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(wide_lines, of_ascii_and_other_characters_are_the_same_as_with_libc) {
  if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) GTEST_SKIP() << "no C.UTF-8";
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937 random(20261129);
  for (int round = 0; round != 200; ++round) {
    std::string text;
    for (int i = 0; i != 300; ++i) {
      const auto choice = random() % 60;
      text += choice == 0   ? std::string("\n")
              : choice == 1 ? std::string(1, '\0')
              : choice == 2 ? std::string("\u00e9\u20ac")
                            : std::string(1, static_cast<char>('!' + random() % 90));
    }
    if (round % 3 == 0) text.insert(random() % text.size(), "\xff");
    write_file(path, text);
    const file_ptr f(leat_fopen(path.c_str(), "r"));
    ASSERT_NE(f, nullptr);
    leat_setvbuf(f.get(), nullptr, _IOFBF, 1 + random() % 100);
    std::FILE* const same = std::fopen(path.c_str(), "r");
    ASSERT_NE(same, nullptr);
    for (;;) {
      const int size = 2 + static_cast<int>(random() % 80);
      wchar_t line[100], expected[100];
      wchar_t* const found = leat_fgetws(line, size, f.get());
      const bool some = std::fgetws(expected, size, same) != nullptr;
      ASSERT_EQ(found != nullptr, some) << round;
      if (!some) break;
      ASSERT_EQ(std::wmemcmp(line, expected, std::wcslen(expected) + 1), 0) << round;
      const bool takes_one = random() % 4 == 0;
      ASSERT_EQ(takes_one ? leat_fgetwc(f.get()) : 0, takes_one ? std::fgetwc(same) : 0) << round;
    }
    ASSERT_EQ(leat_ferror(f.get()) != 0, std::ferror(same) != 0);
    ASSERT_EQ(leat_feof(f.get()) != 0, std::feof(same) != 0);
    std::fclose(same);
  }
  std::setlocale(LC_ALL, "C");
}

}  // namespace
