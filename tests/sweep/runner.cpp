// Implements runner: a scenario in a child process.
#include "sweep/runner.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

#include "support/sanitizer.hpp"
#include "sweep/allocations.hpp"
#include "sweep/calls.hpp"

namespace sweep {

namespace {

constexpr unsigned time_limit = leat_test::sanitized ? 120 : 30;

int count_open_descriptors() {
  int count = 0;
  for (int i = 0; i != 256; ++i) count += ::fcntl(i, F_GETFD) >= 0;
  return count;
}

/// Throws and catches an exception. The first exception of a process allocates memory that is never
/// freed and must not count as a leak.
void throw_once() {
  try {
    throw leat::io_error({std::make_error_code(std::errc::io_error), "open"}, "path");
  } catch (const leat::io_error& error) {
    if (std::strlen(error.what()) == 0) ::_exit(97);
  }
}

}  // namespace

std::string name_of_error(int error) {
#if defined(__GLIBC__)
  const char* const name = ::strerrorname_np(error);
  return name != nullptr ? name : "";
#else
  return "E" + std::to_string(error);
#endif
}

struct runner::report {
  std::size_t allocations;
  std::ptrdiff_t unfreed;
  char violations[4096];
};

std::string fault_plan::text() const {
  std::string text;
  for (const auto& fault : calls) {
    text += (text.empty() ? "" : ",") + std::to_string(fault.at) + ':';
    text += fault.error != 0 ? name_of_error(fault.error) : std::to_string(fault.max_bytes);
    if (fault.onwards) text += '+';
  }
  if (allocation != none)
    text += (text.empty() ? "a" : ",a") + std::to_string(allocation) + (onwards ? "+" : "");
  return text;
}

runner::runner(bool traces) : traces_(traces) {
  const char* parent = std::getenv("TMPDIR");
  folder_ =
      std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/leat-sweep-XXXXXX";
  void* const shared =
      ::mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("sweep: cannot map memory for the report");
    std::exit(2);
  }
  if (::mkdtemp(folder_.data()) == nullptr) {
    std::perror("sweep: cannot create a folder in TMPDIR, or in /tmp");
    std::exit(2);
  }
  report_ = static_cast<report*>(shared);
}

runner::~runner() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

result runner::run(const scenario& tested, const fault_plan& faults,
                   std::ptrdiff_t allowed_unfreed) const {
  // A new folder for each run, because a program of the last run may still write to the old folder.
  const std::string folder = folder_ + '/' + std::to_string(1'000'000 + ++runs_);
  std::filesystem::create_directory(folder);
  *report_ = {};
  const auto child = [&] {
    ::alarm(time_limit);
    trial t(folder);
    for (const auto& fault : faults.calls)
      t.may_leave_files = t.may_leave_files || may_leave_files(fault.call);
    tested.prepare(t);
    throw_once();
    const int descriptors = count_open_descriptors();
    const std::ptrdiff_t live = live_allocations();
    fail_allocation(faults.allocation, faults.onwards);
    if (traces_) begin_trace();
    t.run(tested.body);
    if (traces_) end_trace();
    report_->allocations = stop_failing();
    report_->unfreed = live_allocations() - live;
    t.check(count_open_descriptors() == descriptors, "no descriptor is left open");
    t.check(report_->unfreed <= allowed_unfreed,
            "no memory is lost: " + std::to_string(report_->unfreed) +
                " allocations were not freed, " + std::to_string(allowed_unfreed) + " are allowed");
    const bool has_fault = faults.allocation != fault_plan::none || !faults.calls.empty();
    t.check(t.outcome != ending::no_memory || has_fault,
            "std::bad_alloc is thrown only after a fault");
    tested.check(t);
    t.violations().copy(report_->violations, sizeof report_->violations - 1);
    ::_exit(0);
  };
  result run_result;
  if (traces_) {
    run_result.calls = trace(child, faults.calls);
  } else {
    const pid_t process = ::fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process == 0) child();
    while (::waitpid(process, &run_result.calls.status, 0) < 0 && errno == EINTR) {
    }
  }
  run_result.allocations = report_->allocations;
  run_result.unfreed = report_->unfreed;
  run_result.violations = report_->violations;
  const int status = run_result.calls.status;
  if (run_result.calls.endless)
    run_result.violations += "the run makes too many system calls; ";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    run_result.violations += "the run exceeds the time limit; ";
  else if (WIFSIGNALED(status))
    run_result.violations +=
        std::string("the run crashes: ") + ::strsignal(WTERMSIG(status)) + "; ";
  else if (WEXITSTATUS(status) != 0)
    run_result.violations +=
        "the run ends with status " + std::to_string(WEXITSTATUS(status)) + "; ";
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return run_result;
}

}  // namespace sweep
