// Implements the victims: processes that write and are killed.
#include "kills/victim.hpp"

#include <leat/leat.hpp>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <system_error>
#include <utility>

namespace leat_kills {

bool promise_early = false;

report_log::report_log() {
  void* const mapped =
      ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  memory_ = static_cast<char*>(mapped);
  count_ = new (mapped) std::atomic<std::uint64_t>(0);
  clear();
}

report_log::~report_log() { ::munmap(memory_, room); }

void report_log::clear() {
  count_->store(0);
  end_ = memory_ + sizeof *count_;
}

void report_log::add(char kind, std::string_view content) {
  const std::uint64_t size = content.size();
  if (content.size() + 16 > static_cast<std::size_t>(memory_ + room - end_))
    ::kill(::getpid(), SIGKILL);
  *end_++ = kind;
  end_ = static_cast<char*>(std::memcpy(end_, &size, sizeof size)) + sizeof size;
  if (size != 0) std::memcpy(end_, content.data(), content.size());
  end_ += size;
  count_->fetch_add(1, std::memory_order_release);
}

leat_test::history report_log::to_history(std::string name, std::string path) const {
  leat_test::history result(std::move(name), std::move(path), 0);
  const char* at = memory_ + sizeof *count_;
  const std::uint64_t count = count_->load(std::memory_order_acquire);
  for (std::size_t i = 0; i != count; ++i) {
    const char kind = *at++;
    std::uint64_t size = 0;
    std::memcpy(&size, at, sizeof size);
    at += sizeof size;
    if (kind == '!')
      result.add_promise(i);
    else
      result.add_change(i, std::string(at, size),
                        kind == 'w' ? atomicity::whole : atomicity::in_parts);
    at += size;
  }
  return result;
}

std::string victim::text() {
  constexpr std::size_t longest[] = {1, 10, 100, 100, 1000, 9000};
  const std::size_t n = 1 + below(longest[below(std::size(longest))]);
  std::string result;
  const std::size_t call = below(100000);
  for (std::size_t i = 0; result.size() < n; ++i)
    result += std::to_string(call) + ':' + std::to_string(i) + ' ';
  result.resize(n - 1);
  result += '\n';
  return result;
}

namespace {

[[noreturn]] void run_as_victim(const std::function<void()>& body, bool traced) {
  if (traced) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
  }
  try {
    body();
  } catch (const std::exception& error) {
    static_cast<void>(::dprintf(2, "%s\n", error.what()));
  }
  ::_exit(1);
}

/// Lets the victim make `stops` steps, each to the next begin or end of a system call. Returns the
/// status from waitpid(): the victim may have ended.
int run_to_stop(pid_t process, std::uint64_t stops) {
  int status = 0;
  ::waitpid(process, &status, 0);
  for (std::uint64_t i = 0; i != stops && WIFSTOPPED(status); ++i) {
    const int signal = WSTOPSIG(status);
    const long deliver = signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
    if (::ptrace(PTRACE_SYSCALL, process, nullptr, deliver) == 0) ::waitpid(process, &status, 0);
  }
  return status;
}

}  // namespace

bool run_and_kill(const std::function<void()>& body, const report_log& reports,
                  const kill_time& when) {
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process == 0) run_as_victim(body, when.stops != 0);
  int status = 0;
  if (when.stops != 0) status = run_to_stop(process, when.stops);
  // The wait is limited, because a victim that had no room for a report has killed itself.
  for (int i = 0; i != 2000 && reports.events() < when.events; ++i) ::usleep(20);
  if (when.microseconds != 0) ::usleep(when.microseconds);
  if (status == 0 || WIFSTOPPED(status)) {
    ::kill(process, SIGKILL);
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::size_t kill_recoveries(const std::string& path, std::uint64_t seed) {
  static const report_log nothing;
  std::mt19937_64 random(seed);
  std::size_t killed = 0;
  for (std::size_t n = random() % 3; n != 0 && ::access(path.c_str(), F_OK) == 0; --n) {
    const bool appends = random() % 2 == 0;
    const auto recover = [&] {
      std::error_code ec;
      if (appends)
        leat::append(path, {.durability = leat::durability::process}, ec).close(ec);
      else
        leat::recover(path, ec);
    };
    killed += run_and_kill(recover, nothing, {.stops = 1 + random() % 120});
  }
  return killed;
}

}  // namespace leat_kills
