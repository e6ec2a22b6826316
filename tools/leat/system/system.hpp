// The command's interface to the system: process, terminal, other programs. All parts of the
// command call these functions.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The command's arguments in UTF-8. The first argument is the command's name.
std::vector<std::string> arguments_of(int argc, char** argv);

/// The two clocks of a measurement, in seconds from any fixed point. Tests use their own clocks.
struct clocks {
  std::function<double()> wall;
  /// CPU time, including the kernel's part, of this process and of the children that this process
  /// has waited for. On Windows, the time of children is not included.
  std::function<double()> cpu;
};
clocks real_clocks();

/// Makes a folder with a new name that begins with `prefix`, and returns its path. The caller
/// removes the folder. Throws `failure`.
std::filesystem::path make_private_folder(const std::filesystem::path& parent,
                                          std::string_view prefix);

/// From now on, if the reader of the output is gone or a file has reached its size limit, a write
/// fails with an error and not with a signal.
void ignore_broken_output();

/// Replaces the default action of Ctrl-C, hang-up and termination by a call of `handler`. `handler`
/// runs in a signal handler, on Windows in another thread. Signals that are ignored stay ignored.
void on_interrupt(void (*handler)());

/// Waits for `time`, and returns true. If the reader of standard output is gone, raises the signal
/// that a write would raise; returns false if that signal is ignored. On Windows only a write
/// detects a missing reader.
bool wait_while_output_is_read(std::chrono::milliseconds time);

enum class output { standard, error };

/// True if the output is a terminal; on Windows, only if the terminal also understands escape
/// sequences.
bool is_terminal(output which);

/// Returns the number of columns of the terminal of standard output; 0 if standard output is no
/// terminal or the width is unknown.
int terminal_width();

/// True if the system finds the program by its name: in PATH, on Windows also in other folders.
bool is_installed(const char* program);

/// An identity is equal for all names of a file, and different for different files. If the path
/// leads to no file, identity_of() returns nothing.
using file_identity = std::array<std::uint64_t, 2>;
std::optional<file_identity> identity_of(const std::filesystem::path& path);

/// How another program ended.
struct program_result {
  int code = 0;
  std::optional<std::uint64_t> bytes_read;  // by the program's system calls; Linux only
};

/// Runs a program and discards its output. Throws `failure` if the program cannot be started, as
/// always on Windows, or if a signal ends the program.
program_result run_quietly(const std::vector<std::string>& words);

/// A pipe to or from another program. The program's error output is discarded. A function that
/// fails throws `failure`; on Windows the constructors always do.
class program_pipe {
 public:
  /// Reads the program's output. The program has no input.
  explicit program_pipe(const std::vector<std::string>& words);
  /// Writes the program's input; the program's output goes to a file.
  program_pipe(const std::vector<std::string>& words, const std::filesystem::path& output);
  program_pipe(const program_pipe&) = delete;
  program_pipe& operator=(const program_pipe&) = delete;
  ~program_pipe();

  std::FILE* get() const { return file_; }
  leat::native_handle_type handle() const;
  /// Closes the pipe, and waits for the program. If the program or the pipe failed, throws.
  void close();

 private:
  program_pipe() = default;

  std::string name_;
  std::FILE* file_ = nullptr;
  int child_ = 0;
};

}  // namespace bench
