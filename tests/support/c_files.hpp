// For tests of the C interface: streams that a destructor closes, pipes, and texts as strings.
#pragma once

#include <gtest/gtest.h>
#include <leat/leat.h>

#if defined(_WIN32)
#  include <fcntl.h>
#  include <io.h>
#else
#  include <unistd.h>
#endif

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace leat_test {

/// Closes a C stream with leat_fclose, and ignores errors.
struct file_closer {
  void operator()(leat_file* f) const { leat_fclose(f); }
};
using file_ptr = std::unique_ptr<leat_file, file_closer>;

/// Opens a file. Reports a failure of the test and returns null if leat_fopen fails.
inline file_ptr open_file(const std::string& path, const char* mode) {
  file_ptr f(leat_fopen(path.c_str(), mode));
  EXPECT_NE(f, nullptr) << path << ": " << std::strerror(errno);
  return f;
}

/// Opens a file with these options. Reports a failure of the test and returns null if leat_open
/// fails.
inline file_ptr open_file(const std::string& path, const char* mode, const leat_options& options) {
  file_ptr f(leat_open(path.c_str(), mode, &options));
  EXPECT_NE(f, nullptr) << path << ": " << std::strerror(errno);
  return f;
}

/// Opens a pipe: ends[0] reads the bytes that are written to ends[1]. The caller closes both ends.
inline void make_pipe(int (&ends)[2]) {
#if defined(_WIN32)
  ASSERT_EQ(::_pipe(ends, 1 << 16, _O_BINARY), 0);
#else
  ASSERT_EQ(::pipe(ends), 0);
#endif
}

/// Reads a stream to the end, or to an error. Returns the bytes that were read.
inline std::string rest_of(leat_file* f) {
  std::string text;
  for (int c; (c = leat_fgetc(f)) != EOF;) text += static_cast<char>(c);
  return text;
}

/// Returns the text as a string, or "(null)" if `text.bytes` is null.
inline std::string string_of(const leat_text& text) {
  return text.bytes == nullptr ? "(null)" : std::string(text.bytes, text.size);
}

}  // namespace leat_test
