// The fault guard of mappings (leat's handler of SIGBUS), together with other handlers, threads and
// faults.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <leat/mapped_file.hpp>

#include <atomic>
#include <csetjmp>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#if defined(__linux__)
#  include <sys/syscall.h>

#  include <cerrno>

#  include "support/refusals.hpp"
#endif

namespace {

using namespace leat_test;

const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

// The constructors of foreign_mapping and own_mapping also remove the mapped file: the child
// processes here end without destructors, so a destructor could not remove the file.

/// A mapping that is not leat's, of a file that has shrunk.
class foreign_mapping {
 public:
  foreign_mapping() {
    const temporary_folder folder;
    const std::string path = folder / "foreign";
    write_file(path, std::string(4 * page, 'x'));
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    memory_ = static_cast<const volatile char*>(
        ::mmap(nullptr, 4 * page, PROT_READ, MAP_SHARED, file, 0));
    ::close(file);
    std::filesystem::resize_file(path, 1);
  }
  ~foreign_mapping() { ::munmap(const_cast<char*>(memory_), 4 * page); }
  foreign_mapping(const foreign_mapping&) = delete;
  foreign_mapping& operator=(const foreign_mapping&) = delete;

  void touch() const { static_cast<void>(memory_[2 * page]); }

 private:
  const volatile char* memory_;
};

/// A mapping of leat, of a file that has shrunk.
class own_mapping {
 public:
  own_mapping() {
    const temporary_folder folder;
    write_file(folder / "own", std::string(4 * page, 'x'));
    file_ = leat::map_file(folder / "own");
    std::filesystem::resize_file(folder / "own", 1);
  }
  /// Touches a page that the file has lost, and closes the mapping. Returns whether close() reports
  /// that the file shrank.
  bool touch() {
    require(file_.view()[2 * page] == '\0');
    std::error_code ec;
    file_.close(ec);
    return ec == leat::errc::file_shrank;
  }

 private:
  leat::mapped_file file_;
};

volatile sig_atomic_t calls = 0;
sigjmp_buf jump;

void set_action(auto handler, int flags) {
  struct sigaction action{};
  if constexpr (requires { action.sa_sigaction = handler; })
    action.sa_sigaction = handler;
  else
    action.sa_handler = handler;
  action.sa_flags = flags;
  require(::sigaction(SIGBUS, &action, nullptr) == 0);
}

/// Removes leat's handler, which earlier tests of this process may have installed. The next
/// mapping installs the handler again.
void reset_guard() {
  leat::guard_mappings(false);
  leat::guard_mappings(true);
}

void jump_back(int) {
  calls = calls + 1;
  ::siglongjmp(jump, 1);
}

void check_and_jump_back(int number, siginfo_t* info, void* context) {
  require(number == SIGBUS && info->si_code == BUS_ADRERR && context != nullptr);
  calls = calls + 1;
  ::siglongjmp(jump, 1);
}

/// Touches the foreign mapping. Returns whether the program's own handler has recovered from the
/// fault.
bool program_handler_recovers(const foreign_mapping& foreign) {
  if (::sigsetjmp(jump, 1) == 0) {
    foreign.touch();
    return false;
  }
  return true;
}

TEST(fault_guard, a_fault_of_another_mapping_has_the_default_action) {
  const auto child = run_in_child([] {
    reset_guard();
    std::signal(SIGBUS, SIG_DFL);
    own_mapping own;
    require(own.touch());
    foreign_mapping().touch();
  });
  EXPECT_EQ(child.signal, SIGBUS);
}

TEST(fault_guard, a_fault_elsewhere_kills_the_process_even_if_the_signal_is_ignored) {
  const auto child = run_in_child([] {
    reset_guard();
    std::signal(SIGBUS, SIG_IGN);
    own_mapping own;
    require(own.touch());
    require(::raise(SIGBUS) == 0);  // no fault has happened, so the signal is ignored
    own_mapping again;
    require(again.touch());
    foreign_mapping().touch();
  });
  EXPECT_EQ(child.signal, SIGBUS);
}

#if defined(__linux__)
TEST(fault_guard, passes_on_a_fault_that_it_cannot_repair) {
  if (sanitized) GTEST_SKIP() << "a sanitizer maps memory, too";
  constexpr int no_filters = 7;
  const auto child = run_in_child([] {
    reset_guard();
    std::signal(SIGBUS, SIG_DFL);
    own_mapping own;
    constexpr long refused[] = {SYS_mmap};
    if (!refuse_calls(refused, ENOMEM)) ::_exit(no_filters);
    own.touch();
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_EQ(child.signal, SIGBUS);
}
#endif

TEST(fault_guard, a_signal_that_a_process_sends_has_the_default_action) {
  const auto child = run_in_child([] {
    reset_guard();
    std::signal(SIGBUS, SIG_DFL);
    own_mapping own;
    ::raise(SIGBUS);
    ::_exit(1);
  });
  EXPECT_EQ(child.signal, SIGBUS);
}

TEST(fault_guard, calls_the_previous_handler) {
  const auto child = run_in_child([] {
    reset_guard();
    const foreign_mapping foreign;
    set_action(jump_back, 0);
    own_mapping own;
    require(program_handler_recovers(foreign) && calls == 1);
    require(own.touch() && calls == 1);
    require(program_handler_recovers(foreign) && calls == 2);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(fault_guard, passes_all_arguments_to_the_previous_handler) {
  const auto child = run_in_child([] {
    reset_guard();
    const foreign_mapping foreign;
    set_action(check_and_jump_back, SA_SIGINFO);
    own_mapping own;
    require(program_handler_recovers(foreign) && calls == 1);
    require(own.touch() && calls == 1);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(fault_guard, calls_a_handler_with_sa_resethand_once) {
  const auto child = run_in_child([] {
    reset_guard();
    const foreign_mapping foreign;
    set_action(jump_back, static_cast<int>(SA_RESETHAND));
    own_mapping own;
    require(program_handler_recovers(foreign) && calls == 1);
    foreign.touch();
  });
  EXPECT_EQ(child.signal, SIGBUS);
}

TEST(fault_guard, repairs_faults_on_the_alternate_signal_stack) {
  const auto child = run_in_child([] {
    reset_guard();
    std::vector<char> memory(64 * 1024);
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    require(::sigaltstack(&stack, nullptr) == 0);
    own_mapping own;
    require(own.touch());
    stack.ss_flags = SS_DISABLE;
    require(::sigaltstack(&stack, nullptr) == 0);
  });
  EXPECT_TRUE(succeeded(child));
}

bool handler_is(void (*handler)(int)) {
  struct sigaction now{};
  require(::sigaction(SIGBUS, nullptr, &now) == 0);
  return now.sa_handler == handler;
}

TEST(fault_guard, is_installed_with_the_first_mapping_and_removed_on_request) {
  const auto child = run_in_child([] {
    reset_guard();
    set_action(jump_back, 0);
    require(leat::guard_mappings(true) && handler_is(jump_back));
    {
      own_mapping own;
    }
    require(!handler_is(jump_back));
    require(leat::guard_mappings(false) && handler_is(jump_back));
    {
      const temporary_folder folder;
      write_file(folder / "file", "text");
      require(leat::map_file(folder / "file").view() == "text");
    }
    require(handler_is(jump_back));
    require(!leat::guard_mappings(true) && handler_is(jump_back));
    own_mapping own;
    require(own.touch() && calls == 0);
  });
  EXPECT_TRUE(succeeded(child));
}

struct sigaction guard_action;

void chained_handler(int number, siginfo_t* info, void* context) {
  calls = calls + 1;
  guard_action.sa_sigaction(number, info, context);
}

TEST(fault_guard, repairs_faults_that_a_later_handler_passes_on) {
  const auto child = run_in_child([] {
    reset_guard();
    std::signal(SIGBUS, SIG_DFL);
    own_mapping own;
    require(::sigaction(SIGBUS, nullptr, &guard_action) == 0);
    set_action(chained_handler, SA_SIGINFO);
    require(leat::guard_mappings(false));
    struct sigaction now{};
    require(::sigaction(SIGBUS, nullptr, &now) == 0 && now.sa_sigaction == chained_handler);
    require(own.touch() && calls == 1);
    leat::guard_mappings(true);
    own_mapping again;
    require(again.touch() && calls == 2);
    foreign_mapping().touch();  // goes through both handlers, without a loop
  });
  EXPECT_EQ(child.signal, SIGBUS);
}

TEST(fault_guard, is_active_in_a_forked_child) {
  own_mapping own;
  const auto child = run_in_child([&] {
    require(own.touch());
    own_mapping another;
    require(another.touch());
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(own.touch());
}

TEST(fault_guard, keeps_errno) {
  own_mapping own;
  errno = ERANGE;
  const bool repaired = own.touch();
  EXPECT_EQ(errno, ERANGE);
  EXPECT_TRUE(repaired);
}

TEST(fault_guard, repairs_faults_of_many_threads_at_once) {
  const temporary_folder folder;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t != 4; ++t) {
    threads.emplace_back([&, t] {
      const std::string path = folder / std::to_string(t);
      for (int i = 0; i != rounds(300); ++i) {
        write_file(path, std::string(16 * page, 'x'));
        auto mapping = leat::map_file(path);
        std::filesystem::resize_file(path, 2 * page);
        std::error_code ec;
        wrong += mapping.find("y", ec) || ec != leat::errc::file_shrank ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(fault_guard, repairs_one_mapping_for_many_threads) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (int i = 0; i != rounds(100); ++i) {
    write_file(path, std::string(64 * page, 'x'));
    auto mapping = leat::map_file(path);
    std::vector<std::thread> threads;
    std::atomic<std::size_t> zeros{0};
    std::filesystem::resize_file(path, page);
    for (int t = 0; t != 4; ++t) {
      threads.emplace_back([&] {
        std::size_t count = 0;
        for (const char c : mapping.view()) count += c == '\0' ? 1u : 0u;
        zeros += count;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(zeros, 4 * 63 * page);
    std::error_code ec;
    mapping.close(ec);
    EXPECT_EQ(ec, leat::errc::file_shrank);
  }
}

}  // namespace
