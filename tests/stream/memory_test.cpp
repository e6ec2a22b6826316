// memory_writer and string_writer: their texts and positions, and what happens if the memory does
// not suffice.
#include <gtest/gtest.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

TEST(memory_writer, has_exactly_the_bytes_that_fit) {
  const std::string text = "The answer is 42.\n";
  for (std::size_t size = 0; size <= text.size() + 3; ++size) {
    std::vector<char> area(size + 1, '#');
    leat::memory_writer out{std::span<char>(area.data(), size)};
    out.print("The {} is {}.", "answer", 42);
    out.put('\n');
    const std::size_t kept = std::min(size, text.size());
    // A single print call keeps the bytes that fit, too.
    EXPECT_EQ(out.view(), text.substr(0, kept)) << size;
    EXPECT_EQ(out.lost(), text.size() - kept);
    EXPECT_EQ(area[size], '#') << "the byte after the memory must not change";
    std::error_code ec;
    out.flush(ec);
    EXPECT_EQ(ec, kept == text.size() ? std::error_code() : leat::errc::memory_full);
    EXPECT_EQ(out.error(), ec);
    out.close(ec);
    EXPECT_EQ(static_cast<bool>(ec), kept != text.size());
  }
}

TEST(memory_writer, reports_the_position_of_the_end_of_the_memory) {
  std::array<std::byte, 4> area{};
  leat::memory_writer out{std::span<std::byte>(area)};
  out.write("0123456");
  out.seek(1);
  try {
    out.flush();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot write '<memory>': The memory is full (at byte 4, 3 bytes not written)");
  }
}

TEST(memory_writer, seeks_and_patches_within_written_bytes) {
  char area[16];
  leat::memory_writer out{std::span<char>(area)};
  out.write("0123456789");
  out.seek(4);
  EXPECT_EQ(out.tell(), 4u);
  out.write("ab");
  EXPECT_EQ(out.view(), "0123ab6789");
  out.patch(0, "XY");
  EXPECT_EQ(out.view(), "XY23ab6789");
  EXPECT_EQ(out.tell(), 6u);
  std::error_code ec;
  out.patch(5, "ZZ", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  out.seek(11, ec);
  EXPECT_EQ(ec, std::errc::invalid_seek);
  EXPECT_EQ(out.tell(), 6u);
  out.patch(std::numeric_limits<std::uint64_t>::max(), "Z", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  out.seek(10);
  out.write("the rest that does not fit");
  EXPECT_EQ(out.view(), "XY23ab6789the re");
  EXPECT_EQ(out.lost(), 20u);
  out.seek(0);
  out.write("again");
  EXPECT_EQ(out.view(),
            "again"
            "b6789the re");
  EXPECT_EQ(out.lost(), 20u);
  EXPECT_TRUE(out.error());
}

TEST(memory_writer, is_empty_after_clear) {
  char area[8];
  leat::memory_writer out{std::span<char>(area)};
  out.write("0123456789");
  out.clear();
  EXPECT_EQ(out.view(), "");
  EXPECT_EQ(out.lost(), 0u);
  EXPECT_FALSE(out.error());
  out.print("{}", 42);
  EXPECT_EQ(out.view(), "42");
  EXPECT_EQ(out.view().data(), area);
  out.close();
  out.clear();
  out.write("again");
  EXPECT_EQ(out.view(), "again");
  const leat::memory_writer other(std::move(out));
  out.clear();  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(out.view(), "");
  EXPECT_EQ(out.error(), leat::errc::closed);
  EXPECT_EQ(other.view(), "again");
}

// Writes of 0 to 40 bytes: one write fills the memory exactly, and one has a byte too many. The
// compiler knows the sizes.
template <std::size_t... Sizes>
void write_sizes(std::index_sequence<Sizes...>) {
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
  (
      [&] {
        char area[Sizes + 1];
        area[Sizes] = '#';
        leat::memory_writer out{std::span<char>(area, Sizes)};
        out.write(std::string_view(text.data(), Sizes));
        EXPECT_EQ(out.view(), text.substr(0, Sizes));
        EXPECT_EQ(area[Sizes], '#');
        out.clear();
        out.put('x');
        out.write(std::string_view(text.data(), Sizes));
        EXPECT_EQ(out.lost(), 1u);
        EXPECT_EQ(area[Sizes], '#');
      }(),
      ...);
}

TEST(memory_writer, has_all_bytes_of_writes_of_constant_size) {
  write_sizes(std::make_index_sequence<41>());
}

TEST(memory_writer, moves_its_text_and_its_count_of_lost_bytes) {
  loss_recorder losses;
  char area[4];
  leat::memory_writer first{std::span<char>(area)};
  first.write("abcdef");
  {
    leat::memory_writer second(std::move(first));
    EXPECT_EQ(second.view(), "abcd");
    EXPECT_EQ(second.lost(), 2u);
    EXPECT_EQ(first.view(), "");  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(first.lost(), 0u);
    EXPECT_EQ(first.error(), leat::errc::closed);
    first = std::move(second);
    EXPECT_EQ(first.view(), "abcd");
  }
  EXPECT_TRUE(losses.take().empty()) << "a move of the stream also moves the count of lost bytes";
  first = leat::memory_writer{std::span<char>(area)};
  ASSERT_EQ(losses.take().size(), 1u);
}

TEST(memory_writer, reports_a_loss_once_when_closed_again) {
  char area[4];
  leat::memory_writer fixed{std::span<char>(area)};
  fixed.write("abcdef");
  leat::string_writer growing;
  for (leat::writer* const out : std::initializer_list<leat::writer*>{&fixed, &growing}) {
    std::error_code ec;
    out->close(ec);
    EXPECT_EQ(static_cast<bool>(ec), out == &fixed);
    out->close(ec);
    EXPECT_FALSE(ec) << ec.message();
    out->put('x');
    out->close(ec);
    EXPECT_EQ(ec, leat::errc::closed);
    out->close(ec);
    EXPECT_FALSE(ec) << ec.message();
  }
}

TEST(string_writer, keeps_all_bytes_while_it_grows) {
  leat::string_writer out;
  EXPECT_EQ(out.view(), "");
  std::string expected;
  for (int i = 0; i != 20'000; ++i) {
    out.print("{} ", i);
    expected += std::to_string(i) + ' ';
  }
  out.write(std::string(1 << 20, 'x'));
  expected += std::string(1 << 20, 'x');
  EXPECT_TRUE(out.view() == expected);
  EXPECT_EQ(out.tell(), expected.size());
  out.close();
}

// Numbers that don't repeat, so that misplaced bytes are noticed.
std::string long_text(std::size_t size) {
  std::string text;
  text.reserve(size + 32);
  for (std::uint64_t i = 0x9e37'79b9'7f4a'7c15; text.size() < size; i *= 3) {
    text += std::to_string(i);
  }
  text.resize(size);
  return text;
}

// On Linux and Windows, blocks of more than 1 MiB are mappings. On Linux, mappings grow by mremap.
constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(string_writer, keeps_a_long_text_however_it_grows) {
  const std::string text = long_text(20 * mebibyte + 7);
  for (const std::size_t piece :
       {std::size_t{1021}, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte, text.size()}) {
    leat::string_writer out;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      out.write(std::string_view(text).substr(at, piece));
    }
    EXPECT_TRUE(out.view() == text) << piece;
    EXPECT_EQ(out.tell(), text.size());
    EXPECT_EQ(out.lost(), 0u);
  }
  leat::string_writer each;
  for (const char byte : text) each.put(byte);
  EXPECT_TRUE(each.view() == text);
}

TEST(string_writer, grows_from_any_position_in_a_long_text) {
  for (const std::size_t size : {mebibyte - 1, mebibyte, mebibyte + 1, 5 * mebibyte}) {
    const std::string before = long_text(size), after = long_text(3 * size);
    leat::string_writer out;
    out.write(before);
    out.seek(size / 3);
    out.write(after);
    EXPECT_TRUE(out.view() == before.substr(0, size / 3) + after) << size;
    out.seek(10);
    out.write("in place");
    EXPECT_EQ(out.view().substr(10, 8), "in place");
    EXPECT_EQ(out.view().size(), size / 3 + after.size());
    EXPECT_TRUE(out.view().substr(18) == (before.substr(0, size / 3) + after).substr(18));
  }
}

TEST(string_writer, a_long_text_can_be_moved_taken_and_cleared) {
  const std::string text = long_text(5 * mebibyte);
  leat::string_writer first;
  first.write(text);
  leat::string_writer second(std::move(first));
  EXPECT_EQ(first.view(), "");  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(second.view() == text);
  leat::string_writer third;
  third.write(long_text(3 * mebibyte));
  third = std::move(second);
  third.put('x');
  EXPECT_TRUE(third.view() == text + "x");
  const char* const memory = third.view().data();
  EXPECT_TRUE(third.take() == text + "x");
  third.write(text);
  EXPECT_EQ(third.view().data(), memory) << "take and clear keep the memory";
  third.clear();
  third.write("short");
  EXPECT_EQ(third.view().data(), memory);
  EXPECT_EQ(third.view(), "short");
  third.close();
  third = leat::string_writer();
  EXPECT_EQ(third.view(), "");
}

TEST(string_writer, many_writers_hold_long_texts_at_once) {
  const std::string text = long_text(3 * mebibyte / 2);
  std::vector<leat::string_writer> all(40);
  for (std::size_t at = 0; at < text.size(); at += 4096) {
    for (auto& writer : all) writer.write(std::string_view(text).substr(at, 4096));
  }
  EXPECT_TRUE(std::ranges::all_of(all, [&](auto& writer) { return writer.view() == text; }));
}

TEST(string_writer, is_empty_after_take_and_clear) {
  leat::string_writer out;
  out.write("first");
  EXPECT_EQ(out.take(), "first");
  EXPECT_EQ(out.view(), "");
  EXPECT_EQ(out.tell(), 0u);
  out.write(std::string(5000, 'x'));
  const char* const memory = out.view().data();
  out.clear();
  EXPECT_EQ(out.view(), "");
  out.write("second");
  EXPECT_EQ(out.view(), "second");
  EXPECT_EQ(out.view().data(), memory) << "clear keeps the memory";
  leat::string_writer empty;
  empty.clear();
  EXPECT_EQ(empty.take(), "");
}

TEST(string_writer, overwrites_after_seeking_back) {
  leat::string_writer out;
  out.write("0123456789");
  out.seek(8);
  out.write(std::string(300, 'x'));  // goes across the end, so that the memory grows
  EXPECT_EQ(out.view(), "01234567" + std::string(300, 'x'));
  out.seek(2);
  out.write("AB");
  EXPECT_EQ(out.take(), "01AB4567" + std::string(300, 'x'));
  out.write("0123456789");
  out.seek(3);
  EXPECT_EQ(out.take(), "0123456789") << "the bytes after the cursor are text, too";
  std::error_code ec;
  out.seek(1, ec);
  EXPECT_EQ(ec, std::errc::invalid_seek);
}

TEST(string_writer, keeps_its_text_in_a_move) {
  leat::string_writer first;
  first.write(std::string(1000, 'a'));
  leat::string_writer second(std::move(first));
  EXPECT_EQ(first.view(), "");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.take(), "");
  first.clear();
  EXPECT_EQ(first.error(), leat::errc::closed);
  EXPECT_EQ(second.view().size(), 1000u);
  second.put('b');
  first = std::move(second);
  first.put('c');
  EXPECT_EQ(first.view(), std::string(1000, 'a') + "bc");
}

std::string_view huge_text() {
  // The text is never read, because there is no memory for a copy. `size` is volatile, so that the
  // compiler does not know it.
  static volatile std::size_t size = std::size_t{1} << 50;
  static const char* volatile begin = "x";
  return {begin, size};
}

#define SKIP_WHERE_ALLOCATIONS_CANT_FAIL() \
  if (sanitized) GTEST_SKIP() << "the sanitizers end the program at such an allocation"

TEST(string_writer, reports_that_memory_ran_out) {
  SKIP_WHERE_ALLOCATIONS_CANT_FAIL();
  loss_recorder losses;
  leat::string_writer out;
  out.write("kept");
  out.write(huge_text());
  out.write("dropped, as nothing follows a gap");
  out.put('x');
  EXPECT_EQ(out.view(), "kept");
  EXPECT_EQ(out.lost(), huge_text().size() + 34);
  try {
    out.flush();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), std::errc::not_enough_memory);
    EXPECT_EQ(error.offset(), 4u);
  }
  out.clear();
  EXPECT_FALSE(out.error());
  out.write(huge_text());
  EXPECT_EQ(out.take(), "");
  EXPECT_EQ(losses.take().size(), 1u) << "take() has no other way to report the loss";
  EXPECT_EQ(out.lost(), 0u);
}

// After a failed allocation the end of the buffer is reset. A seek must not go beyond this end.
TEST(string_writer, stays_in_its_memory_after_a_failure) {
  SKIP_WHERE_ALLOCATIONS_CANT_FAIL();
  leat::string_writer out;
  out.write(std::string(100, 'a'));
  out.seek(50);
  out.write(huge_text());
  out.seek(100);
  for (int i = 0; i != 5000; ++i) out.put('b');
  EXPECT_EQ(out.view(), std::string(100, 'a'));
  EXPECT_EQ(out.lost(), huge_text().size() + 5000);
  out.seek(99);
  out.put('c');
  EXPECT_EQ(out.view(), std::string(100, 'a')) << "all that comes after a failure is dropped";
  out.clear();
  out.write(std::string(1000, 'd'));
  EXPECT_EQ(out.view(), std::string(1000, 'd'));
}

#if defined(HAS_LIMITS) && defined(HAS_SYSTEM_FILES) && defined(HAS_POSIX_FILES)
/// Limits the address space of this process to `bytes` more than it uses. For children only.
void limit_further_memory(rlim_t bytes) {
  std::ifstream statm("/proc/self/statm");  // in pages; includes the stacks of other tests' threads
  rlim_t pages = 0;
  require(static_cast<bool>(statm >> pages));
  limit_resource(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes);
}
#endif

#if defined(HAS_FORK)
TEST(string_writer, reports_the_memory_limit_of_the_process) {
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  SKIP_WHERE_ALLOCATIONS_CANT_FAIL();
  const auto child = run_in_child([] {
    limit_further_memory(rlim_t{512} << 20);
    leat::string_writer out;
    const std::string block(1 << 20, 'x');
    std::uint64_t accepted = 0;
    for (int i = 0; i != 600; ++i) {
      out.write(block);
      accepted += block.size();
    }
    require(out.lost() > 0 && out.view().size() >= (std::size_t{100} << 20));
    require(out.view().size() + out.lost() == accepted);
    require(out.error() == std::errc::not_enough_memory);
    std::error_code ec;
    out.close(ec);
    require(ec == std::errc::not_enough_memory);
  });
  EXPECT_TRUE(succeeded(child));
}

// If memory for twice the text is refused, the writer asks for as much as the text needs.
TEST(string_writer, uses_the_remaining_memory_if_it_cannot_double) {
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  SKIP_WHERE_ALLOCATIONS_CANT_FAIL();
  const auto child = run_in_child([] {
    const std::string text = long_text(3 * mebibyte);
    const std::string last = long_text(40 * mebibyte);
    limit_further_memory(100 * mebibyte);
    leat::string_writer out;
    std::uint64_t accepted = 0;
    for (int i = 0; i != 10; ++i) {
      out.write(text);
      accepted += text.size();
    }
    out.write(last);  // needs 70 of 100 MiB; twice as much is impossible
    require(out.lost() == 0 && out.view().size() == accepted + last.size());
    require(out.view().substr(0, text.size()) == text && out.view().ends_with(last));
    out.write(last);
    out.put('x');
    require(out.lost() == last.size() + 1);
    require(out.view().size() == accepted + last.size() && out.view().ends_with(last));
    require(out.error() == std::errc::not_enough_memory);
    out.clear();
    out.write(text);
    require(!out.error() && out.view() == text);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(string_writer, keeps_a_short_text_if_there_is_no_memory_for_a_long_one) {
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  SKIP_WHERE_ALLOCATIONS_CANT_FAIL();
  const auto child = run_in_child([] {
    const std::string text = long_text(mebibyte);
    leat::string_writer out;
    out.write(text);
    limit_further_memory(mebibyte);
    out.write(text);
    require(out.view() == text && out.lost() == text.size());
    std::error_code ec;
    out.close(ec);
    require(ec == std::errc::not_enough_memory);
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

}  // namespace
