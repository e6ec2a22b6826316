// What the command asks of the system. Each platform has its own implementation of this, and
// system calls stand nowhere else: posix_system.cpp, windows_system.cpp.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// --- peers: what a program can do without a library ----------------------------------------------

#if defined(_WIN32)
inline constexpr bool on_windows = true;
inline constexpr auto read_call = "ReadFile";
inline constexpr auto write_call = "WriteFile";
inline constexpr auto map_call = "MapViewOfFile";
inline constexpr auto null_device = "NUL";
#else
inline constexpr bool on_windows = false;
inline constexpr auto read_call = "read(2)";
inline constexpr auto write_call = "write(2)";
inline constexpr auto map_call = "mmap";
inline constexpr auto null_device = "/dev/null";
#endif

enum class access { read, write, update, create };  // create: or empties what is there
/// What a system is told of a file that it opens.
enum class hint {
  none,
  sequential,  // where it can be told so when a file is opened
  direct       // past its cache; fails where there is no such thing
};

/// A file by system calls alone. Throws failure.
class raw_file {
 public:
  explicit raw_file(const std::filesystem::path& path, access what = access::create,
                    hint how = hint::none);
  raw_file(const raw_file&) = delete;
  raw_file& operator=(const raw_file&) = delete;
  ~raw_file();

  leat::native_handle_type get() const { return handle_; }
  /// Whose it is from now on.
  leat::native_handle_type release();

  void write(std::string_view bytes);
  /// One system call; 0 at the end.
  std::size_t read(char* to, std::size_t size);
  /// Exactly so many.
  void read_at(std::uint64_t at, char* to, std::size_t size) const;
  void write_at(std::uint64_t at, std::string_view bytes) const;
  /// Tells the system what will be read soon, where it wants to know.
  void announce(std::uint64_t at, std::size_t size) const;
  void sync();
  void close();

 private:
  std::filesystem::path path_;
  leat::native_handle_type handle_;
};

/// A file that is not empty, mapped by hand.
class mapped_bytes {
 public:
  explicit mapped_bytes(const std::filesystem::path& path, access what = access::read);
  mapped_bytes(const mapped_bytes&) = delete;
  mapped_bytes& operator=(const mapped_bytes&) = delete;
  ~mapped_bytes();

  std::string_view view() const { return {data_, size_}; }
  /// To be written to with access::update.
  char* data() { return data_; }

 private:
  char* data_;
  std::size_t size_;
};

/// fopen, for any path.
std::FILE* open_c_file(const std::filesystem::path& path, const char* mode);

/// Asks the system to forget what it caches of a file whose pages are clean, and returns whether it
/// certainly did.
bool drop_from_cache(const std::filesystem::path& path);

/// Whether hint::direct is obeyed where a file can be opened so: Wine does not.
bool obeys_direct();

bool is_installed(const char* program);

#if !defined(_WIN32)
/// How a program ended, and what it has asked read(2) for, where the system tells.
struct ended_program {
  int code = 0;
  std::optional<std::uint64_t> bytes_read;
};
/// Runs a program that says nothing; throws failure if it does not end by itself.
ended_program run_quietly(const std::vector<std::string>& words);
#endif

// --- the command itself --------------------------------------------------------------------------

/// Its arguments in UTF-8, the first of which is its name.
std::vector<std::string> arguments_of(int argc, char** argv);

/// The two clocks of a measurement: seconds from any fixed point, of the wall, and of the
/// processor's work for this process and the children that it has waited for, the kernel's part
/// included. Tests put their own here.
struct clocks {
  std::function<double()> wall;
  std::function<double()> cpu;
};
clocks real_clocks();

/// Makes a folder that nobody else has a name for, and whose name begins so.
std::filesystem::path make_private_folder(const std::filesystem::path& in, std::string_view prefix);

/// A reader that went away and a limit on file sizes are errors like any other from here on.
void ignore_broken_output();

/// Has the interrupts of a terminal, and a system that wants the program to end, call this instead.
void on_interrupt(void (*note)());

enum class output { standard, error };
/// Whether somebody looks, and sequences of escape characters are understood.
bool is_terminal(output which);
/// 0 where nobody looks, or nothing tells.
int terminal_width();

}  // namespace bench
