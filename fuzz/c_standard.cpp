// C's readers and writers of the standard streams, in a child process. The expected output is
// compared by the parent.
#include <fcntl.h>
#include <leat/leat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <leat/file_stream.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

#include "c_text.hpp"
#include "fuzz.hpp"

namespace {

using namespace fuzz;

/// Makes the child's calls: copies lines of standard input to standard output or standard error.
/// Appends the copied lines to `out` or `err`, as the expected text.
void run_child(input& in, std::string_view text, std::string& out, std::string& err) {
  leat_reader_options options{};
  options.buffer_size = in.boundary_size(5'000);
  leat_reader* const from =
      in.flag() ? leat_reader_stdin() : leat_reader_open_or_stdin("-", &options);
  leat_writer* const to =
      in.flag() ? leat_writer_stdout() : leat_writer_create_or_stdout("-", nullptr);
  leat_writer* const errors = leat_writer_stderr();
  for (leat_text line{}; !text.empty() && in.has_more();) {
    expect_equal(leat_reader_next_line(from, nullptr, &line), 1, "a line of standard input");
    const std::size_t end = std::min(text.find('\n'), text.size());
    expect_text(view_of(line), text.substr(0, end), "a line of standard input");
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_output = in.flag();
    leat_writer_write(is_output ? to : errors, line.bytes, line.size);
    (is_output ? out : err) += view_of(line);
    if (in.rarely(8))
      expect_equal(leat_writer_flush(to), 0, "leat_writer_flush() of standard output");
  }
  if (from == leat_reader_stdin())
    expect(leat_reader_fileno(from) == -1 && errno == EBADF, "leat_reader_fileno()");
  leat_reader_close(from);  // the reader of leat_reader_stdin() stays open
  if (in.flag() || to != leat_writer_stdout())
    expect_equal(leat_writer_close(to), 0, "leat_writer_close() of standard output");
}

void drive(input& in) {
  leat_set_loss_handler([](const leat_error*) { fail("bytes were lost"); });
  const std::string folder = scratch(), text = in.bytes(in.boundary_size(70'000));
  leat::write_file(folder + "in", text);
  step("standard streams");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto replace = [&](const char* name, int flags, int descriptor) {
      ::dup2(::open((folder + name).c_str(), flags | O_CREAT | O_TRUNC, 0600), descriptor);
    };
    ::dup2(::open((folder + "in").c_str(), O_RDONLY), STDIN_FILENO);
    replace("out", O_WRONLY, STDOUT_FILENO);
    replace("err", O_WRONLY, STDERR_FILENO);
    std::string out, err;
    run_child(in, text, out, err);
    leat::write_file(folder + "expected out", out);
    leat::write_file(folder + "expected err", err);
    if (may_exit) std::exit(7);
    leat_writer_flush(leat_writer_stdout());
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::string error_text = leat::read_file(folder + "err");
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 7,
         "the child does not exit with status 7: " + error_text);
  expect_text(leat::read_file(folder + "out"), leat::read_file(folder + "expected out"),
              "standard output");
  expect_text(error_text, leat::read_file(folder + "expected err"), "standard error");
}

const driver self("c_standard", drive);

}  // namespace
