// C streams that a destructor closes, and pipes.
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

struct file_closer {
  void operator()(leat_file* f) const { leat_fclose(f); }
};
using file_ptr = std::unique_ptr<leat_file, file_closer>;

inline file_ptr open_file(const std::string& path, const char* mode) {
  file_ptr f(leat_fopen(path.c_str(), mode));
  EXPECT_NE(f, nullptr) << path << ": " << std::strerror(errno);
  return f;
}

inline file_ptr open_file(const std::string& path, const char* mode, const leat_options& options) {
  file_ptr f(leat_open(path.c_str(), mode, &options));
  EXPECT_NE(f, nullptr) << path << ": " << std::strerror(errno);
  return f;
}

/// A pipe: ends[0] reads the bytes that are written to ends[1].
inline void make_pipe(int (&ends)[2]) {
#if defined(_WIN32)
  ASSERT_EQ(::_pipe(ends, 1 << 16, _O_BINARY), 0);
#else
  ASSERT_EQ(::pipe(ends), 0);
#endif
}

inline std::string rest_of(leat_file* f) {
  std::string text;
  for (int c; (c = leat_fgetc(f)) != EOF;) text += static_cast<char>(c);
  return text;
}

inline std::string str(const leat_text& text) {
  return text.bytes == nullptr ? "(null)" : std::string(text.bytes, text.size);
}

}  // namespace leat_test
