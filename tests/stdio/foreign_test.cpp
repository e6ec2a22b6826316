// If a FILE* of leat is passed to a function of glibc, glibc aborts the program with a message.
#include <leat/leat.h>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "support/files.hpp"
#include "support/process.hpp"

#if defined(__GLIBC__)

namespace {

using namespace leat_test;

/// Runs `use` in a child with a stream of leat, and expects that libc aborts the child. If
/// `threads` is true, the child has a second thread, so that libc locks the stream.
template <class Use>
void expect_abort(const char* mode, bool threads, const Use& use) {
  const temporary_folder folder;
  write_file(folder / "file", "first\nsecond\n");
  const auto result = run_in_child([&] {
    ::alarm(20);
    leat_file* const f = leat_fopen((folder / "file").c_str(), mode);
    require(f != nullptr);
    if (mode[0] == 'r')
      require(leat_fgetc(f) == 'f');  // the buffers are in use
    else
      require(leat_fputc('x', f) == 'x');
    std::thread other;
    if (threads) other = std::thread([] { ::pause(); });
    use(reinterpret_cast<std::FILE*>(f));
    ::_exit(0);
  });
  EXPECT_EQ(result.signal, SIGABRT) << "code " << result.code;
  EXPECT_NE(result.err.find("invalid stdio handle"), std::string::npos) << result.err;
}

class foreign : public testing::TestWithParam<bool> {};

TEST_P(foreign, functions_of_libc_that_write_to_a_stream_of_leat_abort) {
  expect_abort("w", GetParam(), [](std::FILE* f) { std::fputs("text", f); });
  expect_abort("w", GetParam(), [](std::FILE* f) { std::fwrite("text", 1, 4, f); });
  expect_abort("w", GetParam(), [](std::FILE* f) { std::fprintf(f, "%d", 5); });
  expect_abort("w", GetParam(), [](std::FILE* f) { (std::fputc)('c', f); });
  expect_abort("w", GetParam(), [](std::FILE* f) { std::putc('c', f); });
  expect_abort("w", GetParam(), [](std::FILE* f) { std::fflush(f); });
  expect_abort("w", GetParam(), [](std::FILE* f) { std::fclose(f); });
}

TEST_P(foreign, functions_of_libc_that_read_a_stream_of_leat_abort) {
  char line[80];
  int n = 0;
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::fgets(line, sizeof line, f); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::fread(line, 1, 5, f); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::fscanf(f, "%d", &n); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { (std::fgetc)(f); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::getc(f); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::ungetc('c', f); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::fseek(f, 0, SEEK_SET); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::ftell(f); });
  expect_abort("r", GetParam(), [&](std::FILE* f) { std::fclose(f); });
}

TEST(foreign, functions_of_libc_for_a_closed_stream_of_leat_abort) {
  expect_abort("w", false, [](std::FILE* f) {
    leat_fclose(reinterpret_cast<leat_file*>(f));
    std::fputs("text", f);
  });
}

INSTANTIATE_TEST_SUITE_P(threads, foreign, testing::Bool());

}  // namespace

#endif
