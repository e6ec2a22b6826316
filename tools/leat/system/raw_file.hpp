// Files by system calls alone: what a program can do without a library.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "system/platform.hpp"

namespace bench {

/// `create` makes a new file, or empties the one that is there.
enum class access { read, write, update, create };

/// What the system is told about a file when the file is opened.
enum class hint {
  none,
  sequential,  // reads follow one another; only Windows is told
  direct       // goes past the system's cache; fails where the system has no such access
};

/// A file by system calls alone. Every function throws `failure`.
class raw_file {
 public:
  explicit raw_file(const std::filesystem::path& path, access what = access::create,
                    hint how = hint::none);
  raw_file(const raw_file&) = delete;
  raw_file& operator=(const raw_file&) = delete;
  ~raw_file();

  leat::native_handle_type get() const { return handle_; }
  /// The caller closes the handle from now on.
  leat::native_handle_type release();
  void write(std::string_view bytes);
  /// One system call. Returns 0 at the end of the file.
  std::size_t read(char* to, std::size_t size);
  /// Reads exactly `size` bytes.
  void read_at(std::uint64_t at, char* to, std::size_t size) const;
  void write_at(std::uint64_t at, std::string_view bytes) const;
  /// Tells the system what will be read soon. Windows and macOS have no such call: nothing happens.
  void announce(std::uint64_t at, std::size_t size) const;
  void sync();
  /// As sync, but without times and other facts that reading the bytes does not need.
  void sync_data();
  void close();

 private:
  std::filesystem::path path_;
  leat::native_handle_type handle_;
};

/// A file mapped by system calls. The file must not be empty.
class mapped_bytes {
 public:
  explicit mapped_bytes(const std::filesystem::path& path, access what = access::read);
  mapped_bytes(const mapped_bytes&) = delete;
  mapped_bytes& operator=(const mapped_bytes&) = delete;
  ~mapped_bytes();

  std::string_view view() const { return {data_, size_}; }
  /// May be written to if the file was mapped with access::update.
  char* data() { return data_; }

 private:
  char* data_;
  std::size_t size_;
};

/// Asks the system to forget what it caches of a file. The file's pages must be clean. Returns
/// whether the system certainly forgot all of it.
bool drop_from_cache(const std::filesystem::path& path);

/// Whether a file that was opened with hint::direct is read past the cache. Wine opens such a file,
/// but reads it through the cache.
bool obeys_direct();

}  // namespace bench
