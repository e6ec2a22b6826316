// Threads that share a stream: the bytes of a call stay together, the calls of a thread stay in
// order, and bytes that a failing disk loses are counted.
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step;

/// A thread's call, which writes one line. `function` is the number of the function to call.
/// `size` is the number of letters in the line, without the header.
struct call {
  unsigned function;
  std::size_t size;
};
constexpr std::size_t header_size = 8;  // "TTCCSSSS": thread and call in base 10, size in base 16

/// Returns "TTCCSSSS", SSSS letters and a newline. The size in the header shows where the call
/// ends.
std::string line_of(std::size_t thread, std::size_t number, std::size_t size) {
  return fmt::format("{:02}{:02}{:04x}{}\n", thread, number, size,
                     std::string(size, static_cast<char>('a' + thread)));
}

void make_calls(leat::shared_writer& out, std::size_t thread, const std::vector<call>& calls,
                bool syncs) {
  std::error_code ignored;
  for (std::size_t i = 0; i != calls.size(); ++i) {
    const std::string line = line_of(thread, i, calls[i].size);
    const std::string_view text = std::string_view(line).substr(0, line.size() - 1);
    switch (calls[i].function % 8) {
      case 0:
        out.write(line);
        break;
      case 1:
        out.println("{}", text);
        break;
      case 2:
        out.print("{0}\n", text);
        break;
      case 3:
        out.println(leat::runtime("{:{}}"), text, 0);
        break;
      case 4:
        out.with([&](leat::writer& w) {
          for (const char c : text.substr(0, header_size)) w.put(c);
          w.write(text.substr(header_size));
          w.println();
        });
        break;
      case 5:
        out.with([&](leat::writer&) { out.write(line); });
        break;
      case 6:
        syncs ? out.sync(ignored) : out.flush(ignored);
        out.write(line);
        break;
      default: {
        leat::memory_reader from(line);
        leat::copy(from, out, ignored);
      }
    }
  }
}

/// Checks the calls in the text. If `is_complete` is true, the text has all calls. If `is_complete`
/// is false, calls may be missing, and the text may end within a call.
void expect_calls(std::string_view text, const std::vector<std::vector<call>>& calls_by_thread,
                  bool is_complete) {
  std::vector<std::size_t> next(calls_by_thread.size(), 0);
  while (!text.empty()) {
    std::size_t thread = 0, number = 0;
    if (text.size() >= header_size) {
      std::from_chars(text.data(), text.data() + 2, thread);
      std::from_chars(text.data() + 2, text.data() + 4, number);
    } else if (!is_complete) {
      break;
    }
    fuzz::expect(text.size() >= header_size && thread < calls_by_thread.size() &&
                     number < calls_by_thread[thread].size(),
                 "no call begins at this position");
    const std::string line = line_of(thread, number, calls_by_thread[thread][number].size);
    if (!is_complete && line.starts_with(text)) break;
    fuzz::expect_text(text.substr(0, line.size()), line, "the bytes of a call");
    if (is_complete)
      fuzz::expect_equal(number, next[thread], "the number of the thread's next call");
    fuzz::expect(number >= next[thread], "a thread's calls are not in order");
    next[thread] = number + 1;
    text.remove_prefix(line.size());
  }
  for (std::size_t t = 0; is_complete && t != calls_by_thread.size(); ++t)
    fuzz::expect_equal(next[t], calls_by_thread[t].size(), "the number of calls of a thread");
}

/// Lets the threads make their calls, closes the stream, and checks the content.
template <class Content>
void run_threads(leat::writer& target, const std::vector<std::vector<call>>& calls_by_thread,
                 const fuzz::disk* disk, const Content& content) {
  std::optional<leat::synchronized> out(std::in_place, target);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t != calls_by_thread.size(); ++t)
    threads.emplace_back([&, t] { make_calls(*out, t, calls_by_thread[t], disk != nullptr); });
  for (auto& thread : threads) thread.join();
  std::error_code ec;
  out->close(ec);
  const bool failed = disk != nullptr && disk->faults != 0;
  if (ec) fuzz::expect(failed, "close() fails without a fault");
  std::size_t bytes = 0;
  for (std::size_t t = 0; t != calls_by_thread.size(); ++t)
    for (std::size_t i = 0; i != calls_by_thread[t].size(); ++i)
      bytes += line_of(t, i, calls_by_thread[t][i].size).size();
  fuzz::expect_equal(content().size() + out->lost(), bytes,
                     "the number of bytes in the file and lost bytes");
  // After a failure the file has the beginning of the text.
  expect_calls(content(), calls_by_thread, !failed);
}

void drive(input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  std::vector<std::vector<call>> calls_by_thread(1 + in.below(4));
  for (auto& calls : calls_by_thread)
    for (std::size_t n = in.below(40); n != 0; --n)
      calls.push_back(
          {in.integer<std::uint8_t>(), in.rarely(16) ? in.below(60'000) : in.below(100)});
  constexpr std::array durabilities{leat::durability::none, leat::durability::process,
                                    leat::durability::none};
  constexpr std::array flushes{leat::flush_when::full, leat::flush_when::line,
                               leat::flush_when::call};
  const auto durability = in.one_of(durabilities);
  const auto flush = in.one_of(flushes);
  const std::size_t buffer = in.flag() ? 0 : in.boundary_size(70'000);
  const auto interval = std::chrono::milliseconds(in.rarely(4) ? 1 : 0);
  const bool background = in.rarely(4);
  step("{} threads, durability {}, flush {}, buffer {}, interval {}, background {}",
       calls_by_thread.size(), static_cast<int>(durability), static_cast<int>(flush), buffer,
       interval.count(), background);
  switch (in.below(4)) {
    case 0: {
      leat::string_writer memory;
      return run_threads(memory, calls_by_thread, nullptr, [&] { return memory.view(); });
    }
    case 1: {
      fuzz::disk disk = fuzz::disk::from_input(in, true);
      disk.traits.syncs_concurrently = in.flag();
      leat::file_writer out(std::make_unique<fuzz::device>(disk), {.buffer_size = buffer,
                                                                   .durability = durability,
                                                                   .flush = flush,
                                                                   .flush_interval = interval,
                                                                   .background = background});
      return run_threads(out, calls_by_thread, &disk,
                         [&] { return std::string_view(disk.content); });
    }
    case 2: {
      const std::string path = fuzz::scratch() + "shared";
      auto out = leat::create(path, {.buffer_size = buffer,
                                     .durability = durability,
                                     .flush = flush,
                                     .flush_interval = interval,
                                     .background = background});
      return run_threads(out, calls_by_thread, nullptr, [&] { return leat::read_file(path); });
    }
    default: {
      const std::string path = fuzz::scratch() + "log";
      leat::write_file(path, "");
      auto out = leat::append(path, {.buffer_size = buffer,
                                     .durability = durability,
                                     .flush = flush,
                                     .flush_interval = interval,
                                     .background = background,
                                     .reopen = in.flag()});
      return run_threads(out, calls_by_thread, nullptr, [&] { return leat::read_file(path); });
    }
  }
}

const fuzz::driver self("synchronized", drive);

}  // namespace
