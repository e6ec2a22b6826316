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

TEST(file_death, a_file_of_libc_ends_the_program) {
  EXPECT_DEATH(leat_fgetc(reinterpret_cast<leat_file*>(stdin)),
               "leat: leat_fgetc: a FILE\\* of another library");
}

}  // namespace
