// Calls that print a text in several pieces: printf, wide text, lines. A failed call keeps no part
// of its text in the buffer. If the device has taken no bytes of the text, a program can repeat the
// call. The last test prints wide text without a buffer.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>

#include "stdio/counted_file.hpp"
#include "support/c_files.hpp"

// <leat/stdio.h> calls this function for fprintf(f, "%s\n", text).
extern "C" int leat_stdio_put_line(leat_file* f, const char* text);

namespace {

using namespace leat_test;

/// A function that prints a text and a newline. If the call fails, returns false.
struct printing {
  const char* name;
  bool (*print)(leat_file*, const std::string& text);
};

std::wstring widened(const std::string& text) { return {text.begin(), text.end()}; }

constexpr printing printings[] = {
    {"printf",
     [](leat_file* f, const std::string& text) {
       return leat_fprintf(f, "%s%c", text.c_str(), '\n') >= 0;
     }},
    {"printf of a line",
     [](leat_file* f, const std::string& text) {
       return leat_stdio_put_line(f, text.c_str()) >= 0;
     }},
    {"wprintf",
     [](leat_file* f, const std::string& text) {
       return leat_fwprintf(f, L"%s\n", text.c_str()) >= 0;
     }},
    {"fputws",
     [](leat_file* f, const std::string& text) {
       return leat_fputws((widened(text) + L'\n').c_str(), f) >= 0;
     }},
};

/// Runs `body` for each function, and for each kind and size of the buffer.
template <class Body>
void for_each_case(const Body& body) {
  for (const printing& how : printings)
    for (const int kind : {_IOFBF, _IOLBF})
      for (const std::size_t size : {8u, 1000u, 4096u, 65536u}) {
        SCOPED_TRACE(testing::Message() << how.name << ", kind " << kind << ", buffer " << size);
        body(how, kind, size);
      }
}

TEST(failed_call, leaves_no_part_of_its_text) {
  for_each_case([](const printing& how, int kind, std::size_t size) {
    for (const int error : {EAGAIN, EINTR, ENOSPC, EIO, EPIPE, EFBIG})
      for (const std::size_t length : {12u, 3000u, 20'000u}) {
        const std::string text = std::string(length - 1, 'x') + '>';
        counted_file file;
        leat_file* const f = file.open("w");
        ASSERT_EQ(leat_setvbuf(f, nullptr, kind, size), 0);
        ASSERT_TRUE(how.print(f, "first"));
        file.error = error;
        errno = 0;
        std::string expected = "first\n";
        if (how.print(f, text))
          expected += text + '\n';  // all of the text is in the buffer
        else
          EXPECT_EQ(errno, error);
        file.error = 0;
        leat_clearerr(f);
        ASSERT_TRUE(how.print(f, text));
        EXPECT_EQ(leat_fclose(f), 0);
        EXPECT_TRUE(file.content == expected + text + '\n')
            << file.content.size() << " bytes of " << expected.size() + length + 1;
      }
  });
}

TEST(failed_call, leaves_only_the_bytes_that_the_device_had_already_written) {
  for_each_case([](const printing& how, int kind, std::size_t size) {
    counted_file file;
    leat_file* const f = file.open("w");
    ASSERT_EQ(leat_setvbuf(f, nullptr, kind, size), 0);
    file.room = 9000;
    EXPECT_FALSE(how.print(f, std::string(100'000, 'x')));
    file.room = std::string::npos;
    leat_clearerr(f);
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_EQ(file.content, std::string(9000, 'x'));
  });
}

TEST(failed_call, does_not_move_the_position_of_a_memory_stream) {
  for (const printing& how : printings)
    for (const int kind : {_IOFBF, _IOLBF, _IONBF}) {
      char memory[100];
      leat_file* const f = leat_fmemopen(memory, sizeof memory, "w");
      EXPECT_EQ(leat_setvbuf(f, nullptr, kind, 0), 0);
      EXPECT_TRUE(how.print(f, "first"));
      errno = 0;
      EXPECT_FALSE(how.print(f, std::string(5000, 'x'))) << how.name;
      EXPECT_EQ(errno, ENOSPC);
      EXPECT_EQ(leat_ftell(f), 6) << how.name;
      EXPECT_EQ(leat_fclose(f), 0);
    }
}

TEST(unbuffered_wide_text, is_written_by_one_write_for_each_call) {
  counted_file file;
  leat_file* const f = file.open("w");
  ASSERT_EQ(leat_setvbuf(f, nullptr, _IONBF, 0), 0);
  EXPECT_GE(leat_fputws(L"hello world\n", f), 0);
  EXPECT_EQ(leat_fwprintf(f, L"%d,%d\n", 12, 34), 6);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content, "hello world\n12,34\n");
  EXPECT_EQ(file.writes, 2);
}

}  // namespace
