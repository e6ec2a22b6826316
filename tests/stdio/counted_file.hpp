// A file in memory, with functions for leat_fopencookie that count their calls. Writes can fail.
#pragma once

#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "support/c_files.hpp"

namespace leat_test {

/// The file must outlive the stream that open() returns. The caller closes the stream.
struct counted_file {
  std::string content;
  std::size_t at = 0;
  int reads = 0, writes = 0, seeks = 0, closes = 0;
  std::vector<std::size_t> sizes{};      // number of bytes of each successful write
  int error = 0;                         // the errno of each write; 0: no error
  std::size_t room = std::string::npos;  // writes end at this offset, then fail with ENOSPC

  static counted_file& from_cookie(void* cookie) { return *static_cast<counted_file*>(cookie); }
  static ssize_t read(void* cookie, char* to, std::size_t n) {
    auto& f = from_cookie(cookie);
    ++f.reads;
    const std::size_t taken = f.at < f.content.size() ? f.content.copy(to, n, f.at) : 0;
    f.at += taken;
    return static_cast<ssize_t>(taken);
  }
  static ssize_t write(void* cookie, const char* from, std::size_t n) {
    auto& f = from_cookie(cookie);
    ++f.writes;
    if (f.error != 0) {
      errno = f.error;
      return -1;
    }
    n = std::min(n, f.room - std::min(f.room, f.at));
    if (n == 0) {
      errno = ENOSPC;
      return -1;
    }
    f.sizes.push_back(n);
    if (f.content.size() < f.at + n) f.content.resize(f.at + n);
    f.content.replace(f.at, n, from, n);
    f.at += n;
    return static_cast<ssize_t>(n);
  }
  static int seek(void* cookie, leat_off_t* offset, int whence) {
    auto& f = from_cookie(cookie);
    ++f.seeks;
    if (whence == SEEK_CUR) *offset += static_cast<leat_off_t>(f.at);
    if (whence == SEEK_END) *offset += static_cast<leat_off_t>(f.content.size());
    if (*offset < 0) return -1;
    f.at = static_cast<std::size_t>(*offset);
    return 0;
  }
  static int close(void* cookie) {
    ++from_cookie(cookie).closes;
    return 0;
  }
  leat_file* open(const char* mode) {
    return leat_fopencookie(this, mode,
                            {.read = read, .write = write, .seek = seek, .close = close});
  }
};

}  // namespace leat_test
