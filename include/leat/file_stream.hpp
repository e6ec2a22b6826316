// File streams: file_writer, file_reader and file_stream; and functions for whole files.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/bytes.hpp>
#include <leat/detail/function.hpp>
#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>
#include <leat/options.hpp>
#include <leat/path.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

struct opened_device;
namespace detail {
struct opening;
}

/// An output stream to a file. Movable. The destructor closes the stream, and gives unreported
/// failures to the loss handler. Exception: the destructor drops a file that appears only with
/// close(), such as the file of a `replace` stream or an object in object storage.
///
/// fork() first writes the stream's buffered bytes, so a program can continue in the child, as
/// after daemon(3). The child's buffer is empty. Exceptions: other threads, slow pipes, `replace`
/// streams; see docs/streams.md.
class LEAT_API [[nodiscard]] file_writer final : public detail::sole_writer {
 public:
  /// A closed stream.
  file_writer() noexcept;
  /// A stream over any device, which the stream owns. If `target` is null, the stream is closed.
  /// `name` is for messages.
  explicit file_writer(std::unique_ptr<device> target, const writer_options& how = {},
                       std::string_view name = "<device>");
  file_writer(file_writer&& other) noexcept;
  file_writer& operator=(file_writer&& other) noexcept;
  ~file_writer();

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Some bytes may still be in the buffer.
  native_handle_type native_handle() const noexcept;
  /// Flushes, closes the stream, and returns the descriptor, which the caller then owns. On
  /// failure, throws io_error, and the stream stays open and keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;
  /// Closes the stream without writing the bytes in the buffer, and reports nothing. A `replace`
  /// stream leaves its target unchanged. Use discard() to give up on purpose.
  void discard() noexcept;

 private:
  friend class standard_sink;
  friend struct standard_streams;
  friend struct detail::opening;
  explicit file_writer(sink& below) noexcept : sole_writer(below) {}
  file_writer(const detail::options& how, opened_device target, std::string_view name);
};

/// Opens a new file, or empties an existing file. The first form throws io_error; the forms with
/// `ec` set it and return a closed stream.
LEAT_API file_writer create(path_ref path, const create_options& how = {});
LEAT_API file_writer create(path_ref path, std::error_code& ec);
LEAT_API file_writer create(path_ref path, const create_options& how, std::error_code& ec);

/// Opens a file to write at its end; creates a missing file. Several processes may append to one
/// file: the buffer is written up to the end of a line. So if no flush comes within a line, lines
/// of up to 1 MiB stay whole.
LEAT_API file_writer append(path_ref path, const append_options& how = {});
LEAT_API file_writer append(path_ref path, std::error_code& ec);
LEAT_API file_writer append(path_ref path, const append_options& how, std::error_code& ec);

/// Replaces a file atomically: writes a temporary file in the same folder, and close() renames the
/// temporary file to the path. So other programs read either the old content or the new. Without
/// close() the target is unchanged and the loss handler is called. If an exception ends the
/// stream's block, the handler is not called.
///
/// The new file gets the mode of the target, its owner if the process may set it, and on Linux its
/// access list and extended attributes. If one of these properties can't be kept, no user gets more
/// access than before. A target without write permission is an error, as in create(). Symbolic
/// links are followed, except links of other users in a world-writable sticky folder (Linux:
/// protected_symlinks). Other hard links of the target keep the old content.
///
/// The temporary file of NAME is `.NAME.00000000.tmp`. A killed program leaves this file, and the
/// next `replace` that finds the name taken removes the file. Only regular files of the same user
/// are removed; on Windows, files that the process may remove. The file of a live writer, which
/// holds a lock, is never removed. Concurrent writers of one name take the next numbers. If a
/// writer finds the first name taken, the writer also removes leftover files with these numbers.
/// After more than eight concurrent writers, or on a file system without locks, some leftover files
/// may stay. NFS must share its locks between machines, as it does by default.
LEAT_API file_writer replace(path_ref path, const replace_options& how = {});
LEAT_API file_writer replace(path_ref path, std::error_code& ec);
LEAT_API file_writer replace(path_ref path, const replace_options& how, std::error_code& ec);

/// An input stream from a file. Movable. The destructor closes the stream.
class LEAT_API [[nodiscard]] file_reader final : public concrete_reader<file_reader> {
 public:
  /// A closed stream.
  file_reader() noexcept;
  /// A stream over any device, which the stream owns. If `from` is null, the stream is closed.
  /// `name` is for messages.
  explicit file_reader(std::unique_ptr<device> from, const reader_options& how = {},
                       std::string_view name = "<device>");
  file_reader(file_reader&& other) noexcept;
  file_reader& operator=(file_reader&& other) noexcept;
  ~file_reader();

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. The descriptor's offset is not the stream's
  /// position.
  native_handle_type native_handle() const noexcept;
  /// Sets the descriptor's offset to the reader's position, closes the stream, and returns the
  /// descriptor, which the caller then owns. On failure, throws io_error; the stream stays open. On
  /// a pipe or terminal, the error is invalid_seek if the buffer has unread bytes, which would be
  /// lost.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;

 private:
  friend struct standard_streams;
  friend struct detail::opening;
  explicit file_reader(reader&& other) noexcept;
  file_reader(const detail::options& how, std::unique_ptr<device> from, std::string_view name);
};

/// Opens a file, a pipe or a terminal to read. The first form throws io_error; the forms with `ec`
/// set it and return a closed stream. Opening a folder succeeds; its first read fails.
LEAT_API file_reader open(path_ref path, const open_options& how = {});
LEAT_API file_reader open(path_ref path, std::error_code& ec);
LEAT_API file_reader open(path_ref path, const open_options& how, std::error_code& ec);

/// For the arguments of a command: as open and create, but "-" means standard input or standard
/// output ("./-" is a file named "-").
///
/// `open_or_stdin("-")` takes over leat::in with its buffered input; leat::in is then closed.
/// Closing the new stream leaves the descriptor open; in a file, the descriptor's offset is after
/// the last byte that was taken. A second "-" continues at this offset. `create_or_stdout("-")`
/// shares the buffer of leat::out, so lines of both keep their order. close() flushes and reports
/// the losses of leat::out, which stays open. Without `compression`, the options do not apply to
/// "-". Compressed output is a separate stream after the bytes that leat::out has written.
///
///     for (auto& name : arguments) {
///       auto in = leat::open_or_stdin(name);
///       leat::copy(in, leat::out);
///     }
LEAT_API file_reader open_or_stdin(path_ref path, const open_options& how = {});
LEAT_API file_reader open_or_stdin(path_ref path, std::error_code& ec);
LEAT_API file_reader open_or_stdin(path_ref path, const open_options& how, std::error_code& ec);
LEAT_API file_writer create_or_stdout(path_ref path, const create_options& how = {});
LEAT_API file_writer create_or_stdout(path_ref path, std::error_code& ec);
LEAT_API file_writer create_or_stdout(path_ref path, const create_options& how,
                                      std::error_code& ec);

/// A file for reading and writing, like C's "r+". One buffer serves both directions. A program may
/// read after a write, write after a read, or seek inside the buffer, without a flush and without a
/// system call. Reads see earlier writes; the next call that reads or seeks reports an unreported
/// loss. If a program changes two positions in one buffer, the bytes between them may be written
/// too, with the values that were read.
///
///     auto table = leat::update("table.bin");
///     table.seek(128);
///     table.read_exactly(leat::bytes_of(header));
///     table.seek(128);
///     table.write(leat::bytes_of(++header.version));
class LEAT_API [[nodiscard]] file_stream final : public concrete_reader<file_stream>,
                                                 public writer {
 public:
  /// A closed stream.
  file_stream() noexcept;
  /// A stream over any device with positions, which the stream owns. Throws io_error,
  /// device_traits::refusal(), for a device without positions and for a device that appends. If
  /// `on` is null, the stream is closed. `name` is for messages.
  explicit file_stream(std::unique_ptr<device> on, const stream_options& how = {},
                       std::string_view name = "<device>");
  file_stream(file_stream&& other) noexcept;
  file_stream& operator=(file_stream&& other) noexcept;
  ~file_stream();

  /// The position at which the next byte is read or written.
  std::uint64_t tell() const noexcept { return reader::tell(); }
  /// As reader::seek; also throws io_error for an unreported loss, and then does not move.
  void seek(std::uint64_t position) { reader::seek(position); }
  void seek(std::uint64_t position, std::error_code& ec) noexcept { reader::seek(position, ec); }
  /// Flushes and closes the stream. If any byte was lost, if a read failed and no call has reported
  /// this failure, or if closing fails, throws io_error.
  void close() { writer::close(); }
  void close(std::error_code& ec) noexcept { writer::close(ec); }
  /// Returns the error of the first failed write. If no write has failed, returns the error of the
  /// last failed read, or a zero code.
  std::error_code error() const noexcept;

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Some bytes may still be in the buffer.
  native_handle_type native_handle() const noexcept;

 private:
  friend struct detail::opening;
  file_stream(const detail::options& how, std::unique_ptr<device> on, std::string_view name);
};

/// Opens an existing file to read and to change it. The first form throws io_error; the forms with
/// `ec` set it and return a closed stream. The error is invalid_seek for pipes and terminals.
LEAT_API file_stream update(path_ref path, const update_options& how = {});
LEAT_API file_stream update(path_ref path, std::error_code& ec);
LEAT_API file_stream update(path_ref path, const update_options& how, std::error_code& ec);

/// A new unnamed file in the system's folder for temporary files, for writing and reading back.
/// Closing removes the file.
///
///     auto spill = leat::temporary_file();
///     for (const auto& row : rows) spill.println("{}", row);
///     spill.seek(0);
///     for (auto line : spill.lines()) …
LEAT_API file_stream temporary_file(const temporary_options& how = {});
LEAT_API file_stream temporary_file(std::error_code& ec);
LEAT_API file_stream temporary_file(const temporary_options& how, std::error_code& ec);

/// Recovers the bytes that a killed process has left in `PATH.leat`: writes these bytes to the
/// file, as the next opening for writing does; see leat::durability. Returns the number of bytes.
/// If a writer has the file open, its pending bytes are written to the file too, and from then on
/// each of its calls writes directly.
LEAT_API std::uint64_t recover(path_ref path);
LEAT_API std::uint64_t recover(path_ref path, std::error_code& ec);

/// Returns all bytes of a file. A file without a size, as in /proc, is read to its end. After an
/// error the form with `ec` returns an empty string.
LEAT_API std::string read_file(path_ref path);
LEAT_API std::string read_file(path_ref path, std::error_code& ec);

/// Creates or truncates a file, and writes these bytes.
LEAT_API void write_file(path_ref path, std::string_view bytes);
LEAT_API void write_file(path_ref path, std::string_view bytes, std::error_code& ec);

/// Copies the rest of `from`, inside the kernel if the system can do this for the two files or
/// pipes. Returns the number of bytes taken from `from`. If either side fails, throws io_error; a
/// failure of the writer may be reported only by its flush or close. Copying a file to its own end,
/// which would never end, and copying a file_stream to itself fail with errc::same_file and copy
/// nothing.
LEAT_API std::uint64_t copy(reader& from, writer& to);
LEAT_API std::uint64_t copy(reader& from, writer& to, std::error_code& ec);

/// Called with the number of bytes copied so far, after each piece: the buffer of `from`, or up to
/// 64 MiB copied inside the kernel. An exception from the function ends the copy.
using copy_progress = std::function<void(std::uint64_t done)>;
/// As copy() above; calls `progress`.
LEAT_API std::uint64_t copy(reader& from, writer& to, const copy_progress& progress);
LEAT_API std::uint64_t copy(reader& from, writer& to, const copy_progress& progress,
                            std::error_code& ec);

/// Copies a file and its permissions (on Windows, the read-only attribute) to a new file, or to an
/// existing file. On Linux, holes of sparse files are kept. Returns the number of bytes. An
/// existing file is truncated after the first bytes were read; if a later read or a write fails, a
/// partial copy may stay. A copy of a file to itself fails with errc::same_file and changes
/// nothing.
LEAT_API std::uint64_t copy_file(path_ref from, path_ref to);
LEAT_API std::uint64_t copy_file(path_ref from, path_ref to, std::error_code& ec);

/// Renames a file on the same file system, and replaces an existing file of the new name. After the
/// return, the file's bytes and its name survive a crash of the machine. First recovers the pending
/// bytes of a killed process (durability::process). The process must have the right to read the
/// file. Even if the rename succeeded and only the sync failed, throws io_error.
///
/// @since 0.3
LEAT_API void rename_durably(path_ref from, path_ref to);
LEAT_API void rename_durably(path_ref from, path_ref to, std::error_code& ec);

}  // namespace v0
}  // namespace leat
