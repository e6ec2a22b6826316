// What the commands beside their classical namesakes share: messages, exit codes and amounts.
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

/// A run of such a command: it tells what fails, goes on, and ends with the right code.
class classic {
 public:
  /// `failure` is its exit code after a failure.
  explicit classic(std::string_view name, int failure = 1) : name_(name), failure_(failure) {}

  /// Prints a message behind all output so far.
  void complain(std::string_view message);
  /// "cannot open 'NAME' for reading: …", and "error reading 'NAME': …".
  void cannot_open(const std::string& name, std::error_code why);
  void cannot_read(const std::string& name, std::error_code why);
  /// Fails without a message.
  void fail() { has_failed_ = true; }
  /// Flushes standard output. Returns `success`, or the code of failures.
  int finish(int success = 0);

 private:
  std::string_view name_;
  int failure_;
  bool has_failed_ = false;
};

/// What a command reads.
struct inputs {
  std::vector<std::string> files;  // none, or "-": standard input
  bool decoded = false;            // where they are compressed
  std::uint64_t codec_memory = leat::open_options{}.codec_memory;
};

/// Calls `use` with each input that can be opened. Failures to open go to `failed`, and those that
/// `use` throws to `broken`. Ends early if output fails.
void for_each_input(
    const inputs& from,
    const std::function<void(leat::file_reader& in, const std::string& name)>& use,
    const std::function<void(const std::string& name, std::error_code why)>& failed,
    const std::function<void(const std::string& name, std::error_code why)>& broken);

/// Calls `work` with a large file as memory, and with all other input as it is.
void with_fastest(leat::file_reader& in, const std::string& name, const inputs& from,
                  const std::function<void(leat::reader& in)>& work);

/// Copies the rest of the input to standard output; what comes slowly goes on at once.
void pass_on(leat::reader& in);

/// So many lines or bytes: of the start or of the end, as the sign says.
struct amount {
  std::uint64_t count = 10;
  bool bytes = false;
  char sign = 0;  // '-', '+', or none

  /// How many of them are in a text: bytes or newlines.
  std::uint64_t in(std::string_view text) const;
};

/// "10", "-10", "+3", "2K", "1MB": as head and tail take it. Nothing if it is no amount.
std::optional<amount> amount_from(std::string_view text, bool bytes);

/// Passes over the first ones and calls `each` with their bytes.
void take_first(leat::reader& in, const amount& of,
                const std::function<void(std::string_view)>& each);

/// Where the last ones begin. Nothing if the input has no size, as a pipe, or became shorter; then
/// nothing has been read.
std::optional<std::uint64_t> start_of_last(leat::reader& in, const amount& of);

/// Returns the last ones of an input that is read to its end, and calls `each` with all before.
std::string take_last(leat::reader& in, const amount& of,
                      const std::function<void(std::string_view)>& each);

/// The heading of one input among several.
void show_heading(std::string_view name);

}  // namespace bench
