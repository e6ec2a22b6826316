// Random calls of C's stdio on pipes, made with leat's and with libc's functions. After each call
// the visible results must be the same.
#include <fcntl.h>
#include <leat/leat.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include "c_calls.hpp"

namespace {

using namespace fuzz;

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  // Each write may use a whole page of the pipe.
  expect(::pipe2(ends.data(), O_CLOEXEC) == 0 && ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0,
         "pipe2() and F_SETPIPE_SZ");
  return ends;
}

void compare(const call& c, const outcome& got, const outcome& expected) {
  std::ostringstream description;
  description << c;
  expect_equal(got.value, expected.value, description.str());
  expect_text(got.bytes, expected.bytes, description.str());
  expect_equal(got.failed, expected.failed, description.str());
  if (got.failed) expect_equal(got.error, expected.error, description.str());
}

void read_from_pipes(generator& random) {
  const auto our_pipe = new_pipe(), their_pipe = new_pipe();
  const std::string text = text_of(random.below(60'000), 9);
  for (const int to : {our_pipe[1], their_pipe[1]}) {
    expect(::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
           "write() to a pipe");
    ::close(to);
  }
  stdio_stream<leat_stdio> ours{};
  stdio_stream<libc> theirs{};
  ours.file = leat_fdopen(our_pipe[0], "r");
  theirs.file = ::fdopen(their_pipe[0], "r");
  if (random.chance(2)) {
    const int buffering = random.chance(2) ? _IONBF : _IOFBF;
    const std::size_t size = 1 + random.below(100);
    expect_equal(leat_setvbuf(ours.file, nullptr, buffering, size),
                 ::setvbuf(theirs.file, nullptr, buffering, size), "setvbuf");
  }
  bool has_pushed = false;
  while (random.has_more()) {
    const call c = random.next_call(1000);
    if (c.function == op::reopen || c.function == op::reopen_same || c.function == op::set_position)
      continue;
    // As with files, glibc's fflush and fseek fail after bytes were pushed back, and glibc's
    // getline fails after errors. The result of a seek to before the start of a pipe is
    // unspecified.
    const bool moves = c.function == op::flush || c.function == op::seek ||
                       c.function == op::seek_offset || c.function == op::rewind;
    if (has_pushed && moves) continue;
    if ((c.function == op::get_line || c.function == op::get_delimited) &&
        ::ferror(theirs.file) != 0)
      continue;
    if (c.whence == SEEK_SET && c.offset < 0) continue;
    has_pushed = has_pushed || c.function == op::unget;
    const outcome got = ours.apply(c);
    compare(c, got, theirs.apply(c));
    expect_equal(leat_feof(ours.file) != 0, ::feof(theirs.file) != 0, "feof");
  }
}

void write_to_pipes(generator& random) {
  const auto our_pipe = new_pipe(), their_pipe = new_pipe();
  stdio_stream<leat_stdio> ours{};
  stdio_stream<libc> theirs{};
  ours.file = leat_fdopen(our_pipe[1], "w");
  theirs.file = ::fdopen(their_pipe[1], "w");
  std::size_t bytes = 0;
  while (random.has_more()) {
    const call c = random.next_call(1000);
    if (!is_output(c.function) && c.function != op::flush && c.function != op::seek &&
        c.function != op::tell)
      continue;
    if (c.whence == SEEK_SET && c.offset < 0) continue;
    bytes += c.size + 1;
    if (bytes > 60'000) break;  // the pipe has no reader yet
    const outcome got = ours.apply(c);
    compare(c, got, theirs.apply(c));
  }
  expect_equal(ours.close(), 0, "leat_fclose()");
  expect_equal(theirs.close(), 0, "libc's fclose()");
  expect_text(rest_of(our_pipe[0]), rest_of(their_pipe[0]), "the bytes read from the pipe");
}

void drive(input& in) {
  generator random(in);
  in.flag() ? read_from_pipes(random) : write_to_pipes(random);
}

const driver self("c_pipes", drive);

}  // namespace
