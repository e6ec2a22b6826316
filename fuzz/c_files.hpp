// One interface to a C stream or a C writer, and checks of contents and errors. For c_logs.cpp and
// c_options.cpp, the drivers of C's options.
#pragma once

#include <leat/codecs.h>
#include <leat/leat.h>
#include <leat/file_stream.hpp>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "c_text.hpp"
#include "fuzz.hpp"

namespace fuzz {

inline constexpr std::array formats{LEAT_COMPRESSION_NONE, LEAT_COMPRESSION_NONE,
                                    LEAT_COMPRESSION_ZSTD, LEAT_COMPRESSION_GZIP,
                                    LEAT_COMPRESSION_LZ4,  LEAT_COMPRESSION_XZ};

/// Returns the decoded content of a file, up to the first error.
inline std::string content_of(const std::string& path, leat_compression format) {
  std::error_code ec;
  return leat::open(path, {.compression = static_cast<leat::compression>(format)}, ec).read_all(ec);
}

/// Checks leat_last_error() after a refused call for this path.
inline void expect_error(std::string_view path) {
  const leat_error why = *leat_last_error();
  expect_equal(why.code, errno, "leat_error::code");
  // EINVAL for a call that is invalid for every file may come without a path.
  expect(why.path == path || (why.code == EINVAL && *why.operation == '\0'), "leat_error::path");
  expect_equal(why.offset, LEAT_NO_OFFSET, "leat_error::offset");
}

/// Either a stream or a writer: one of the two pointers is null.
struct output {
  leat_file* stream = nullptr;
  leat_writer* writer = nullptr;

  void write(const std::string& bytes) const {
    if (writer != nullptr) return leat_writer_write(writer, bytes.data(), bytes.size());
    expect_equal(leat_fwrite(bytes.data(), 1, bytes.size(), stream), bytes.size(), "leat_fwrite()");
  }
  /// Flushes, or syncs if `syncs` is true. Returns 0 on success.
  int flush(bool syncs) const {
    if (writer != nullptr) return syncs ? leat_writer_sync(writer) : leat_writer_flush(writer);
    return syncs ? leat_sync(stream) : leat_fflush(stream);
  }
  int close() const { return writer != nullptr ? leat_writer_close(writer) : leat_fclose(stream); }
  void discard() const {
    return writer != nullptr ? leat_writer_discard(writer) : leat_discard(stream);
  }
};

}  // namespace fuzz
