// Streams of files: to write one, to read one, to change one; and functions for whole files.
#pragma once

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

/// A stream into a file. It can be moved. The destructor closes it, but only close() reports
/// whether all went well.
///
/// fork() writes what the stream has buffered, so a program may go on in the child as after
/// daemon(3). Exceptions: other threads, slow pipes; see docs/streams.md. The child starts empty.
class LEAT_API [[nodiscard]] file_writer final : public detail::sole_writer {
 public:
  /// A closed stream.
  file_writer() noexcept;
  /// A stream over any device. It is closed if `target` is null. Messages call it `name`.
  explicit file_writer(std::unique_ptr<device> target, const writer_options& how = {},
                       std::string_view name = "<device>");
  file_writer(file_writer&& other) noexcept;
  file_writer& operator=(file_writer&& other) noexcept;
  ~file_writer();

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Some bytes may still be in the window.
  native_handle_type native_handle() const noexcept;
  /// Flushes and gives the descriptor to the caller; the stream is closed then. If flushing fails
  /// it throws io_error and keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;
  /// Closes without writing what is still in the window, and reports nothing. A `replace` stream
  /// leaves its target unchanged. Use it to give up on purpose.
  void discard() noexcept;

 private:
  friend class standard_sink;
  friend struct standard_streams;
  friend struct detail::opening;
  explicit file_writer(sink& below) noexcept : sole_writer(below) {}
  file_writer(const detail::options& how, opened_device target, std::string_view name);
};

/// Opens a new file, or empties an existing one. The first form throws io_error; the forms with
/// `ec` set it and return a closed stream.
LEAT_API file_writer create(path_ref path, const create_options& how = {});
LEAT_API file_writer create(path_ref path, std::error_code& ec);
LEAT_API file_writer create(path_ref path, const create_options& how, std::error_code& ec);

/// Opens a file to write at its end, and makes it if it does not exist. Several processes may
/// append to one file: the window is written up to the end of a line, so lines of up to 1 MiB stay
/// whole.
LEAT_API file_writer append(path_ref path, const append_options& how = {});
LEAT_API file_writer append(path_ref path, std::error_code& ec);
LEAT_API file_writer append(path_ref path, const append_options& how, std::error_code& ec);

/// Replaces a file as a whole: it writes a temporary file in the same folder, which close()
/// renames. So other programs read either the old content or the new. Without close() the target is
/// unchanged and the loss handler is called, unless an exception ends the stream's block: giving up
/// then is no loss.
///
/// The new file gets the mode of the target, its owner if the process may set it, and on Linux its
/// access list and extended attributes. Where these can't be kept, nobody gets more access than
/// before. A target that the process may not write is refused, as create() refuses it. Symbolic
/// links are followed, except those of strangers in a folder for all (Linux: protected_symlinks).
/// Other hard links of the target keep the old content.
///
/// The temporary file of NAME is `.NAME.00000000.tmp`. A program that is killed leaves it, and the
/// next `replace` that finds this name taken removes it: only plain files of the same user (on
/// Windows: that may be removed), and never one that a live program writes, which has a lock on it.
/// Several writers of one name at a time take the next numbers. What is left under these is removed
/// when a writer next finds the first name taken; beyond eight writers, or where the file system
/// has no locks, some may stay. NFS must share its locks between machines, as it does by default.
LEAT_API file_writer replace(path_ref path, const replace_options& how = {});
LEAT_API file_writer replace(path_ref path, std::error_code& ec);
LEAT_API file_writer replace(path_ref path, const replace_options& how, std::error_code& ec);

/// A stream out of a file. It can be moved. The destructor closes it.
class LEAT_API [[nodiscard]] file_reader final : public concrete_reader<file_reader> {
 public:
  /// A closed stream.
  file_reader() noexcept;
  /// A stream over any device. It is closed if `from` is null. Messages call it `name`.
  explicit file_reader(std::unique_ptr<device> from, const reader_options& how = {},
                       std::string_view name = "<device>");
  file_reader(file_reader&& other) noexcept;
  file_reader& operator=(file_reader&& other) noexcept;
  ~file_reader();

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Its offset is not the position of the stream.
  native_handle_type native_handle() const noexcept;
  /// Sets the descriptor's offset to the reader's position and gives the descriptor to the caller;
  /// the stream is closed then. On failure it throws io_error and keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;

 private:
  friend struct standard_streams;
  friend struct detail::opening;
  explicit file_reader(reader&& other) noexcept;
  file_reader(const detail::options& how, std::unique_ptr<device> from, std::string_view name);
};

/// Opens a file, a pipe or a terminal to read. The first form throws io_error; the forms with `ec`
/// set it and return a closed stream. A folder can be opened; its first read fails.
LEAT_API file_reader open(path_ref path, const open_options& how = {});
LEAT_API file_reader open(path_ref path, std::error_code& ec);
LEAT_API file_reader open(path_ref path, const open_options& how, std::error_code& ec);

/// For the arguments of a command: as open and create, but "-" is standard input or standard output
/// (and "./-" a file of that name).
///
/// `open_or_stdin("-")` takes over leat::in, with what it has read ahead; leat::in is closed then.
/// At its end it leaves the descriptor open, behind the last byte that was taken if it is a file. A
/// second "-" goes on there. `create_or_stdout("-")` is another name of leat::out: they share the
/// buffer, so lines of both keep their order. close() flushes, and reports what leat::out has lost;
/// leat::out goes on. Of the options, only `compression` and those of codecs apply to "-"; what is
/// written compressed is a stream of its own, behind what leat::out has written until then.
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

/// A file to read and to change, like C's "r+". One window serves both directions. A program may
/// read after a write, write after a read, or seek inside the window, without a flush and without a
/// system call. Reads see what was written; if that was lost and no call has reported it, the next
/// call that reads or seeks does. If a program changes two places in one window, the bytes between
/// them may be written too, with the values that were read.
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
  /// A stream over any device with positions. For another device, and for one that appends, it
  /// throws io_error, device_traits::refusal(). It is closed if `on` is null. Messages call it
  /// `name`.
  explicit file_stream(std::unique_ptr<device> on, const stream_options& how = {},
                       std::string_view name = "<device>");
  file_stream(file_stream&& other) noexcept;
  file_stream& operator=(file_stream&& other) noexcept;
  ~file_stream();

  /// The position at which the next byte is read or written.
  std::uint64_t tell() const noexcept { return reader::tell(); }
  /// Throws io_error, too, if bytes were lost and no call has reported it. The position does not
  /// change then.
  void seek(std::uint64_t position) { reader::seek(position); }
  void seek(std::uint64_t position, std::error_code& ec) noexcept { reader::seek(position, ec); }
  /// Flushes and closes the stream. Throws io_error if any byte was lost, or if a read failed and
  /// no call has reported it.
  void close() { writer::close(); }
  void close(std::error_code& ec) noexcept { writer::close(ec); }
  /// The first failed write; if there is none, the last failed read.
  std::error_code error() const noexcept;

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Some bytes may still be in the window.
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

/// A new file without a name, in the system's folder for temporary files: to write it, and to read
/// back what was written. It is removed when it is closed.
///
///     auto spill = leat::temporary_file();
///     for (const auto& row : rows) spill.println("{}", row);
///     spill.seek(0);
///     for (auto line : spill.lines()) …
LEAT_API file_stream temporary_file(const temporary_options& how = {});
LEAT_API file_stream temporary_file(std::error_code& ec);
LEAT_API file_stream temporary_file(const temporary_options& how, std::error_code& ec);

/// Writes what a killed process has left in `PATH.leat` to the file, as the next opening
/// to write does too; see leat::durability. Returns how many bytes. If a writer has the file open,
/// its bytes go into the file as well, and from then on each of its calls writes by itself.
LEAT_API std::uint64_t recover(path_ref path);
LEAT_API std::uint64_t recover(path_ref path, std::error_code& ec);

/// All bytes of a file. A file without a size, as in /proc, is read to its end.
LEAT_API std::string read_file(path_ref path);
LEAT_API std::string read_file(path_ref path, std::error_code& ec);

/// Writes a file with this content: a new one, or an existing one that is emptied first.
LEAT_API void write_file(path_ref path, std::string_view bytes);
LEAT_API void write_file(path_ref path, std::string_view bytes, std::error_code& ec);

/// Copies the rest of `from`, inside the kernel where both are files and the system can. Returns
/// the number of bytes taken from `from`. Throws io_error if either side fails; a failure of the
/// writer may be reported only by its flush or close. A copy of a file to its own end, which would
/// never end, fails with errc::same_file before it begins.
LEAT_API std::uint64_t copy(reader& from, writer& to);
LEAT_API std::uint64_t copy(reader& from, writer& to, std::error_code& ec);

/// Called with the number of bytes that have been copied so far, after each piece of up to 64 MiB.
/// An exception that it throws ends the copy.
using copy_progress = std::function<void(std::uint64_t done)>;
/// The same, and calls `progress` now and then.
LEAT_API std::uint64_t copy(reader& from, writer& to, const copy_progress& progress);
LEAT_API std::uint64_t copy(reader& from, writer& to, const copy_progress& progress,
                            std::error_code& ec);

/// Copies a file to a new one, or to an existing one that is emptied first, and gives it the
/// permissions of the first one (on Windows: read-only or not). Holes stay holes, on Linux. Returns
/// the number of bytes. The existing file is touched only after the first bytes were read; if a
/// later read or a write fails, a part of the copy may be there. A copy of a file to itself fails
/// with errc::same_file and changes nothing.
LEAT_API std::uint64_t copy_file(path_ref from, path_ref to);
LEAT_API std::uint64_t copy_file(path_ref from, path_ref to, std::error_code& ec);

/// Gives a file another name, on the same file system; a file that has that name is replaced. When
/// it returns, the file's bytes and its name survive a crash of the machine. What a killed process
/// has left beside the file (durability::process) goes into it first. If renaming was done and
/// syncing fails, it throws, too.
///
/// @since 0.3
LEAT_API void rename_durably(path_ref from, path_ref to);
LEAT_API void rename_durably(path_ref from, path_ref to, std::error_code& ec);

}  // namespace v0
}  // namespace leat
