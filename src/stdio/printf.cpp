// The printf family for bytes: output to files, descriptors, strings and allocated memory.
// format_quickly.cpp and format.cpp write the text.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "device/descriptor.hpp"
#include "stdio/error.hpp"
#include "stdio/format.hpp"
#include "stdio/output_pieces.hpp"
#include "stdio/standard.hpp"
#include "stdio/variadic.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

constexpr std::size_t scratch_size = 2048;

/// Writes to a file: into [put, put_end) while there is room, then through scratch memory of this
/// call. So an unbuffered stream gets as few writes as possible.
class file_output final : public output<char> {
 public:
  /// [put, written) already has characters of this call.
  file_output(leat_file& f, char* written) noexcept
      : output(f.put, written, f.put_end), pieces_(f) {}

  void finish() noexcept {
    const auto size = static_cast<std::size_t>(next_ - begin_);
    if (in_buffer_)
      pieces_.add_stored(size);
    else if (!failed() && !pieces_.write(begin_, size))
      fail();
  }

 private:
  bool make_room() noexcept override {
    finish();
    in_buffer_ = false;
    set_buffer(scratch_, scratch_ + scratch_size);
    return !failed();
  }

  output_pieces pieces_;
  bool in_buffer_ = true;
  char scratch_[scratch_size];
};

/// Writes to a string of at most `size` bytes, including the NUL. Unless `size` is 0, always writes
/// the NUL.
class string_output final : public output<char> {
 public:
  string_output(char* to, std::size_t size) noexcept
      : output(to, to + (size == 0 ? 0 : size - 1)), has_no_room_(size == 0) {}

  void finish() noexcept {
    if (!has_no_room_) *next_ = '\0';
  }

 private:
  bool make_room() noexcept override { return false; }

  bool has_no_room_;
};

/// Writes to memory of malloc.
class allocated_output final : public output<char> {
 public:
  allocated_output() noexcept : output(nullptr, nullptr) { make_room(); }
  ~allocated_output() { std::free(memory_); }

  /// Returns the text with its NUL, or null if there is no memory. The caller frees the text.
  char* release() noexcept {
    if (failed()) return nullptr;
    *next_ = '\0';
    auto* const fitting = static_cast<char*>(std::realloc(memory_, count() + 1));
    char* const text = fitting != nullptr ? fitting : memory_;
    memory_ = nullptr;
    return text;
  }

 private:
  bool make_room() noexcept override {
    const auto used = static_cast<std::size_t>(count());
    const std::size_t size = std::max<std::size_t>(128, 2 * used);
    auto* const bigger = failed() ? nullptr : static_cast<char*>(std::realloc(memory_, size));
    if (bigger == nullptr) {
      fail();
      return stdio::fail(ENOMEM, false);
    }
    memory_ = bigger;
    set_buffer(memory_ + used, memory_ + size - 1);
    return true;
  }

  char* memory_ = nullptr;
};

class descriptor_output final : public output<char> {
 public:
  explicit descriptor_output(int descriptor) noexcept
      : output(scratch_, scratch_ + scratch_size), descriptor_(descriptor) {}

  void finish() noexcept {
    // A write of no bytes would send an empty datagram.
    if (!failed() && begin_ != next_ && !write_descriptor(descriptor_, {begin_, next_})) fail();
  }

 private:
  bool make_room() noexcept override {
    finish();
    set_buffer(scratch_, scratch_ + scratch_size);
    return !failed();
  }

  int descriptor_;
  char scratch_[scratch_size];
};

/// Returns the size of all memory from `to` on, at most INT_MAX + 1: sprintf trusts its caller.
std::size_t all_memory(const char* to) noexcept {
  return std::min<std::size_t>(UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(to),
                               std::size_t{INT_MAX} + 1);
}

/// Writes the part of the text that format_quickly() has not written. Returns printf's result.
[[gnu::noinline]] int print_rest(leat_file& f, const char* text, print_arguments& arguments,
                                 percent_n n_policy) noexcept {
  unfinished_conversion& rest = arguments.rest;
  file_output to(f, rest.to);
  const bool good = put_unfinished(to, rest);
  const int count = finish_output(to, good ? format(to, text, rest.at, arguments, n_policy) : -1);
  return count == 0 && !f.writable ? refuse_output(f) : count;
}

[[gnu::always_inline]] inline int print_file(const char* function, leat_file* f, const char* text,
                                             print_arguments& arguments,
                                             percent_n n_policy) noexcept {
  const file_guard guard(f, function);
  if (f->program_memory) [[unlikely]] {
    arguments.rest = {text, f->put, {}, {}};
  } else if (char* const end = format_quickly(f->put, f->put_end, text, arguments); end != nullptr)
      [[likely]] {
    const std::ptrdiff_t count = end - f->put;
    f->put = end;
    if (count == 0 && !f->writable) [[unlikely]]
      return refuse_output(*f);
    return static_cast<int>(count);
  }
  return print_rest(*f, text, arguments, n_policy);
}

int print_string(char* to, std::size_t size, const char* text, print_arguments& arguments,
                 percent_n n_policy) noexcept {
  string_output string(to, std::min(size, all_memory(to)));  // programs pass SIZE_MAX
  return finish_output(string, format(string, text, text, arguments, n_policy));
}

/// sprintf and snprintf with _FORTIFY_SOURCE. `room` is the size of the array, or SIZE_MAX if the
/// size is unknown.
int print_checked(char* to, std::size_t room, const char* text, print_arguments& arguments,
                  percent_n n_policy) noexcept {
  const int count = room == 0 ? 0 : print_string(to, room, text, arguments, n_policy);
  if (count >= 0 && static_cast<std::size_t>(count) >= room) abort_overflow("sprintf");
  return count;
}
int print_checked(char* to, std::size_t size, std::size_t room, const char* text,
                  print_arguments& arguments, percent_n n_policy) noexcept {
  if (size > room) abort_overflow("snprintf");
  return print_string(to, size, text, arguments, n_policy);
}

int print_allocated(char** to, const char* text, print_arguments& arguments,
                    percent_n n_policy) noexcept {
  allocated_output memory;
  const int count = memory.failed() ? -1 : format(memory, text, text, arguments, n_policy);
  *to = count < 0 ? nullptr : memory.release();
  return count;
}

int print_descriptor(int descriptor, const char* text, print_arguments& arguments,
                     percent_n n_policy) noexcept {
  const no_cancel guard;
  descriptor_output to(descriptor);
  return finish_output(to, format(to, text, text, arguments, n_policy));
}

/// As fprintf(f, "%s\n", text).
int put_line(leat_file* f, const char* text, const char* function) noexcept {
  const file_guard guard(f, function);
  copied_text copy{f->put, text != nullptr ? text : "(null)"};
  if (text != nullptr && !f->program_memory) [[likely]]
    copy = copy_text(f->put, f->put_end, text);
  char* end = copy.to;
  if (copy.rest == nullptr && end != f->put_end && end - f->put < INT_MAX) [[likely]] {
    *end++ = '\n';
    const auto count = static_cast<int>(end - f->put);
    f->put = end;
    return count;
  }
  file_output to(*f, end);
  if (copy.rest != nullptr) to.put(copy.rest, std::strlen(copy.rest));
  to.put("\n", 1);
  to.finish();
  if (to.failed()) return -1;
  return to.count() <= INT_MAX ? static_cast<int>(to.count()) : fail(EOVERFLOW, -1);
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

LEAT_PRINTF(fprintf, char, print_file, (leat_file * f, ), (__func__, f, ))
LEAT_PRINTF(printf, char, print_file, (), (__func__, leat_stdio_stdout, ))
LEAT_PRINTF(dprintf, char, print_descriptor, (int descriptor, ), (descriptor, ))
LEAT_PRINTF(snprintf, char, print_string, (char* to, std::size_t size, ), (to, size, ))
LEAT_PRINTF(sprintf, char, print_string, (char* to, ), (to, SIZE_MAX, ))
LEAT_PRINTF(asprintf, char, print_allocated, (char** to, ), (to, ))

// If _FORTIFY_SOURCE is defined, <leat/stdio.h> calls the next functions.
LEAT_PRINTF_AS(leat_stdio_sprintf_chk, leat_stdio_vsprintf_chk, percent_n_of(flag), char,
               print_checked, (char* to, int flag, std::size_t room, ), (to, room, ))
LEAT_PRINTF_AS(leat_stdio_snprintf_chk, leat_stdio_vsnprintf_chk, percent_n_of(flag), char,
               print_checked, (char* to, std::size_t size, int flag, std::size_t room, ),
               (to, size, room, ))

// <leat/stdio.h> turns fprintf(f, "%s\n", text) into a call of this function.
extern "C" LEAT_API int leat_stdio_put_line(leat_file* f, const char* text) {
  return put_line(f, text, "fprintf");
}

// Returns the count of bytes written, as glibc does. C only requires a result that is not negative.
int leat_puts(const char* text) { return put_line(leat_stdio_stdout, text, __func__); }
