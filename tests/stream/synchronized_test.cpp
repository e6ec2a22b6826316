// leat::synchronized: streams that threads share.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"
#include "support/whole_lines.hpp"

namespace {

using namespace leat_test;

constexpr int thread_count = 8;
const int line_count = rounds(20'000);

/// Eight threads write numbered lines. Each thread uses four kinds of calls in turn.
void write_lines(leat::writer& out) {
  std::vector<std::thread> threads;
  for (int t = 0; t != thread_count; ++t) {
    threads.emplace_back([t, &out] {
      const std::string tail(static_cast<std::size_t>(t) * 11, static_cast<char>('a' + t));
      for (int i = 0; i != line_count; ++i) {
        switch (i % 4) {
          case 0:
            out.println("{} {} {}", t, i, tail);
            break;
          case 1:
            out.print("{0} {1} {2}\n", t, i, tail);
            break;
          case 2:
            out.write(leat::format("{} {} {}\n", t, i, tail));
            break;
          default:
            out.println(leat::runtime("{} {} {:{}}"), t, i, tail, i % 400 == 3 ? 2000 : 0);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

std::string tail_of(int thread, int number) {
  std::string tail(static_cast<std::size_t>(thread) * 11, static_cast<char>('a' + thread));
  if (number % 400 == 3) tail.resize(2000, ' ');
  return tail;
}

TEST(synchronized, keeps_lines_whole_in_a_stream_it_owns) {
  const temporary_folder folder;
  leat::synchronized out(leat::create(folder / "log"));
  write_lines(out);
  out.close();
  expect_whole_lines(read_all(folder / "log"), thread_count, line_count, tail_of);
}

TEST(synchronized, keeps_lines_whole_in_a_stream_it_does_not_own) {
  leat::string_writer text;
  {
    leat::synchronized out(text);
    write_lines(out);
  }
  expect_whole_lines(text.view(), thread_count, line_count, tail_of);
}

TEST(synchronized, keeps_lines_whole_with_a_flush_interval) {
  const temporary_folder folder;
  {
    leat::synchronized out(
        leat::append(folder / "log", {.flush_interval = std::chrono::milliseconds(1)}));
    write_lines(out);
  }
  expect_whole_lines(read_all(folder / "log"), thread_count, line_count, tail_of);
}

TEST(synchronized, can_be_nested) {
  leat::string_writer text;
  leat::synchronized inner(text);
  leat::synchronized outer(static_cast<leat::writer&>(inner));
  outer.print("{}", "a");
  inner.print("{}", "b");
  outer.flush();
  EXPECT_EQ(text.view(), "ab");
}

TEST(synchronized, closes_the_owned_stream_in_its_destructor) {
  auto script = new_script();
  {
    leat::synchronized(leat::file_writer(device_of(script))).print("{}\n", 1);
  }
  EXPECT_EQ(script->content, "1\n");
  EXPECT_EQ(script->closes, 1);
}

TEST(synchronized, leaves_a_referenced_stream_open) {
  auto script = new_script();
  leat::file_writer file(device_of(script));
  {
    leat::synchronized(static_cast<leat::writer&>(file)).print("{}", 1);
  }
  EXPECT_TRUE(file.is_open());
  file.print("{}", 2);
  file.close();
  EXPECT_EQ(script->content, "12");
}

TEST(synchronized, can_own_a_string_writer) {
  loss_recorder losses;
  {
    leat::string_writer text;
    text.write("before ");
    leat::synchronized out(std::move(text));
    out.write("after");
    EXPECT_EQ(out.tell(), 12u);
    out.close();
    EXPECT_FALSE(out.lost());
    out.write("lost");
    EXPECT_EQ(out.lost(), 4u);
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST(synchronized, refuses_to_seek) {
  leat::string_writer text;
  leat::synchronized out(text);
  out.write("abc");
  std::error_code ec;
  out.seek(0, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_THROW(out.seek(0), leat::io_error);
  out.patch(1, "B");
  EXPECT_EQ(text.view(), "aBc");
}

TEST(synchronized, reports_failures_of_the_stream_below) {
  loss_recorder losses;
  auto script = new_script();
  script->room = 3;
  {
    leat::synchronized out(leat::file_writer(device_of(script), {}, "below"));
    out.write("abcdef");
    EXPECT_FALSE(out.error());
    try {
      out.close();
      ADD_FAILURE();
    } catch (const leat::io_error& error) {
      EXPECT_STREQ(
          error.what(),
          "cannot write 'below': No space left on device (at byte 3, 3 bytes not written)");
    }
    EXPECT_EQ(out.lost(), 3u);
    EXPECT_NO_THROW(out.close());
  }
  EXPECT_TRUE(losses.take().empty());
  script = new_script();
  script->room = 3;
  {
    leat::synchronized(leat::file_writer(device_of(script))).write("abcdef");
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST(synchronized, counts_losses_of_many_threads) {
  const loss_recorder losses;
  auto script = new_script();
  script->room = 1000;
  leat::synchronized out(leat::file_writer(device_of(script), {.buffer_size = 100}));
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i != 500; ++i) {
        out.print("{:>10}", i);
        if (i % 50 == 0) {
          std::error_code ec;
          out.flush(ec);
          out.tell();
          static_cast<void>(out.error());
        }
      }
    });
  for (auto& thread : threads) thread.join();
  std::error_code ec;
  out.close(ec);
  EXPECT_TRUE(ec);
  EXPECT_EQ(out.lost() + script->content.size(), 20'000u);
}

TEST(synchronized, with_keeps_several_calls_together) {
  leat::string_writer text;
  leat::synchronized out(text);
  std::vector<std::thread> threads;
  for (int t = 0; t != thread_count; ++t)
    threads.emplace_back([t, &out] {
      for (int i = 0; i != 1000; ++i)
        if (i % 2 == 0)
          out.with([&](leat::writer& w) {
            w.print("{}", t);
            w.put('-');
            w.println("{}", t);
          });
        else
          out.println("single");
    });
  for (auto& thread : threads) thread.join();
  std::size_t lines = 0;
  for (std::string_view rest = text.view(); !rest.empty(); ++lines) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    ASSERT_TRUE(line == "single" || (line.size() == 3 && line[1] == '-' && line[0] == line[2]))
        << line;
  }
  EXPECT_EQ(lines, 1000u * thread_count);
}

TEST(synchronized, with_returns_a_result_and_unlocks_after_an_exception) {
  leat::string_writer text;
  leat::synchronized out(text);
  EXPECT_EQ(out.with([](leat::writer& w) {
    w.write("abc");
    return w.tell();
  }),
            3u);
  EXPECT_THROW(out.with([](leat::writer&) { throw std::runtime_error("no"); }), std::runtime_error);
  std::thread([&] { out.write("def"); }).join();
  EXPECT_EQ(text.view(), "abcdef");
}

TEST(synchronized, with_may_be_nested_and_close_the_stream) {
  const temporary_folder folder;
  leat::synchronized out(leat::create(folder / "f"));
  std::thread other;
  out.with([&](leat::writer& w) {
    w.write("1 ");
    other = std::thread([&] { out.write("other\n"); });  // waits until the outer with() ends
    out.with([&](leat::writer& inner) {
      inner.write("2 ");
      out.with([](leat::writer& third) { third.write("3 "); });
      out.write("4 ");
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    w.write("5\n");
  });
  other.join();
  out.with([&](leat::writer& w) {
    out.close();
    w.write("lost");
  });
  EXPECT_EQ(out.lost(), 4U);
  std::error_code ec;
  out.close(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(read_all(folder / "f"), "1 2 3 4 5\nother\n");
}

}  // namespace
