// The loops of C programs without a library: bytes go into a buffer whose cursor is in memory, as
// that of every FILE is, and all else is the system's calls.
#include "limits/c.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "limits/limits.hpp"
#include "limits/lines.hpp"

namespace limits {

namespace {

/// Closes its descriptor.
class file {
 public:
  file(const char* path, int flags) : fd_(::open(path, flags | O_CLOEXEC, 0666)) {}
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

constexpr int to_write = O_WRONLY | O_CREAT | O_TRUNC;

/// What a FILE has to have.
struct window {
  char* put;
  char* put_end;
  char* begin;
  int fd;

  [[gnu::noinline]] void flush() {
    if (::write(fd, begin, static_cast<std::size_t>(put - begin)) != put - begin) std::abort();
    put = begin;
  }
};

/// Hides what a compiler knows: without a library it would keep the cursor in a register.
window* hidden(window* one) {
  asm volatile("" : "+r"(one)::"memory");
  return one;
}

int put_bytes(const char* path, std::size_t count) {
  const file out(path, to_write);
  if (!out) return errno;
  static char memory[1 << 16];
  window one{memory, memory + sizeof memory, memory, out.get()};
  window* const f = hidden(&one);
  for (std::size_t i = 0; i < count; ++i) {
    if (f->put == f->put_end) [[unlikely]]
      f->flush();
    *f->put++ = 'a';
  }
  f->flush();
  return 0;
}

int print_a(const char* path, std::size_t count, int flush) {
  if (!flush) return put_bytes(path, count);
  const file out(path, to_write);
  if (!out) return errno;
  for (std::size_t i = 0; i < count; ++i)
    if (::write(out.get(), "a", 1) != 1) return errno;
  return 0;
}

/// The system's share: the bytes are ready.
int print_text(const char* path, const char* text, std::size_t count) {
  const file out(path, to_write);
  if (!out) return errno;
  static char memory[1 << 17];
  const std::size_t size = std::strlen(text) + 1, lines = sizeof memory / size;
  for (std::size_t i = 0; i != lines; ++i) {
    std::memcpy(memory + i * size, text, size - 1);
    memory[i * size + size - 1] = '\n';
  }
  for (std::size_t left = count; left != 0;) {
    const std::size_t now = left < lines ? left : lines;
    if (::write(out.get(), memory, now * size) < 0) return errno;
    left -= now;
  }
  return 0;
}

int fill_memory(void* memory, std::size_t size, unsigned rounds, int /*buffered*/) {
  auto* const begin = static_cast<char*>(memory);
  window one{begin, begin + size, begin, -1};
  window* const f = hidden(&one);
  for (unsigned j = 0; j < rounds; ++j) {
    for (std::uint32_t i = 0; i < size / sizeof i; ++i) {
      char* const to = f->put;
      if (static_cast<std::size_t>(f->put_end - to) < sizeof i) return ENOSPC;
      f->put = to + sizeof i;
      std::memcpy(to, &i, sizeof i);
    }
    f->put = f->begin;
  }
  return 0;
}

int read_at(c_visits* visits) {
  const file in(visits->path, O_RDONLY);
  if (!in) return errno;
  visits->sum = 0;
  for (std::size_t i = 0; i < visits->count; ++i) {
    std::uint32_t value = 0;
    const off_t at = static_cast<off_t>(visits->numbers[i]) * 4;
    if (::pread(in.get(), &value, sizeof value, at) != sizeof value) return EIO;
    visits->sum += value;
  }
  return 0;
}

int update_at(c_visits* visits) {
  const file both(visits->path, O_RDWR);
  if (!both) return errno;
  visits->sum = 0;
  for (std::size_t i = 0; i < visits->count; ++i) {
    std::uint32_t value = 0;
    const off_t at = static_cast<off_t>(visits->numbers[i]) * 4;
    if (::pread(both.get(), &value, sizeof value, at) != sizeof value) return EIO;
    visits->sum += value;
    ++value;
    if (::pwrite(both.get(), &value, sizeof value, at) != sizeof value) return EIO;
  }
  return 0;
}

/// Each line into memory of the program, with a NUL.
int get_lines([[maybe_unused]] const char* path, [[maybe_unused]] std::uint64_t* bytes) {
#if defined(__AVX512VBMI2__)
  if (!can_run()) return ENOTSUP;
  const file in(path, O_RDONLY);
  if (!in) return errno;
  constexpr std::size_t most = 4096, copied = 128, window_size = 1 << 17;
  alignas(64) static char memory[most + window_size + copied];
  char line[most];
  char* const loaded = memory + most;
  const char* start = loaded;  // of a line that has no end yet
  std::uint64_t total = 0;
  for (;;) {
    const ssize_t got = ::read(in.get(), loaded, window_size);
    if (got < 0) return errno;
    if (got == 0) break;
    const char* const end = loaded + got;
    start = each_line({start, end}, [&](const char* stop, std::size_t size) {
      if (size + 1 < copied) [[likely]]
        std::memcpy(line, stop - size, copied);
      else if (size + 1 < most)
        std::memcpy(line, stop - size, size + 1);
      else
        std::abort();  // none of the lines
      line[size + 1] = '\0';
      total += static_cast<unsigned char>(line[0]) + 1U;
      asm volatile("" ::: "memory");  // the program has the line
    });
    const auto rest = static_cast<std::size_t>(end - start);
    if (rest > most) std::abort();
    start = static_cast<const char*>(std::memcpy(loaded - rest, start, rest));
  }
  *bytes = total;
  return 0;
#else
  return ENOTSUP;
#endif
}

template <class... Args>
int no_limit(Args...) {
  return ENOTSUP;
}

}  // namespace

const c_loops loops = {print_text, no_limit,  no_limit,  no_limit, no_limit,    print_a,
                       put_bytes,  put_bytes, no_limit,  no_limit, fill_memory, read_at,
                       update_at,  get_lines, get_lines, no_limit};

}  // namespace limits
