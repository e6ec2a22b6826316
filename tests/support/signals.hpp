// Classes that ignore a signal, such as SIGPIPE, while an object exists.
#pragma once

#include <csignal>

namespace leat_test {

#if defined(_WIN32)

/// Windows has no SIGPIPE: a write to a pipe without a reader fails, and the process goes on.
struct without_sigpipe {
  ~without_sigpipe() {}
};

#else

/// While an object of this class exists, the signal is ignored.
class ignored_signal {
 public:
  explicit ignored_signal(int number) : number_(number), before_(std::signal(number, SIG_IGN)) {}
  ~ignored_signal() { std::signal(number_, before_); }
  ignored_signal(const ignored_signal&) = delete;
  ignored_signal& operator=(const ignored_signal&) = delete;

 private:
  int number_;
  void (*before_)(int);
};

/// While an object of this class exists, a write to a pipe without a reader fails with EPIPE, and
/// the process goes on.
class without_sigpipe {
  ignored_signal ignored_{SIGPIPE};
};

#endif

}  // namespace leat_test
