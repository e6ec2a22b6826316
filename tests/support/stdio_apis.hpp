// libc's stdio and leat's, with the same names, so that one template can call both.
#pragma once

#include <leat/leat.h>

#include <cstdio>

namespace leat_test {

struct libc {
  using file = std::FILE;
  using position = fpos_t;
  static constexpr auto open = &::fopen;
  static constexpr auto open_descriptor = &::fdopen;
  static constexpr auto reopen = &::freopen;
  static constexpr auto close = &::fclose;
  static constexpr auto number = &::fileno;
  static constexpr auto set_buffer = &::setvbuf;
  static constexpr auto read = &::fread;
  static constexpr auto write = &::fwrite;
  static constexpr auto get = &::fgetc;
  static constexpr auto get_unlocked = &::getc_unlocked;
  static constexpr auto put = &::fputc;
  static constexpr auto put_unlocked = &::putc_unlocked;
  static constexpr auto unget = &::ungetc;
  static constexpr auto gets = &::fgets;
  static constexpr auto puts = &::fputs;
  static constexpr auto get_line = &::getline;
  static constexpr auto get_delimited = &::getdelim;
  static constexpr auto seek = &::fseek;
  static constexpr auto seek_offset = &::fseeko;
  static constexpr auto tell = &::ftell;
  static constexpr auto get_position = &::fgetpos;
  static constexpr auto set_position = &::fsetpos;
  static constexpr auto rewind = &::rewind;
  static constexpr auto flush = &::fflush;
  static constexpr auto clear = &::clearerr;
  static constexpr auto failed = &::ferror;
};

struct leat_stdio {
  using file = leat_file;
  using position = leat_fpos;
  static constexpr auto open = &::leat_fopen;
  static constexpr auto open_descriptor = &::leat_fdopen;
  static constexpr auto reopen = &::leat_freopen;
  static constexpr auto close = &::leat_fclose;
  static constexpr auto number = &::leat_fileno;
  static constexpr auto set_buffer = &::leat_setvbuf;
  static constexpr auto read = &::leat_fread;
  static constexpr auto write = &::leat_fwrite;
  static constexpr auto get = &::leat_fgetc;
  static constexpr auto get_unlocked = &::leat_fgetc_unlocked;
  static constexpr auto put = &::leat_fputc;
  static constexpr auto put_unlocked = &::leat_fputc_unlocked;
  static constexpr auto unget = &::leat_ungetc;
  static constexpr auto gets = &::leat_fgets;
  static constexpr auto puts = &::leat_fputs;
  static constexpr auto get_line = &::leat_getline;
  static constexpr auto get_delimited = &::leat_getdelim;
  static constexpr auto seek = &::leat_fseek;
  static constexpr auto seek_offset = &::leat_fseeko;
  static constexpr auto tell = &::leat_ftell;
  static constexpr auto get_position = &::leat_fgetpos;
  static constexpr auto set_position = &::leat_fsetpos;
  static constexpr auto rewind = &::leat_rewind;
  static constexpr auto flush = &::leat_fflush;
  static constexpr auto clear = &::leat_clearerr;
  static constexpr auto failed = &::leat_ferror;
};

}  // namespace leat_test
