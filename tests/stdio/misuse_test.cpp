// A call with a FILE* that is null, closed or of another library ends the program with a message.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cstdio>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(file_death, a_null_file_ends_the_program) {
  EXPECT_DEATH(leat_fputc('x', nullptr), "leat: leat_fputc: a null FILE");
  EXPECT_DEATH(leat_flockfile(nullptr), "leat: leat_flockfile: a null FILE");
  EXPECT_DEATH(leat_fclose(nullptr), "leat: leat_fclose: a null FILE");
}

TEST(file_death, a_closed_file_ends_the_program) {
  const temporary_folder folder;
  leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_DEATH(leat_fputs("x", f), "leat: leat_fputs: a FILE\\* that is closed");
  EXPECT_DEATH(leat_fclose(f), "leat: leat_fclose: a FILE\\* that is closed");
}

// Functions that <leat/stdio.h> calls. A message has the name that the program has called: fprintf,
// not leat_stdio_fprintf.
extern "C" {
int leat_stdio_fprintf(leat_file* f, const char* format, ...);
int leat_checked_fprintf(leat_file* f, const char* format, ...);
int leat_c17_fscanf(leat_file* f, const char* format, ...);
int leat_stdio_fputc(int byte, leat_file* f);
}

TEST(file_death, the_message_names_the_called_function) {
  const temporary_folder folder;
  leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_DEATH(leat_stdio_fprintf(f, "%d", 1), "leat: fprintf: a FILE\\* that is closed\n");
  EXPECT_DEATH(leat_checked_fprintf(f, "%d", 1), "leat: fprintf: a FILE");
  EXPECT_DEATH(leat_c17_fscanf(f, "%*d"), "leat: fscanf: a FILE");
  EXPECT_DEATH(leat_stdio_fputc(1, f), "leat: fputc: a FILE");
  EXPECT_DEATH(leat_fprintf(f, "%d", 1), "leat: leat_fprintf: a FILE");
  EXPECT_DEATH(leat_fwprintf(f, L"%d", 1), "leat: leat_fwprintf: a FILE");
  EXPECT_DEATH(leat_putw(1, f), "leat: leat_putw: a FILE");
  EXPECT_DEATH(leat_getw(f), "leat: leat_getw: a FILE");
  EXPECT_DEATH(leat_setlinebuf(f), "leat: leat_setlinebuf: a FILE");
  EXPECT_DEATH(leat_setbuf(f, nullptr), "leat: leat_setbuf: a FILE");
  // GCC turns fprintf(f, "text") into a call of fwrite.
  EXPECT_DEATH(leat_fwrite("x", 1, 1, f), "leat_fwrite: .* closed .*by the compiler for fprintf");
}

TEST(file_death, a_file_of_libc_ends_the_program) {
  EXPECT_DEATH(leat_fgetc(reinterpret_cast<leat_file*>(stdin)),
               "leat: leat_fgetc: a FILE\\* of another library");
}

}  // namespace
