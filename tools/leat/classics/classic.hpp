// Shared by the small commands (cat, head, tail, wc, find, cp): messages, exit codes, inputs and
// amounts.
#pragma once

#include <leat/leat.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace bench {

/// A run of a small command: reports failures, continues, and returns the exit code.
class classic {
 public:
  /// `name` must outlive this object. `failure_code` is the exit code after a failure.
  explicit classic(std::string_view name, int failure_code = 1)
      : name_(name), failure_code_(failure_code) {}

  /// Flushes standard output, and then prints a message to standard error. finish() then returns
  /// the exit code of a failure.
  void report_error(std::string_view message);
  /// Report "cannot open 'NAME' for reading: …" or "error reading 'NAME': …".
  void report_open_error(const std::string& name, std::error_code why);
  void report_read_error(const std::string& name, std::error_code why);
  /// Prints no message. finish() then returns the exit code of a failure.
  void fail() { has_failed_ = true; }
  /// Flushes standard output, and reports its errors. Returns `success`, or the exit code after a
  /// failure.
  int finish(int success = 0);

 private:
  std::string_view name_;
  int failure_code_;
  bool has_failed_ = false;
};

/// The inputs of a command.
struct inputs {
  std::vector<std::string> files;  // empty or "-": standard input
  bool decoded = false;            // decompress compressed files
  std::uint64_t codec_memory = leat::open_options{}.codec_memory;
};

/// Calls `process` with each input that can be opened. If opening fails, calls `on_open_error`; if
/// `process` throws io_error, calls `on_read_error`. If output fails, returns at once, without
/// calling `on_read_error`. Before each input, if there is a function `is_finished` and it returns
/// true, returns.
void for_each_input(
    const inputs& given,
    const std::function<void(leat::file_reader& in, const std::string& name)>& process,
    const std::function<void(const std::string& name, std::error_code why)>& on_open_error,
    const std::function<void(const std::string& name, std::error_code why)>& on_read_error,
    const std::function<bool()>& is_finished = {});

/// Calls `work` with a mapping of the input, or with the stream `in`. The mapping is used for a
/// local file of at least 1 MiB that has a name, is not decoded and can be mapped. The stream is
/// used for all other inputs, such as standard input.
void with_reader(leat::file_reader& in, const std::string& name, const inputs& given,
                 const std::function<void(leat::reader& in)>& work);

/// Copies the rest of the input to standard output. If the input has no size (a pipe, a decoded
/// file), flushes after each read.
void copy_to_output(leat::reader& in);

/// A number of lines or bytes, with the sign that head and tail accept: see head_options and
/// tail_options.
struct amount {
  std::uint64_t count = 10;
  bool bytes = false;  // false: lines
  char sign = 0;       // '-', '+', or 0 without a sign

  /// Returns the number of bytes or newlines in a text.
  std::uint64_t count_in(std::string_view text) const;
};

/// Parses "10", "-10", "+3", "2K", "1MB" as head and tail do: a number of bytes, or of lines.
/// If the text is not an amount, returns nothing.
std::optional<amount> parse_amount(std::string_view text, bool bytes);

/// Reads the first lines or bytes, and calls `each` with the bytes, in pieces.
void read_first(leat::reader& in, const amount& wanted,
                const std::function<void(std::string_view)>& each);

/// Returns the position where the last lines or bytes begin, and leaves the input at any position.
/// If the input has no size (a pipe) or has become shorter, returns nothing, and leaves the input
/// at its old position.
std::optional<std::uint64_t> start_of_last(leat::reader& in, const amount& wanted);

/// Reads an input to its end, and returns the last lines or bytes. Calls `each` with all bytes
/// before the returned text, in pieces.
std::string read_last(leat::reader& in, const amount& wanted,
                      const std::function<void(std::string_view)>& each);

/// Prints the heading of an input. An empty line precedes all headings except the first.
void show_heading(std::string_view name);

}  // namespace bench
