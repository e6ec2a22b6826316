// One file for several threads.
#pragma once

#include <leat/file_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {

/// For leat::split; see open_options for what each one does.
struct split_options {
  char delimiter = '\n';  ///< that ends lines
  std::size_t buffer_size = 0;
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();
  bool remote = true;
  /// Only a seekable zstd file has places to begin at.
  leat::compression compression = leat::compression::none;
  std::uint64_t limit = (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t codec_memory = open_options{}.codec_memory;  ///< @since 0.3
};

/// Opens a file as up to `parts` streams, each over its own part of it, for as many threads. The
/// parts have about the same size, meet at ends of lines, and one behind the other they are the
/// file. There are fewer where lines are longer than parts; at least one, and at most 65536.
///
///     std::vector<std::jthread> threads;
///     for (auto& part : leat::split("big.csv", 8))
///       threads.emplace_back([part = std::move(part)]() mutable {
///         for (std::string_view line : part.lines()) use(line);
///       });
///
/// A stream begins at the first byte of its part and ends behind the last one; what is appended
/// later belongs to no part. Positions are those of the file: after a seek to one before its part a
/// stream reads from there, and so lines_backwards goes on to the start of the file. All streams
/// share one opening of the file, and have no descriptor. Quotes are not looked at: a CSV file with
/// newlines in its fields can't be split. Pipes can't either (invalid_seek). A file whose size
/// nobody knows, as one of /proc, is one part. The first form throws io_error; the forms with `ec`
/// set it and return no stream.
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts,
                                        const split_options& how = {});
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts, std::error_code& ec);
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts, const split_options& how,
                                        std::error_code& ec);

}  // namespace v0
}  // namespace leat
