// What the command asks of the system: its process, its terminal, other programs.
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

/// The command's arguments in UTF-8. The first one is its name.
std::vector<std::string> arguments_of(int argc, char** argv);

/// The two clocks of a measurement, in seconds from any fixed point. Tests have clocks of their
/// own.
struct clocks {
  std::function<double()> wall;
  /// The processor's time for this process and for the children that it has waited for, with the
  /// kernel's part.
  std::function<double()> cpu;
};
clocks real_clocks();

/// Makes a folder with a new name that begins with `prefix`. Throws `failure`.
std::filesystem::path make_private_folder(const std::filesystem::path& in, std::string_view prefix);

/// From here on a write fails with an error, and no signal ends the command, where the reader of
/// its output went away or a file reached its size limit.
void ignore_broken_output();

/// Has the system call `note` instead of ending the command: for Ctrl-C, and where the terminal or
/// the system goes away.
void on_interrupt(void (*note)());

/// Waits, but only as long as somebody reads standard output. Once nobody does, it ends the command
/// as a write would; returns false where that signal is ignored. On Windows only a write finds out.
bool wait_while_output_is_read(std::chrono::milliseconds time);

enum class output { standard, error };

/// Whether a terminal shows this output, and the terminal understands escape sequences.
bool is_terminal(output which);

/// Columns, or 0 where there is no terminal or it does not tell.
int terminal_width();

bool is_installed(const char* program);

/// The same for all names of a file, and for no two files. Nothing if the path leads to no file.
using file_identity = std::array<std::uint64_t, 2>;
std::optional<file_identity> identity_of(const std::filesystem::path& path);

/// How another program ended.
struct ended_program {
  int code = 0;
  std::optional<std::uint64_t> bytes_read;  // by its system calls; Linux only
};

/// Runs a program whose output goes nowhere. Throws failure if the program does not end by itself,
/// and on Windows, where no experiment starts one.
ended_program run_quietly(const std::vector<std::string>& words);

/// A pipe with another program at its other end. Nothing else reaches the program: it has no input,
/// or nobody sees its output. Every function throws failure; on Windows all do.
class program_pipe {
 public:
  /// Reads what the program says.
  explicit program_pipe(const std::vector<std::string>& words);
  /// Writes what the program is told; its output makes a file.
  program_pipe(const std::vector<std::string>& words, const std::filesystem::path& output);
  program_pipe(const program_pipe&) = delete;
  program_pipe& operator=(const program_pipe&) = delete;
  ~program_pipe();

  std::FILE* get() const { return file_; }
  leat::native_handle_type handle() const;
  /// Waits for the program, and fails if it or the pipe did.
  void close();

 private:
  std::string name_;
  std::FILE* file_ = nullptr;
  int child_ = 0;
};

}  // namespace bench
