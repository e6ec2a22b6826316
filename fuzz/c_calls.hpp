// Random sequences of calls of C's stdio, made with the same arguments on leat's functions and on
// libc's. c_stdio.cpp, c_memory.cpp and c_pipes.cpp compare the visible results.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "support/stdio_apis.hpp"

namespace fuzz {

using leat_test::leat_stdio, leat_test::libc;

enum class op {
  // input
  read,
  get,
  get_unlocked,
  gets,
  get_line,
  get_delimited,
  unget,
  // output
  write,
  put,
  put_unlocked,
  puts,
  // other calls
  seek,
  seek_offset,
  tell,
  get_position,
  set_position,
  rewind,
  flush,
  clear,
  reopen,
  reopen_same
};
inline constexpr int op_count = static_cast<int>(op::reopen_same) + 1;
inline constexpr const char* op_names[op_count] = {
    "fread",   "fgetc",   "fgetc_unlocked", "fgets",  "getline",  "getdelim", "ungetc",
    "fwrite",  "fputc",   "fputc_unlocked", "fputs",  "fseek",    "fseeko",   "ftell",
    "fgetpos", "fsetpos", "rewind",         "fflush", "clearerr", "freopen",  "freopen(null)"};

inline bool is_input(op function) { return function <= op::unget; }
inline bool is_output(op function) { return function >= op::write && function <= op::puts; }

/// A call and its arguments. A function ignores the arguments that it does not have.
struct call {
  op function{};
  std::size_t size = 0;  // number of bytes to read, write or push back
  std::size_t item = 1;  // the size of an item in bytes, for fread and fwrite
  long offset = 0;
  int whence = 0;
  int byte = 0;                  // the byte, the delimiter, or the seed of a text
  std::string mode{};            // for freopen
  bool switch_by_flush = false;  // between writing and reading: fflush, not fseek
};

inline std::ostream& operator<<(std::ostream& out, const call& c) {
  out << op_names[static_cast<int>(c.function)] << '(';
  switch (c.function) {
    case op::seek:
    case op::seek_offset:
      out << c.offset << ", " << c.whence;
      break;
    case op::reopen:
    case op::reopen_same:
      out << c.mode;
      break;
    case op::put:
    case op::put_unlocked:
    case op::unget:
    case op::get_delimited:
      out << c.byte;
      if (c.function == op::unget) out << " x" << c.size;
      break;
    case op::read:
    case op::write:
      out << c.item << ", " << c.size / c.item;
      break;
    case op::gets:
    case op::puts:
      out << c.size;
      break;
    default:
      break;
  }
  return out << ')';
}

/// Returns the number of bytes that an output call writes.
inline std::size_t output_size(const call& c) {
  if (c.function == op::put || c.function == op::put_unlocked) return 1;
  return c.function == op::write ? c.size / c.item * c.item : c.size;
}

/// The visible result of a call, to compare and to print.
struct outcome {
  long value = 0;
  bool failed = false;  // `error` is valid only if `failed`
  int error = 0;
  std::string bytes{};
};

inline std::string text_of(std::size_t size, int seed);

/// Returns the bytes that an output call writes.
inline std::string text_of(const call& c) {
  if (c.function == op::put || c.function == op::put_unlocked)
    return std::string(1, static_cast<char>(c.byte));
  return text_of(output_size(c), c.byte);
}

/// Returns `size` bytes that depend on the seed: a text with some newlines and without NULs.
inline std::string text_of(std::size_t size, int seed) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i != size; ++i) {
    const auto index = static_cast<unsigned>(i * 7 + static_cast<std::size_t>(seed));
    text[i] = index % 61 == 0 ? '\n' : static_cast<char>('!' + index % 93);
  }
  return text;
}

/// Returns whether a program can close a stream with libc's fclose after freopen has failed. In C,
/// such a stream is already closed. With leat and older libcs the program can still call fclose,
/// which frees the memory of the stream. Newer libcs have already freed the memory: glibc 2.41 ends
/// a program that then calls fclose. With a thread sanitizer, the next two calls of fopen after
/// this fclose return the same pointer.
inline bool can_libc_close_after_failed_reopen() {
  static const bool closes = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      std::FILE* const file = std::fopen("/dev/null", "r");
      if (file == nullptr || std::freopen("/dev/null/none", "r", file) != nullptr) ::_exit(1);
      std::fclose(file);
      ::_exit(std::fopen("/dev/null", "r") != std::fopen("/dev/null", "r") ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return status == 0;
  }();
  return closes;
}

/// A stream of leat or of libc, and the calls on the stream.
template <class Api>
class stdio_stream {
 public:
  typename Api::file* file = nullptr;
  std::string path;
  std::string own_buffer;     // for setvbuf
  bool has_position = false;  // true after a successful fgetpos

  ~stdio_stream() {
    if (file != nullptr) Api::close(file);
    std::free(line_);
  }

  /// Makes the call. If freopen fails, sets `file` to null. If the failed freopen has not freed the
  /// stream's memory, also calls fclose.
  outcome apply(const call& c) {
    outcome result;
    errno = 0;
    switch (c.function) {
      case op::read: {
        std::string into(c.size, '\0');
        // Only whole items are compared. The position shows how much of a truncated item was read.
        result.value = static_cast<long>(Api::read(into.data(), c.item, c.size / c.item, file));
        into.resize(static_cast<std::size_t>(result.value) * c.item);
        result.bytes = into;
        record_failure(result);
        break;
      }
      case op::get:
      case op::get_unlocked:
        result.value = c.function == op::get ? Api::get(file) : Api::get_unlocked(file);
        record_failure(result);
        break;
      case op::gets: {
        std::string into(std::max<std::size_t>(c.size, 1), '\1');
        const char* const got = Api::gets(into.data(), static_cast<int>(into.size()), file);
        result.value = got != nullptr;
        if (got != nullptr) result.bytes = into;
        record_failure(result);
        break;
      }
      case op::get_line:
      case op::get_delimited:
        result.value = c.function == op::get_line
                           ? Api::get_line(&line_, &line_size_, file)
                           : Api::get_delimited(&line_, &line_size_, c.byte, file);
        if (result.value >= 0)
          result.bytes.assign(line_, static_cast<std::size_t>(result.value) + 1);
        record_failure(result);
        break;
      case op::unget:
        result.value = Api::unget(c.byte, file);
        break;
      case op::write: {
        const std::string from = text_of(c.size, c.byte);
        result.value = static_cast<long>(Api::write(from.data(), c.item, c.size / c.item, file));
        record_failure(result);
        break;
      }
      case op::put:
      case op::put_unlocked:
        result.value =
            c.function == op::put ? Api::put(c.byte, file) : Api::put_unlocked(c.byte, file);
        record_failure(result);
        break;
      case op::puts:
        result.value = Api::puts(text_of(c.size, c.byte).c_str(), file) < 0;
        record_failure(result);
        break;
      case op::seek:
      case op::seek_offset:
        result.value = c.function == op::seek ? Api::seek(file, c.offset, c.whence)
                                              : Api::seek_offset(file, c.offset, c.whence);
        result.failed = result.value != 0;
        break;
      case op::tell:
        result.value = Api::tell(file);
        result.failed = result.value < 0;
        break;
      case op::get_position:
        result.value = Api::get_position(file, &saved_);
        result.failed = result.value != 0;
        has_position = has_position || !result.failed;
        break;
      case op::set_position:
        result.value = Api::set_position(file, &saved_);
        result.failed = result.value != 0;
        break;
      case op::rewind:
        Api::rewind(file);
        break;
      case op::flush:
        result.value = Api::flush(file);
        result.failed = result.value != 0;
        break;
      case op::clear:
        Api::clear(file);
        break;
      case op::reopen:
      case op::reopen_same: {
        const char* const name = c.function == op::reopen ? path.c_str() : nullptr;
        auto* const reopened = Api::reopen(name, c.mode.c_str(), file);
        result.failed = reopened == nullptr;
        result.error = errno;
        result.value = reopened == file;
        if (reopened == nullptr) {
          if (std::is_same_v<Api, leat_stdio> || can_libc_close_after_failed_reopen())
            Api::close(file);
          file = nullptr;
        }
        return result;
      }
    }
    result.error = errno;
    return result;
  }

  int close() { return Api::close(std::exchange(file, nullptr)); }

  /// Returns the offset of the descriptor.
  long offset() { return static_cast<long>(::lseek(Api::number(file), 0, SEEK_CUR)); }

 private:
  void record_failure(outcome& result) const { result.failed = Api::failed(file) != 0; }

  typename Api::position saved_{};
  char* line_ = nullptr;
  std::size_t line_size_ = 0;
};

/// A stream's file, its options, and the calls on the stream.
struct sequence {
  std::string mode;
  bool exists = true;            // the file exists before fopen
  std::size_t initial_size = 0;  // bytes of the file or the memory
  int buffering = -1;            // for setvbuf; -1: setvbuf is not called
  std::size_t buffer_size = 0;
  bool own_buffer = false;
  bool checks_position = true;  // calls ftell after each call; ftell may change the state
  std::vector<call> calls;
};

inline std::ostream& operator<<(std::ostream& out, const sequence& s) {
  out << "fopen(" << s.mode << ") of " << (s.exists ? "" : "no file, ") << s.initial_size
      << " bytes";
  if (s.buffering >= 0)
    out << "; setvbuf(" << (s.own_buffer ? "memory, " : "null, ") << s.buffering << ", "
        << s.buffer_size << ')';
  out << (s.checks_position ? "; ftell after each call" : "");
  for (const auto& c : s.calls) out << "\n  " << c;
  return out;
}

inline constexpr const char* modes[] = {"r",  "w",  "a",   "r+",  "w+",  "a+",  "rb+", "r+b", "wx",
                                        "rb", "wb", "w+x", "ab+", "w+b", "r+e", "r+",  "w+",  "a+"};

/// Chooses calls and their arguments by the input.
class generator {
 public:
  explicit generator(input& in) : in_(in) {}

  bool has_more() const { return in_.has_more(); }
  std::size_t below(std::size_t n) { return in_.below(n); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  std::size_t size() {
    switch (below(8)) {
      case 0:
        return below(3);
      case 1:
        return below(300);
      case 2:
        return 4090 + below(12);
      case 3:
        return below(9000);
      default:
        return below(24);
    }
  }

  std::string mode() { return modes[below(std::size(modes))]; }

  /// Returns a random call. Most offsets are at most about `scale`.
  call next_call(long scale) {
    static constexpr op common_calls[] = {op::read,  op::read,  op::get, op::unget, op::gets,
                                          op::write, op::write, op::put, op::seek,  op::seek};
    call c{};
    c.function =
        chance(2) ? common_calls[below(std::size(common_calls))] : static_cast<op>(below(op_count));
    if ((c.function == op::reopen || c.function == op::reopen_same) && !chance(4))
      c.function = op::read;
    c.size = c.function == op::unget ? 1 + below(8) : size();
    c.byte = static_cast<int>(below(256));
    if (chance(3)) c.item = 3;
    c.mode = mode();
    c.switch_by_flush = chance(2);
    c.whence = static_cast<int>(below(3));
    const long reach = chance(2) ? 40 : chance(20) ? 10 * scale + 10 : scale + 10;
    c.offset = static_cast<long>(below(static_cast<std::size_t>(reach)));
    if (c.whence == SEEK_CUR) c.offset -= reach / 2;
    if (c.whence == SEEK_END) c.offset = reach / 8 - c.offset;
    if (chance(60)) c.whence = 7;
    if (chance(60)) c.offset = -c.offset;
    return c;
  }

  sequence make_sequence(std::size_t max_calls) {
    sequence s;
    s.mode = mode();
    s.exists = !chance(8);
    switch (below(16)) {
      case 0:
      case 1:
        break;
      case 2:
      case 3:
      case 4:
        s.initial_size = below(20);
        break;
      case 5:
        s.initial_size = 9000 + below(90000);
        break;
      default:
        s.initial_size = below(6000);
        break;
    }
    if (chance(200)) s.initial_size = 250000 + below(300000);
    switch (below(6)) {
      case 0:
      case 1:
        s.buffering = _IOFBF;
        break;
      case 2:
        s.buffering = _IOLBF;
        break;
      case 3:
        s.buffering = _IONBF;
        break;
      default:
        break;
    }
    s.buffer_size = s.buffering == _IONBF ? 0 : 1 + (chance(2) ? below(40) : below(5000));
    s.own_buffer = s.buffering != _IONBF && chance(2);
    s.checks_position = chance(2);
    const auto scale = static_cast<long>(s.initial_size);
    while (in_.has_more() && s.calls.size() != max_calls) s.calls.push_back(next_call(scale));
    return s;
  }

 private:
  input& in_;
};

/// Reads the descriptor to the end, and closes the descriptor. Returns the bytes read.
inline std::string rest_of(int file) {
  std::string all;
  char block[1 << 16];
  for (ssize_t n = 0; (n = ::read(file, block, sizeof block)) > 0;)
    all.append(block, static_cast<std::size_t>(n));
  ::close(file);
  return all;
}

/// Runs a sequence. If `comparison` finds a difference, prints the difference and the sequence, and
/// fails.
template <class Comparison>
void expect_no_difference(Comparison&& comparison, const sequence& s) {
  const auto difference = comparison.run(s);
  if (!difference) return;
  std::ostringstream calls;
  calls << *difference << '\n' << s;
  fail(calls.str());
}

}  // namespace fuzz
