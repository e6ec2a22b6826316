// Runs a part of a test in a child process.
#pragma once

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/sanitizer.hpp"
#include "support/signals.hpp"

#if defined(HAS_FORK)

#  include <gtest/gtest.h>
#  include <sys/resource.h>
#  include <sys/wait.h>
#  include <unistd.h>

#  include <cerrno>
#  include <csignal>
#  include <cstdio>
#  include <cstdlib>
#  include <exception>
#  include <source_location>
#  include <string>
#  include <system_error>

namespace leat_test {

/// If `ok` is false, ends the child with a message and exit code 99. For use in start_child and
/// run_in_child.
inline void require(bool ok, std::source_location where = std::source_location::current()) {
  if (ok) return;
  ::dprintf(2, "require() failed in line %u of %s\n", where.line(), where.file_name());
  ::_exit(99);
}

/// Sets a soft limit of this process. Only child processes may call this function, because the
/// limit stays.
inline void limit_resource(decltype(RLIMIT_FSIZE) resource, rlim_t value) {
  rlimit limit{};
  require(::getrlimit(resource, &limit) == 0);
  limit.rlim_cur = value;
  require(::setrlimit(resource, &limit) == 0);
}

struct child_result {
  int code = -1;    ///< the exit code, or -1 if a signal killed the child
  int signal = 0;   ///< the signal that killed the child, or 0
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// Waits for a child, and stores its exit code or signal. start_child() has set an alarm in the
/// child, so the wait is limited.
inline void wait_for(pid_t process, child_result& result) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
}

/// Waits for a child. Returns the child's exit code, or 1000 plus the signal that killed the child.
inline int wait_for(pid_t process) {
  child_result result;
  wait_for(process, result);
  return result.signal != 0 ? 1000 + result.signal : result.code;
}

enum class ending { quick, orderly };

/// Forks a child that runs `body`. Returns the child's process number. A `quick` child ends by
/// _exit, an `orderly` child by std::exit, with atexit functions and static destructors. If `body`
/// throws a std::exception, the child prints the message of the exception and ends with code 98. An
/// alarm ends the child after 40 s (with sanitizers: 120 s). If fork() fails, throws
/// std::system_error.
template <class Body>
pid_t start_child(Body&& body, ending kind = ending::quick) {
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process != 0) return process;
  ::alarm(sanitized ? 120 : 40);
  try {
    body();
  } catch (const std::exception& error) {
    ::dprintf(2, "exception: %s\n", error.what());
    ::_exit(98);
  }
  if (kind == ending::orderly) std::exit(0);
  ::_exit(0);
}

/// Like start_child, but waits for the child and returns its result. If `body` does not redirect
/// the child's output, the output goes to files.
template <class Body>
child_result run_in_child(Body&& body, ending kind = ending::quick) {
  const temporary_folder folder;
  const pid_t process = start_child(
      [&] {
        const auto redirect = [](const std::string& path, int to) {
          const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
          if (file < 0 || ::dup2(file, to) < 0 || ::close(file) != 0) ::_exit(97);
        };
        redirect(folder / "out", 1);
        redirect(folder / "err", 2);
        body();
      },
      kind);
  child_result result;
  wait_for(process, result);
  result.out = read_all(folder / "out");
  result.err = read_all(folder / "err");
  return result;
}

/// Returns a failure with the child's stderr if the exit code is not 0.
inline testing::AssertionResult succeeded(const child_result& result) {
  if (result.code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "child ended with code " << result.code << ", signal "
                                     << result.signal << ", and wrote to stderr: " << result.err;
}

}  // namespace leat_test

#endif
