// Memory-mapped files: class mapped_file, and functions map_file and guard_mappings.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/file_stream.hpp>

#include <cstddef>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

#if defined(_WIN32)
inline constexpr std::size_t mapped_padding = 0;  // Windows can't map a page after a file's end
#else
/// The number of readable bytes after the end of a mapped file. 0 on Windows.
inline constexpr std::size_t mapped_padding = window_padding;
#endif

/// A reader over a mapped file; the reader's window is the whole file. So lines(), find() and
/// parse() copy nothing, and a search touches no page after its hit. Movable. The destructor closes
/// the file.
///
/// Pipes, objects in object storage, files without a size as in /proc, and all files after
/// guard_mappings(false) are not mapped but read into memory when they are opened. Such a copy does
/// not change later; a mapping shows later writes of other processes.
///
/// If another process makes the file shorter, the missing bytes read as zeros. The reader reports
/// the loss at the end of its window (errc::file_shrank, at the first missing byte), and so do
/// error() and close(). If the system fails to read a part of the file, the system's error is
/// reported in the same way.
class LEAT_API [[nodiscard]] mapped_file final
    : public concrete_reader<mapped_file, mapped_padding> {
 public:
  /// A closed stream.
  mapped_file() noexcept;
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  ~mapped_file();

  /// All bytes of the file, wherever the reader's position is; valid until the stream is closed.
  /// Several threads may read the bytes. If you read bytes of value zero, check error() afterwards:
  /// without an error the zeros are in the file.
  std::string_view view() const noexcept { return view_; }

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the file, or no_handle. The mapping does not use the descriptor's offset.
  native_handle_type native_handle() const noexcept;

 private:
  friend class mapping_source;
  std::string_view view_;
};

/// Opens a file and maps it. The first form throws io_error; the forms with `ec` set it and return
/// a closed stream.
///
///     auto text = leat::map_file("big.csv");
///     for (std::string_view line : text.lines()) use(line);
LEAT_API mapped_file map_file(path_ref path, const map_options& how = {});
LEAT_API mapped_file map_file(path_ref path, std::error_code& ec);
LEAT_API mapped_file map_file(path_ref path, const map_options& how, std::error_code& ec);

/// Turns mapping on (the default) or off, and returns the previous setting.
///
/// leat maps a file in map_file(), in large batches of random positions, for repeated single reads
/// (file::read_at, records::get), and in a search (find) of a long cached file. leat also maps the
/// sidecars of durability::process. If a mapped file shrinks, an access after its end raises
/// SIGBUS. The first mapping of leat installs a handler that replaces missing bytes with zeros, and
/// passes all other faults to the previous handler. A program that installs a handler later must
/// pass faults to leat's handler in the same way. A thread that uses mapped files must not block
/// SIGBUS: the system ends a program whose fault is blocked.
///
/// Off: if leat's handler was not replaced, the previous handler is restored. From then on
/// map_file() reads files into memory, and leat maps no other file, such as a sidecar. Existing
/// mappings, also of a search that another thread has begun, then have no guard.
LEAT_API bool guard_mappings(bool on) noexcept;

}  // namespace v0
}  // namespace leat
