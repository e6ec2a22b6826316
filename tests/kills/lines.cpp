// Implements lines.hpp: writers of lines, their kills, and the check of the file after the kills.
#include "kills/lines.hpp"

#include <leat/leat.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "kills/victim.hpp"
#include "support/shared_memory.hpp"

namespace leat_kills {

namespace {

constexpr std::size_t processes = 3;
constexpr std::size_t threads = 2;  // of a process, at most
constexpr std::size_t writers = processes * threads;

/// The number of lines that each writer has promised, in shared memory.
using counters = std::array<std::atomic<std::uint64_t>, writers>;

counters& shared_counters() {
  static counters& shared = leat_test::shared_with_children<counters>();
  return shared;
}

/// The n-th line of a writer.
std::string line_of(std::size_t writer, std::uint64_t n) {
  std::string line(1, static_cast<char>('a' + writer));
  line += std::to_string(n) + ' ';
  line.append((n * 7919 + writer * 31) % 180, static_cast<char>('A' + n % 26));
  return line + '\n';
}

void write_lines(leat::writer& out, std::size_t writer, leat::durability how) {
  for (std::uint64_t n = 0;; ++n) {
    if (promise_early) shared_counters()[writer] = n + 1;
    out.write(line_of(writer, n));
    const bool flushes = n % 16 == 15;
    if (flushes) out.flush();
    if (flushes || how == leat::durability::process) shared_counters()[writer] = n + 1;
  }
}

/// Runs one process with the `count` writers from `first_writer` on: a thread for each, or the main
/// thread if there is only one.
[[noreturn]] void run_writers(const std::string& path, std::size_t first_writer, std::size_t count,
                              leat::durability how) {
  try {
    auto out = leat::append(path, {.durability = how});
    if (count == 1) write_lines(out, first_writer, how);
    leat::synchronized shared(out);
    std::vector<std::thread> all;
    for (std::size_t i = 0; i != count; ++i)
      all.emplace_back([&shared, i, first_writer, how] {
        try {
          write_lines(shared, first_writer + i, how);
        } catch (const std::exception& error) {
          static_cast<void>(::dprintf(2, "%s\n", error.what()));
        }
        ::_exit(1);
      });
    for (auto& thread : all) thread.join();
  } catch (const std::exception& error) {
    static_cast<void>(::dprintf(2, "%s\n", error.what()));
  }
  ::_exit(1);
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

/// A kill may interrupt a write. So if calls are not `whole`, each writer may have a torn line
/// after its last line. Returns what is wrong with `text`, or an empty text.
std::string violation_in(std::string_view text, bool whole) {
  std::array<std::uint64_t, writers> next{};
  std::array<bool, writers> torn{};
  const std::string_view all = text;
  while (!text.empty()) {
    const std::size_t writer = static_cast<std::size_t>(text.front() - 'a');
    const std::string where = " at byte " + std::to_string(all.size() - text.size());
    if (writer >= writers) return "no line of a writer" + where;
    if (torn[writer]) return "more than a torn line" + where;
    const std::string line = line_of(writer, next[writer]);
    const std::size_t size = common_prefix(text, line);
    const std::size_t after = size < text.size() ? static_cast<std::size_t>(text[size] - 'a') : 0;
    if (size != line.size() && after >= writers)
      return "line " + std::to_string(next[writer]) + " is missing, doubled or damaged" + where;
    if (size == line.size())
      ++next[writer];
    else if (whole)
      return "a torn line" + where;
    else
      torn[writer] = true;
    text.remove_prefix(size);
  }
  for (std::size_t i = 0; i != writers; ++i) {
    if (next[i] < shared_counters()[i])
      return std::string("writer ") + static_cast<char>('a' + i) + " has only " +
             std::to_string(next[i]) + " of " + std::to_string(shared_counters()[i]) +
             " promised lines";
  }
  return {};
}

}  // namespace

void remove_files_beside(const std::string& path) {
  for (const auto& one :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
    std::filesystem::remove(one.path());
}

std::string kill_writers_of_lines(const std::string& path, std::uint64_t seed, std::size_t& kills) {
  std::mt19937_64 random(seed);
  remove_files_beside(path);
  for (auto& count : shared_counters()) count = 0;
  constexpr leat::durability levels[] = {leat::durability::none, leat::durability::process,
                                         leat::durability::system};
  const leat::durability how = levels[random() % 3];
  // In half of the trials each process is alone for a while, so that bytes are pending in the
  // sidecar.
  const bool together = random() % 2 == 0;
  std::array<pid_t, processes> running{};
  const auto start = [&](std::size_t i) {
    const std::size_t count = 1 + random() % threads;
    running[i] = ::fork();
    if (running[i] < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (running[i] == 0) run_writers(path, i * threads, count, how);
  };
  start(0);
  for (std::size_t i = 1; together && i != processes; ++i) start(i);
  for (std::size_t i = 0; i != processes; ++i) {
    auto& count = shared_counters()[i * threads];
    const std::uint64_t wanted = count + random() % 100;
    for (int tries = 0; tries != 500 && count < wanted; ++tries) ::usleep(20);
    if (!together && i + 1 != processes) start(i + 1);
    ::usleep(static_cast<useconds_t>(random() % 100));
    ::kill(running[i], SIGKILL);
    int status = 0;
    while (::waitpid(running[i], &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) ++kills;
  }
  std::error_code ec;
  if (how == leat::durability::process) {
    kills += kill_recoveries(path, seed);
    leat::recover(path, ec);
  }
  if (ec) return "recover: " + ec.message();
  if (std::filesystem::exists(path + ".leat")) return "recover leaves the sidecar";
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return violation_in(text, how == leat::durability::process);
}

}  // namespace leat_kills
