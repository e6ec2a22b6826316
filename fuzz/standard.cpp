// leat::in, leat::out and leat::err over files and pipes, in a child process: the child reads its
// input, and all bytes that the child writes arrive in order.
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/print.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>

#include "fuzz.hpp"
#include "writing.hpp"

namespace {

using fuzz::input, fuzz::model, fuzz::step;

/// Reads by a random call, compares the bytes with the start of `rest`, and removes these bytes
/// from `rest`.
void read(input& in, leat::reader& from, std::string_view& rest) {
  switch (in.below(6)) {
    case 0: {
      const int byte = from.get();
      fuzz::expect_equal(byte, rest.empty() ? -1 : static_cast<unsigned char>(rest[0]), "get()");
      rest.remove_prefix(rest.empty() ? 0 : 1);
      break;
    }
    case 1: {
      std::string got(in.boundary_size(70'000), '?');
      const std::size_t wanted = got.size();
      got.resize(from.read(std::span(got)));
      fuzz::expect_text(got, rest.substr(0, wanted), "read()");
      rest.remove_prefix(got.size());
      break;
    }
    case 2: {
      std::string line;
      const bool has_line = from.read_line(line);
      fuzz::expect_equal(has_line, !rest.empty(), "whether read_line() returns a line");
      const auto end = std::min(rest.find('\n'), rest.size());
      fuzz::expect_text(line, rest.substr(0, end), "read_line()");
      rest.remove_prefix(std::min(end + 1, rest.size()));
      break;
    }
    case 3: {
      const std::size_t n = in.boundary_size(5000);
      fuzz::expect_text(from.peek(n).substr(0, n), rest.substr(0, n), "peek()");
      break;
    }
    case 4:
      for (const std::string_view line : from.lines()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        fuzz::expect_text(line, rest.substr(0, end), "lines()");
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (in.rarely(4)) break;
      }
      break;
    default: {
      const auto passed = from.skip(in.below(100));
      rest.remove_prefix(passed);
    }
  }
}

/// Reads by leat::cin, compares the bytes with the start of `rest`, and removes these bytes from
/// `rest`. A run reads either by leat::cin or by leat::in.
void read_formatted(input& in, std::string_view& rest) {
  if (in.flag()) {
    const int byte = leat::cin.get();
    fuzz::expect_equal(byte, rest.empty() ? -1 : static_cast<unsigned char>(rest[0]), "cin.get()");
    rest.remove_prefix(rest.empty() ? 0 : 1);
  } else {
    std::string line;
    fuzz::expect_equal(static_cast<bool>(leat::getline(leat::cin, line)), !rest.empty(),
                       "getline()");
    const auto end = std::min(rest.find('\n'), rest.size());
    fuzz::expect_text(line, rest.substr(0, end), "getline()");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  leat::cin.clear();
}

/// Writes to standard output or standard error by a formatting function.
void write_formatted(input& in, model& out, model& err) {
  const auto number = in.integer<int>();
  const std::string text = in.bytes(in.boundary_size(5000)),
                    line = fmt::format("{}{}\n", number, text);
  switch (in.below(5)) {
    case 0:
      leat::print("{}{}\n", number, text);
      return out.write(line);
    case 1:
      leat::println("{}{}", number, text);
      return out.write(line);
    case 2:
      leat::cout << number << text << '\n';
      return out.write(line);
    case 3:
      leat::cerr << number << text << '\n';
      return err.write(line);
    default:
      leat::clog << number << text << '\n';
      return err.write(line);
  }
}

/// Makes the calls of the child process, and writes the same bytes to the models.
void run_child(input& in, std::string_view text, model& out, model& err) {
  const bool by_name = in.flag(), by_cin = !by_name && in.flag();
  leat::file_reader named;
  leat::file_writer named_out;
  if (by_name)
    named = leat::open_or_stdin("-", {.buffer_size = in.flag() ? 0 : in.boundary_size(5000)});
  if (by_name) named_out = leat::create_or_stdout("-");
  leat::reader& from = by_name ? static_cast<leat::reader&>(named) : leat::in;
  leat::writer& to = by_name ? static_cast<leat::writer&>(named_out) : leat::out;
  while (in.has_more()) {
    switch (in.below(9)) {
      case 0:
      case 1:
        by_cin ? read_formatted(in, text) : read(in, from, text);
        break;
      case 4:
        write_formatted(in, out, err);
        break;
      case 2:
        fuzz::write_something(in, leat::err, err);
        break;
      case 3:
        if (in.flag()) to.flush();
        break;
      default:
        fuzz::write_something(in, to, out);
    }
  }
}

void drive(input& in) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c)  the child may not read everything
  const std::string text = in.bytes(in.boundary_size(300'000));
  const std::string folder = fuzz::scratch();
  leat::write_file(folder + "in", text);
  const bool pipes_input = in.flag(), pipes_output = in.flag();
  const auto open = [&](const char* name, int flags) {
    return ::open((folder + name).c_str(), flags, 0600);
  };
  for (const char* name : {"out", "err", "expected out", "expected err"})
    ::close(open(name, O_WRONLY | O_CREAT | O_TRUNC));
  std::array<int, 2> ends{-1, -1}, out_ends{-1, -1};
  if (pipes_input) fuzz::expect(::pipe(ends.data()) == 0, "pipe() fails");
  if (pipes_output) fuzz::expect(::pipe(out_ends.data()) == 0, "pipe() fails");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipes_input ? ends[0] : open("in", O_RDONLY), STDIN_FILENO);
    if (pipes_input) ::close(ends[1]);
    ::dup2(pipes_output ? out_ends[1] : open("out", O_WRONLY), STDOUT_FILENO);
    if (pipes_output) ::close(out_ends[1]);
    ::dup2(open("err", O_WRONLY), STDERR_FILENO);
    fuzz::shows_steps = false;  // standard error is compared
    model out, err;
    run_child(in, text, out, err);
    leat::write_file(folder + "expected out", out.content);
    leat::write_file(folder + "expected err", err.content);
    if (fuzz::may_exit) std::exit(7);
    leat::out.flush();
    ::_exit(7);
  }
  std::jthread drain;
  if (pipes_output) {
    ::close(out_ends[1]);
    drain = std::jthread([&] {
      leat::write_file(folder + "out", leat::file_reader(leat::adopt(out_ends[0])).read_all());
    });
  }
  if (pipes_input) {
    ::close(ends[0]);
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = ::write(ends[1], text.data() + at, text.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (pipes_output) drain.join();
  const std::string error_text = leat::read_file(folder + "err");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
    fuzz::fail(fmt::format("the child ended with wait status {}: {}", status, error_text));
  fuzz::expect_text(leat::read_file(folder + "out"), leat::read_file(folder + "expected out"),
                    "standard output");
  fuzz::expect_text(error_text, leat::read_file(folder + "expected err"), "standard error");
  in.rest();
}

const fuzz::driver self("standard", drive);

}  // namespace
