// Files as memory: all bytes at once, and a reader over them.
#pragma once

#include <leat/file_stream.hpp>

#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// A file in memory, to read. Its window is the whole file, so that lines(), find() and parse()
/// copy nothing and a search touches no page behind its hit. Movable; closes itself.
///
/// What can't be mapped is read into memory when it is opened: pipes, files without a size as in
/// /proc, and every file after guard_mappings(false). Such a copy does not change any more; a
/// mapping shows what others write to the file.
///
/// Where another process makes the file shorter, the bytes that are gone read as zeros. The reader
/// tells of it where its window ends (errc::file_shrank, at the first byte that is missing), and so
/// do error() and close(). A part of the file that the system fails to read is told in the same
/// way, as io_error.
class LEAT_API mapped_file final : public reader {
 public:
  /// A closed stream.
  mapped_file() noexcept;
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  ~mapped_file();

  /// All bytes of the file, wherever the reader is; valid until it is closed. Several threads may
  /// read them. Zero bytes count only if error() is zero after they have been read.
  std::string_view view() const noexcept { return view_; }

  /// False when closed, moved from, or never opened.
  bool is_open() const noexcept;
  /// The descriptor of the file, or no_handle. The mapping does not use its offset.
  native_handle_type native_handle() const noexcept;

 private:
  friend class mapping_source;
  std::string_view view_;
};

/// Opens a file and maps it. Of the options `pattern` counts: sequential reads further ahead from
/// the disk, random reads nothing ahead. All three throw io_error, or fill `ec` and return a closed
/// stream.
///
///     auto text = leat::map_file("big.csv");
///     for (std::string_view line : text.lines()) use(line);
LEAT_API mapped_file map_file(path_ref path, const options& how = {});
LEAT_API mapped_file map_file(path_ref path, std::error_code& ec);
LEAT_API mapped_file map_file(path_ref path, const options& how, std::error_code& ec);

/// Whether files are mapped at all; returns what was so before. It is on at first.
///
/// A mapping whose file shrinks makes the system send SIGBUS. The first map_file() installs a
/// handler that puts zeros where bytes are missing, and passes all other faults to the handler
/// before it. A program that installs its own later has to do the same for leat's.
///
/// Off: the handler before is put back, unless somebody has replaced leat's, and map_file() reads
/// files into memory from now on. Mappings that exist are without the guard then.
LEAT_API bool guard_mappings(bool on) noexcept;

}  // namespace v0
}  // namespace leat
