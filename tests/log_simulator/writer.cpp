// The processes of the simulator: they open the log, write lines, and report each call.
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
void tell(message what, writer_number writer, action which, std::uint64_t first = 0,
          std::uint64_t second = 0, std::uint64_t third = 0) {
  ::syscall(report_call, what, writer, which, first, second, third);
}

leat::file_writer open_log(const plan& what, std::error_code& ec) {
  if (what.rotates) return leat::rotating(what.path, what.how, ec);
  leat::append_options how;
  how.reopen = true;
  how.durability = what.how.durability;
  how.flush = what.how.flush;
  how.buffer_size = what.how.buffer_size;
  how.flush_interval = what.how.flush_interval;
  how.background = what.how.background;
  return leat::append(what.path, how, ec);
}

/// The calls of one thread.
class author {
 public:
  author(const plan& what, writer_number number, std::uint64_t seed)
      : what_(&what), number_(number), random_(seed) {}

  void write_to(leat::writer& log) {
    for (std::size_t i = 0; i != what_->calls; ++i) {
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
      const std::size_t most = below(12) == 0 ? what_->largest_line : 60;
      text += text_of_line(number_, static_cast<std::uint32_t>(next_ + i), 20 + below(most));
    }
    tell(message::begins, number_, action::write, reinterpret_cast<std::uint64_t>(text.data()),
         text.size(), count);
    if (below(4) == 0)
      log.print("{}", text);
    else
      log.write(text);
    next_ += static_cast<std::uint32_t>(count);
    finish(log, action::write);
  }

  void call(leat::writer& log, action which) {
    tell(message::begins, number_, which);
    std::error_code ec;
    if (which == action::flush)
      log.flush(ec);
    else if (which == action::sync)
      log.sync(ec);
    else
      log.reopen(ec);
    finish(log, which);
  }

  void finish(leat::writer& log, action which) {
    const std::error_code ec = log.error();
    tell(message::ends, number_, which, static_cast<std::uint64_t>(ec.value()), log.lost());
    if (!ec) return;
    log.clear_error();
    // The error may be from another thread's call.
    tell(message::ends, number_, action::clear, static_cast<std::uint64_t>(ec.value()), log.lost());
  }

  const plan* what_;
  writer_number number_;
  std::mt19937_64 random_;
  std::uint32_t next_ = 0;
};

void close(leat::writer& log, writer_number number) {
  tell(message::begins, number, action::close);
  std::error_code ec;
  log.close(ec);
  tell(message::ends, number, action::close, static_cast<std::uint64_t>(ec.value()), log.lost());
}

leat::file_writer begin(const plan& what, writer_number number) {
  // finish() and close() report losses to the simulator.
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  tell(message::begins, number, action::open);
  std::error_code ec;
  auto log = open_log(what, ec);
  tell(message::ends, number, action::open, static_cast<std::uint64_t>(ec.value()));
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

void write_log(const plan& what, writer_number first, std::uint64_t seed) try {
  auto log = begin(what, first);
  author one(what, first, seed);
  if (!what.has_threads) {
    one.write_to(log);
    close(log, first);
    ::_exit(0);
  }
  leat::synchronized shared(log);
  std::thread second([&] { author(what, first + 1, seed + 1).write_to(shared); });
  one.write_to(shared);
  second.join();
  close(shared, first);
  ::_exit(0);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  ::_exit(1);
}

void recover_log(const plan& what, writer_number first) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  tell(message::begins, first, action::recover);
  std::error_code ec;
  leat::recover(what.path, ec);
  tell(message::ends, first, action::recover, static_cast<std::uint64_t>(ec.value()));
  ::_exit(0);
}

void reopen_log(const plan& what, writer_number first) {
  auto log = begin(what, first);
  close(log, first);
  ::_exit(0);
}

}  // namespace logs
