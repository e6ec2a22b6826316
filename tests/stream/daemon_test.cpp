// A parent that ends by _exit() while its child goes on, as in daemon(3), loses no pending bytes.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/iostream.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

/// Does what daemon(3) does: the child goes on, and the parent ends by _exit(). Unlike daemon(3),
/// the parent first waits for the child, so that the test knows when the child has ended.
/// A signal ends a child that takes more than 15 seconds.
void continue_in_child() {
  const pid_t child = ::fork();
  if (child != 0) ::_exit(wait_for(child));
  ::alarm(15);
}

/// Prints before and after the child replaces its parent.
template <class Stream>
void print_before_and_after_fork(Stream& out) {
  out.println("{}", "starting");
  continue_in_child();
  out.println("{}", "running");
  out.close();
}

constexpr const char* both_lines = "starting\nrunning\n";

TEST(daemon, keeps_pending_bytes_of_each_kind_of_stream) {
  const temporary_folder folder;
  const std::string path = folder / "log";
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"create",
       [&] {
         auto out = leat::create(path);
         print_before_and_after_fork(out);
       }},
      {"append",
       [&] {
         auto out = leat::append(path);
         print_before_and_after_fork(out);
       }},
      {"append by lines",
       [&] {
         auto out = leat::append(path, {.flush = leat::flush_when::line});
         out.print("start");
         continue_in_child();
         out.print("ing\nrunning\n");
         out.close();
       }},
      {"reopen",
       [&] {
         auto out = leat::append(path, {.reopen = true});
         print_before_and_after_fork(out);
       }},
      {"update",
       [&] {
         auto out = leat::update(path, {.create = true});
         print_before_and_after_fork(out);
       }},
      {"rotating",
       [&] {
         auto out = leat::rotating(path, {.size = 1 << 20});
         print_before_and_after_fork(out);
       }},
      {"process",
       [&] {
         auto out = leat::create(path, {.durability = leat::durability::process});
         print_before_and_after_fork(out);
       }},
      {"system",
       [&] {
         auto out = leat::create(path, {.durability = leat::durability::system});
         print_before_and_after_fork(out);
       }},
      {"direct",
       [&] {
         auto out = leat::create(path, {.caching = leat::caching::direct});
         print_before_and_after_fork(out);
       }},
      {"adopt",
       [&] {
         leat::file_writer out(leat::adopt(::open(path.c_str(), O_WRONLY | O_CREAT, 0600)));
         print_before_and_after_fork(out);
       }},
      {"synchronized",
       [&] {
         leat::synchronized out(leat::create(path));
         print_before_and_after_fork(out);
       }},
      {"with",
       [&] {
         leat::synchronized out(leat::create(path));
         out.with([](leat::writer& w) {
           w.println("starting");
           continue_in_child();
           w.println("running");
         });
         out.close();
       }},
      {"ofstream",
       [&] {
         leat::ofstream out(path);
         out << "starting\n";
         continue_in_child();
         out << "running\n";
         out.close();
       }},
      {"fstream",
       [&] {
         leat::fstream out(path, std::ios::in | std::ios::out | std::ios::trunc);
         out << "starting\n";
         continue_in_child();
         out << "running\n";
         out.close();
       }},
      {"ostream",
       [&] {
         auto below = leat::create(path);
         leat::ostream out(below);
         out << "starting\n";
         continue_in_child();
         out << "running\n" << std::flush;
       }},
  };
  for (const auto& [name, body] : kinds) {
    std::remove(path.c_str());
    const auto result = run_in_child(body);
    EXPECT_TRUE(succeeded(result)) << name;
    EXPECT_EQ(read_all(path), both_lines) << name;
    EXPECT_EQ(result.err, "") << name;
  }
}

TEST(daemon, keeps_pending_bytes_of_streams_with_threads) {
  if (sanitized || emulated) GTEST_SKIP() << "a child may start no threads here";
  const temporary_folder folder;
  const auto interval = run_in_child([&] {
    auto out = leat::create(folder / "interval", {.flush_interval = std::chrono::hours(1)});
    print_before_and_after_fork(out);
  });
  EXPECT_TRUE(succeeded(interval));
  EXPECT_EQ(read_all(folder / "interval"), both_lines);
  const auto background = run_in_child([&] {
    auto out = leat::create(folder / "background", {.background = true});
    for (int i = 0; i != 100'000; ++i) out.println("line {}", i);
    print_before_and_after_fork(out);
  });
  EXPECT_TRUE(succeeded(background));
  const std::string all = read_all(folder / "background");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 100'002);
  EXPECT_TRUE(all.ends_with("line 99999\nstarting\nrunning\n"));
}

TEST(daemon, keeps_pending_bytes_of_standard_output) {
  const auto out = run_in_child([] {
    leat::out.println("starting");
    continue_in_child();
    leat::out.println("running");
    leat::out.flush();
  });
  EXPECT_TRUE(succeeded(out));
  EXPECT_EQ(out.out, both_lines);
  const auto cout = run_in_child(
      [] {
        leat::cout << "starting\n";
        continue_in_child();
        leat::cout << "running\n";
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(cout));
  EXPECT_EQ(cout.out, both_lines);
}

// Before the fork, other threads have printed: one to a stream, and several to a shared stream.
TEST(daemon, output_of_other_threads_is_written_once) {
  const temporary_folder folder;
  const auto result = run_in_child([&] {
    auto own = leat::create(folder / "own");
    std::thread([&] { own.println("starting"); }).join();
    continue_in_child();
    own.println("running");
    own.close();
  });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(read_all(folder / "own"), both_lines);
  const auto shared = run_in_child([&] {
    leat::synchronized out(leat::create(folder / "shared"));
    std::atomic<int> printed = 0;
    for (int t = 0; t != 3; ++t)
      std::thread([&] {
        for (int i = 0; i != 1000; ++i) out.println("starting");
        ++printed;
        ::pause();
      }).detach();
    while (printed != 3) std::this_thread::yield();
    continue_in_child();
    out.println("running");
    out.close();
  });
  EXPECT_TRUE(succeeded(shared));
  const std::string all = read_all(folder / "shared");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 3001);
  EXPECT_TRUE(all.ends_with("running\n"));
}

}  // namespace
