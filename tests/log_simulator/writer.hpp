// A process that writes to the log and reports its calls.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/rotating.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace logs {

/// A report of a process: `begins` with the call and its lines; `ends` with the call's error, and
/// the number of bytes that the stream has lost so far.
enum class message : std::uint64_t { begins, ends };

enum class action : std::uint64_t { open, write, flush, sync, reopen, close, clear, recover };

/// The options that all processes of a run use.
struct plan {
  std::string path;
  bool rotates = false;
  leat::rotating_options how{};  ///< without `rotates`, only members that append_options also have
  std::size_t largest_line = 60;
  std::size_t calls = 20;  ///< per thread
  bool has_threads = false;

  leat::durability durability() const { return how.durability; }
  /// Returns true if a call's bytes are in the file or pending in its sidecar when it returns.
  bool keeps_each_call() const {
    return how.durability == leat::durability::process || how.flush != leat::flush_when::full;
  }
};

/// The number of a writer: a thread of a process.
using writer_number = std::uint32_t;
constexpr writer_number threads_of_process = 2;

/// "@writer.line.size:" and letters; `size` bytes with the newline.
std::string text_of_line(writer_number writer, std::uint32_t line, std::size_t size);

/// Opens the log, writes lines by one or two threads (the writer `first`, and the next number), and
/// closes the log.
[[noreturn]] void write_log(const plan& what, writer_number first, std::uint64_t seed);
/// Calls leat::recover() for the log.
[[noreturn]] void recover_log(const plan& what, writer_number first);
/// Opens and closes the log.
[[noreturn]] void reopen_log(const plan& what, writer_number first);

}  // namespace logs
