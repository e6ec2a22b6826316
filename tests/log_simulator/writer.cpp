// Implements writer.hpp: processes that open the log, write lines, and report each call.
#include "log_simulator/writer.hpp"

#include <leat/codecs.hpp>
#include <leat/leat.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>

#include "log_simulator/machine.hpp"

namespace logs {

namespace {

/// Reports to the simulator, by a system call that does not exist.
void report(report_kind kind, writer_number writer, action call, std::uint64_t first = 0,
            std::uint64_t second = 0, std::uint64_t third = 0) {
  ::syscall(report_call, kind, writer, call, first, second, third);
}

leat::file_writer open_log(const log_plan& plan, std::error_code& ec) {
  if (plan.rotates) return leat::rotating(plan.path, plan.options, ec);
  leat::append_options options;
  options.reopen = true;
  options.durability = plan.options.durability;
  options.flush = plan.options.flush;
  options.buffer_size = plan.options.buffer_size;
  options.flush_interval = plan.options.flush_interval;
  options.background = plan.options.background;
  return leat::append(plan.path, options, ec);
}

/// The calls of one thread.
class line_writer {
 public:
  line_writer(const log_plan& plan, writer_number number, std::uint64_t seed)
      : plan_(&plan), number_(number), random_(seed) {}

  void write_to(leat::writer& log) {
    for (std::size_t i = 0; i != plan_->calls; ++i) {
      if (below(10) != 0)
        write_lines(log);
      else
        call(log, std::array{action::flush, action::flush, action::flush, action::sync,
                             action::reopen}[below(5)]);
    }
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  void write_lines(leat::writer& log) {
    const std::size_t count = below(6) == 0 ? 2 + below(6) : 1;
    std::string text;
    for (std::size_t i = 0; i != count; ++i) {
      const std::size_t most = below(12) == 0 ? plan_->largest_line : 60;
      text += text_of_line(number_, static_cast<std::uint32_t>(next_ + i), 20 + below(most));
    }
    report(report_kind::begins, number_, action::write,
           reinterpret_cast<std::uint64_t>(text.data()), text.size(), count);
    if (below(4) == 0)
      log.print("{}", text);
    else
      log.write(text);
    next_ += static_cast<std::uint32_t>(count);
    finish(log, action::write);
  }

  void call(leat::writer& log, action kind) {
    report(report_kind::begins, number_, kind);
    std::error_code ec;
    if (kind == action::flush)
      log.flush(ec);
    else if (kind == action::sync)
      log.sync(ec);
    else
      log.reopen(ec);
    finish(log, kind);
  }

  void finish(leat::writer& log, action kind) {
    const std::error_code ec = log.error();
    report(report_kind::ends, number_, kind, static_cast<std::uint64_t>(ec.value()), log.lost());
    if (!ec) return;
    log.clear_error();
    // The error may be from another thread's call.
    report(report_kind::ends, number_, action::clear, static_cast<std::uint64_t>(ec.value()),
           log.lost());
  }

  const log_plan* plan_;
  writer_number number_;
  std::mt19937_64 random_;
  std::uint32_t next_ = 0;
};

void close_and_report(leat::writer& log, writer_number number) {
  report(report_kind::begins, number, action::close);
  std::error_code ec;
  log.close(ec);
  report(report_kind::ends, number, action::close, static_cast<std::uint64_t>(ec.value()),
         log.lost());
}

leat::file_writer open_and_report(const log_plan& plan, writer_number number) {
  // finish() and close_and_report() report losses to the simulator.
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  report(report_kind::begins, number, action::open);
  std::error_code ec;
  auto log = open_log(plan, ec);
  report(report_kind::ends, number, action::open, static_cast<std::uint64_t>(ec.value()));
  if (ec) ::_exit(0);
  return log;
}

}  // namespace

std::string text_of_line(writer_number writer, std::uint32_t line, std::size_t size) {
  std::string text =
      "@" + std::to_string(writer) + '.' + std::to_string(line) + '.' + std::to_string(size) + ':';
  text.resize(std::max(size, text.size() + 1) - 1,
              static_cast<char>('a' + (writer * 7 + line) % 26));
  return text + '\n';
}

void write_log(const log_plan& plan, writer_number first, std::uint64_t seed) try {
  auto log = open_and_report(plan, first);
  line_writer lines(plan, first, seed);
  if (!plan.has_threads) {
    lines.write_to(log);
    close_and_report(log, first);
    ::_exit(0);
  }
  leat::synchronized shared(log);
  std::thread other([&] { line_writer(plan, first + 1, seed + 1).write_to(shared); });
  lines.write_to(shared);
  other.join();
  close_and_report(shared, first);
  ::_exit(0);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  ::_exit(1);
}

void recover_log(const log_plan& plan, writer_number first) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  report(report_kind::begins, first, action::recover);
  std::error_code ec;
  leat::recover(plan.path, ec);
  report(report_kind::ends, first, action::recover, static_cast<std::uint64_t>(ec.value()));
  ::_exit(0);
}

void reopen_log(const log_plan& plan, writer_number first) {
  auto log = open_and_report(plan, first);
  close_and_report(log, first);
  ::_exit(0);
}

}  // namespace logs
