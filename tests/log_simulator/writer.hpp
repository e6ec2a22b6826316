// The processes of the log simulator: they write to the log and report their calls.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/rotating.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace logs {

/// A report of a process: `begins` with the call and its lines; `ends` with the call's error, and
/// the number of bytes that the stream has lost so far.
enum class report_kind : std::uint64_t { begins, ends };

enum class action : std::uint64_t { open, write, flush, sync, reopen, close, clear, recover };

/// The options that all processes of a run use.
struct log_plan {
  std::string path;
  bool rotates = false;
  leat::rotating_options options{};  ///< without `rotates`: only what append_options also has
  std::size_t largest_line = 60;
  std::size_t calls = 20;  ///< per thread
  bool has_threads = false;

  leat::durability durability() const { return options.durability; }
  /// Returns true if a call's bytes are in the file or pending in its sidecar when the call
  /// returns.
  bool keeps_each_call() const {
    return options.durability == leat::durability::process ||
           options.flush != leat::flush_when::full;
  }
};

/// The number of a writer: a thread of a process.
using writer_number = std::uint32_t;
constexpr writer_number threads_per_process = 2;

/// Returns "@writer.line.size:", letters and a newline: `size` bytes, or more if the head and the
/// newline need more.
std::string text_of_line(writer_number writer, std::uint32_t line, std::size_t size);

/// Opens the log, writes lines with one or two threads (the writer `first`, and the next number),
/// and closes the log. This function and the next two end the process.
[[noreturn]] void write_log(const log_plan& plan, writer_number first, std::uint64_t seed);
/// Calls leat::recover() for the log.
[[noreturn]] void recover_log(const log_plan& plan, writer_number first);
/// Opens and closes the log.
[[noreturn]] void reopen_log(const log_plan& plan, writer_number first);

}  // namespace logs
