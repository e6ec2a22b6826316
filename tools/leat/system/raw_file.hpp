// Files by system calls alone: the baseline of programs without a library. The experiments and
// `leat tune` use these classes.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "system/platform.hpp"

namespace bench {

/// `create` makes a new file, or truncates an existing file.
enum class access { read, write, update, create };

/// Hints for the system when a file is opened.
enum class hint {
  none,
  sequential,  // sequential reads; used only on Windows
  direct       // direct I/O; fails if the system does not support it
};

/// A file by system calls alone. A function whose system call fails throws `failure`, except
/// announce() and the destructor.
class raw_file {
 public:
  explicit raw_file(const std::filesystem::path& path, access mode = access::create,
                    hint open_hint = hint::none);
  raw_file(const raw_file&) = delete;
  raw_file& operator=(const raw_file&) = delete;
  ~raw_file();

  leat::native_handle_type get() const { return handle_; }
  /// Transfers ownership of the handle: the caller must close it.
  leat::native_handle_type release();
  void write(std::string_view bytes);
  /// Reads by one system call. Returns the number of bytes, 0 at the end of the file.
  std::size_t read(char* to, std::size_t size);
  /// read_at() and write_at() make one system call, and fail if the call moves too few bytes.
  void read_at(std::uint64_t at, char* to, std::size_t size) const;
  void write_at(std::uint64_t at, std::string_view bytes) const;
  /// Announces a read to the system. Does nothing on Windows and macOS, which lack posix_fadvise.
  void announce(std::uint64_t at, std::size_t size) const;
  void sync();
  /// Like sync(), without metadata that reading does not need, such as times. On Windows and macOS,
  /// does the same as sync().
  void sync_data();
  void close();

 private:
  std::filesystem::path path_;
  leat::native_handle_type handle_;
};

/// A file mapped by system calls. The file must not be empty. The constructor throws `failure`, or
/// std::filesystem::filesystem_error if the file has no size.
class mapped_bytes {
 public:
  explicit mapped_bytes(const std::filesystem::path& path, access mode = access::read);
  mapped_bytes(const mapped_bytes&) = delete;
  mapped_bytes& operator=(const mapped_bytes&) = delete;
  ~mapped_bytes();

  std::string_view view() const { return {data_, size_}; }
  /// Writable if the file was mapped with access::update.
  char* data() { return data_; }

 private:
  char* data_;
  std::size_t size_;
};

/// Asks the system to drop a file from the page cache. The file's pages must be clean. Returns true
/// only if the system reports that no page of the file is left in the cache. On Windows and macOS,
/// does nothing and returns false. On other systems, throws `failure` if the file cannot be opened
/// or is empty.
bool drop_from_cache(const std::filesystem::path& path);

/// True if hint::direct bypasses the page cache. Wine accepts the flag, but reads through the
/// cache.
bool direct_bypasses_cache();

}  // namespace bench
