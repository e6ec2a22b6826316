// Function split: one file as several readers for several threads.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/file_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {

/// For leat::split. The options other than `delimiter` have the same meaning as in open_options.
struct split_options {
  char delimiter = '\n';  ///< the byte at the end of each line
  std::size_t buffer_size = 0;
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();
  bool local_only = false;
  /// Of compressed files, only seekable zstd files can be split.
  leat::compression compression = leat::compression::none;
  std::uint64_t limit = (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t codec_memory = open_options{}.codec_memory;  ///< @since 0.3
};

/// Divides a file into up to `parts` parts, and opens a stream over each part: one for each thread.
/// The parts have about the same size and end at ends of lines; concatenated they are the file.
/// The result has 1 to 65536 streams; 0 parts count as 1. If lines are longer than a part, the
/// result has fewer streams than `parts`.
///
///     std::vector<std::jthread> threads;
///     for (auto& part : leat::split("big.csv", 8))
///       threads.emplace_back([part = std::move(part)]() mutable {
///         for (std::string_view line : part.lines()) use(line);
///       });
///
/// A stream begins at the first byte of its part and ends after the last byte of its part; bytes
/// appended later belong to no part. Positions count from the start of the file: a stream may seek
/// to a position before its part and read from there, and lines_backwards goes back to the start of
/// the file. All streams share one open file, and have no descriptor. Quotes are ignored: a CSV
/// file with newlines in its fields can't be split. Pipes can't be split (invalid_seek). A file of
/// unknown size, as in /proc, is one part. The first form throws io_error; the forms with `ec` set
/// it and return no stream.
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts,
                                        const split_options& how = {});
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts, std::error_code& ec);
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts, const split_options& how,
                                        std::error_code& ec);

}  // namespace v0
}  // namespace leat
