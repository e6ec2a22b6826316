// Streams of files: opening one to write, to read or to change it, and what takes a file as a
// whole.
#pragma once

#include <leat/bytes.hpp>
#include <leat/device.hpp>
#include <leat/options.hpp>
#include <leat/path.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// A stream into a file. Movable; closes itself, but only close() can tell you that all went well.
///
/// Fork: a child process starts with empty windows, so that what the parent had buffered is written
/// once, by the parent. The child may go on writing to the stream.
class LEAT_API file_writer final : public writer {
 public:
  /// A closed stream.
  file_writer() noexcept;
  /// A stream over any device, closed if there is none; `name` stands in messages.
  explicit file_writer(std::unique_ptr<device> target, const options& how = {},
                       std::string_view name = "<device>");
  file_writer(file_writer&& other) noexcept;
  file_writer& operator=(file_writer&& other) noexcept;
  ~file_writer();

  /// False when closed, moved from, or never opened.
  bool is_open() const noexcept;
  /// The descriptor behind the stream, or no_handle. Bytes may still be in the window.
  native_handle_type native_handle() const noexcept;
  /// Flushes and gives the descriptor to the caller; the stream is closed then. Throws io_error,
  /// and then keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;
  /// Closes without writing what is still in the window; a `replace` stream leaves its target as
  /// it was. For giving up on purpose: nothing is reported.
  void discard() noexcept;

 private:
  friend class standard_sink;
  explicit file_writer(sink& below) noexcept : writer(below) {}
};

/// Opens a new file, or empties the one that is there. All three throw io_error, or fill `ec` and
/// return a closed stream.
LEAT_API file_writer create(path_ref path, const options& how = {});
LEAT_API file_writer create(path_ref path, std::error_code& ec);
LEAT_API file_writer create(path_ref path, const options& how, std::error_code& ec);

/// Writes behind the end of a file, which is made if there is none. Several processes may append to
/// one file: the window is handed on at ends of lines, so lines of up to 1 MiB stay whole.
LEAT_API file_writer append(path_ref path, const options& how = {});
LEAT_API file_writer append(path_ref path, std::error_code& ec);
LEAT_API file_writer append(path_ref path, const options& how, std::error_code& ec);

/// Replaces a file as a whole: writes a temporary file beside it, which close() renames, so that
/// readers see the old content or the new. Keeps the target's mode and owner (as far as the process
/// may) and follows symbolic links. Without close() the target stays and the loss handler is told.
LEAT_API file_writer replace(path_ref path, const options& how = {});
LEAT_API file_writer replace(path_ref path, std::error_code& ec);
LEAT_API file_writer replace(path_ref path, const options& how, std::error_code& ec);

/// A nameless file in the system's folder for temporary files, open for reading and writing through
/// its native_handle(); gone when it is closed.
LEAT_API file_writer temporary_file(const options& how = {});
LEAT_API file_writer temporary_file(std::error_code& ec);
LEAT_API file_writer temporary_file(const options& how, std::error_code& ec);

/// A stream out of a file. Movable; closes itself.
class LEAT_API file_reader final : public reader {
 public:
  /// A closed stream.
  file_reader() noexcept;
  /// A stream over any device, closed if there is none; `name` stands in messages.
  explicit file_reader(std::unique_ptr<device> from, const options& how = {},
                       std::string_view name = "<device>");
  file_reader(file_reader&& other) noexcept;
  file_reader& operator=(file_reader&& other) noexcept;
  ~file_reader();

  /// False when closed, moved from, or never opened.
  bool is_open() const noexcept;
  /// The descriptor behind the stream, or no_handle. Its own offset does not follow the stream.
  native_handle_type native_handle() const noexcept;
  /// Gives the descriptor to the caller, its offset where the reader is; the stream is closed then.
  /// Throws io_error, and then keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;
};

/// Opens a file, a pipe or a terminal to read. All three throw io_error, or fill `ec` and return a
/// closed stream. Reading a folder is an error of the first read.
LEAT_API file_reader open(path_ref path, const options& how = {});
LEAT_API file_reader open(path_ref path, std::error_code& ec);
LEAT_API file_reader open(path_ref path, const options& how, std::error_code& ec);

/// A file to read and to change, C's "r+" made safe: one window serves both directions, and going
/// from one to the other, or to a place inside the window, needs no system call and no ceremony.
/// Reads see what was written. Where two changes in one window are written, the bytes between them
/// are written too, as they were read.
///
///     auto table = leat::update("table.bin");
///     table.seek(128);
///     table.read_exactly(leat::bytes_of(header));
///     table.seek(128);
///     table.write(leat::bytes_of(++header.version));
class LEAT_API file_stream final : public reader, public writer {
 public:
  /// A closed stream.
  file_stream() noexcept;
  /// A stream over any device that has positions (else throws io_error: invalid_seek), closed if
  /// there is none; `name` stands in messages.
  explicit file_stream(std::unique_ptr<device> on, const options& how = {},
                       std::string_view name = "<device>");
  file_stream(file_stream&& other) noexcept;
  file_stream& operator=(file_stream&& other) noexcept;
  ~file_stream();

  /// Where the next byte is read or written.
  std::uint64_t tell() const noexcept { return reader::tell(); }
  void seek(std::uint64_t position) { reader::seek(position); }
  void seek(std::uint64_t position, std::error_code& ec) noexcept { reader::seek(position, ec); }
  /// Flushes, ends the stream and throws io_error if any byte was lost, or a read failed that
  /// nobody was told of.
  void close() { writer::close(); }
  void close(std::error_code& ec) noexcept { writer::close(ec); }
  /// The first failed write, else the last failed read.
  std::error_code error() const noexcept;

  /// False when closed, moved from, or never opened.
  bool is_open() const noexcept;
  /// The descriptor behind the stream, or no_handle. Bytes may still be in the window.
  native_handle_type native_handle() const noexcept;
};

/// Opens a file that is there to read and to change it. All three throw io_error, or fill `ec` and
/// return a closed stream; invalid_seek for pipes and terminals. There is no flush_interval,
/// background or preallocate here (invalid_argument), and no caching::direct.
LEAT_API file_stream update(path_ref path, const options& how = {});
LEAT_API file_stream update(path_ref path, std::error_code& ec);
LEAT_API file_stream update(path_ref path, const options& how, std::error_code& ec);

/// All bytes of a file; one without a size, as in /proc, is read to its end.
LEAT_API std::string read_file(path_ref path);
LEAT_API std::string read_file(path_ref path, std::error_code& ec);

/// Makes these bytes the content of a file, new or emptied first.
LEAT_API void write_file(path_ref path, std::string_view bytes);
LEAT_API void write_file(path_ref path, std::string_view bytes, std::error_code& ec);

/// Copies all that is left of `from`, inside the kernel where both are files and it can. Returns
/// the bytes taken from `from`. Throws io_error for either side; of the writer's failures at the
/// latest its flush or close tells.
LEAT_API std::uint64_t copy(reader& from, writer& to);
LEAT_API std::uint64_t copy(reader& from, writer& to, std::error_code& ec);

}  // namespace v0
}  // namespace leat
