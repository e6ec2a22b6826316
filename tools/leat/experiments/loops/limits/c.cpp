// Implements c_limits of limits.hpp: handwritten loops over a buffer and system calls. The cursor
// of the buffer is in memory, as in every FILE.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "experiments/loops/limits/limits.hpp"
#include "experiments/loops/limits/lines.hpp"
#include "system/raw_file.hpp"

namespace bench::limits {

namespace {

/// The members that a FILE needs.
struct buffer {
  char* put;
  char* put_end;
  char* begin;
  raw_file* file;

  [[gnu::noinline]] void flush() {
    file->write({begin, put});
    put = begin;
  }
};

/// Hides the pointer, so that the compiler does not keep the cursor in a register.
buffer* hide_pointer(buffer* pointer) {
  asm volatile("" : "+r"(pointer)::"memory");
  return pointer;
}

int put_bytes(const char* path, std::size_t count) {
  raw_file out(path);
  static char memory[1 << 16];
  buffer one{memory, memory + sizeof memory, memory, &out};
  buffer* const f = hide_pointer(&one);
  for (std::size_t i = 0; i < count; ++i) {
    if (f->put == f->put_end) [[unlikely]]
      f->flush();
    *f->put++ = 'a';
  }
  f->flush();
  return 0;
}

/// Copies each line with its newline into memory of the program, and adds a NUL. Sets *digest as
/// lines_by_fgets in c_loops.h does. Returns ENOTSUP if the CPU or the build lacks the
/// instructions.
int get_lines([[maybe_unused]] const char* path, [[maybe_unused]] std::uint64_t* digest) {
#if defined(__AVX512VBMI2__)
  if (!has_avx512()) return ENOTSUP;
  raw_file in(path, access::read);
  constexpr std::size_t longest_line = 4096, copied = 128, buffer_size = 1 << 17;
  alignas(64) static char memory[longest_line + buffer_size + copied];
  char line[longest_line];
  char* const loaded = memory + longest_line;
  const char* start = loaded;  // of the incomplete line
  std::uint64_t total = 0;
  for (;;) {
    const std::size_t got = in.read(loaded, buffer_size);
    if (got == 0) break;
    const char* const end = loaded + got;
    start = each_line({start, end}, [&](const char* stop, std::size_t size) {
      if (size + 1 < copied) [[likely]]
        std::memcpy(line, stop - size, copied);
      else if (size + 1 < longest_line)
        std::memcpy(line, stop - size, size + 1);
      else
        std::abort();  // no line of the file is this long
      line[size + 1] = '\0';
      total += static_cast<unsigned char>(line[0]) + 1U;
      asm volatile("" ::: "memory");  // as if the program read the line
    });
    const auto rest = static_cast<std::size_t>(end - start);
    if (rest > longest_line) std::abort();
    start = static_cast<const char*>(std::memcpy(loaded - rest, start, rest));
  }
  *digest = total;
  return 0;
#else
  return ENOTSUP;
#endif
}

}  // namespace

const c_loops c_limits = [] {
  c_loops all{};
  all.put_bytes = all.put_bytes_unlocked = put_bytes;
  all.lines_by_fgets = all.lines_by_getline = get_lines;
  return all;
}();

}  // namespace bench::limits
