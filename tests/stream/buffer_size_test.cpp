// The size of a stream's buffer never changes the content of the file. Also: when the buffer is
// written, and by how many calls.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory.hpp"
#include "support/files.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

/// A string instead of a file: the content and the position after the calls of a writer.
struct model {
  std::string content;
  std::size_t at = 0;

  void write(std::string_view bytes) {
    if (bytes.empty()) return;
    if (content.size() < at + bytes.size()) content.resize(at + bytes.size());
    overwrite(at, bytes);
    at += bytes.size();
  }

  // Does not call replace(): GCC 12 would warn that the strings of replace() overlap.
  void overwrite(std::size_t to, std::string_view bytes) {
    std::ranges::copy(bytes, content.begin() + static_cast<std::ptrdiff_t>(to));
  }
};

struct buffer_case {
  std::size_t buffer_size;
  std::size_t position;
  bool short_writes;
  leat::flush_when flush;
};

class buffer_of_any_size : public testing::TestWithParam<buffer_case> {};

void random_calls(leat::file_writer& out, model& expected, unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::string text = numbered_text(300'000);
  const auto piece = [&](std::size_t longest) {
    const std::size_t size = below(longest);
    return std::string_view(text).substr(below(text.size() - size), size);
  };
  for (int i = 0; i != count; ++i) {
    switch (below(24)) {
      case 0: {  // large
        const auto bytes = piece(below(8) == 0 ? 290'000 : 20'000);
        out.write(bytes);
        expected.write(bytes);
        break;
      }
      case 1: {
        const std::size_t to = below(expected.content.size() + 200);
        out.seek(to);
        expected.at = to;
        break;
      }
      case 2: {  // a short distance back
        const std::size_t back = std::min(expected.at, below(5000));
        out.seek(expected.at - back);
        expected.at -= back;
        break;
      }
      case 3:
        out.seek(expected.content.size());
        expected.at = expected.content.size();
        break;
      case 4:
      case 5: {
        const auto bytes = piece(std::min<std::size_t>(expected.at, 9000) + 1);
        if (expected.at > expected.content.size()) break;  // after a seek past the end
        const std::size_t to = below(expected.at - bytes.size() + 1);
        out.patch(to, bytes);
        expected.overwrite(to, bytes);
        break;
      }
      case 6:
        out.flush();
        break;
      case 7:
      case 8:
      case 9: {
        const auto word = piece(40);
        const int number = static_cast<int>(random());
        out.print("{:>8}|{}|{:.3f}\n", number, word, number / 1000.0);
        expected.write(leat::format("{:>8}|{}|{:.3f}\n", number, word, number / 1000.0));
        break;
      }
      case 10:
      case 11:
      case 12:
        out.put(static_cast<char>('a' + i % 26));
        expected.write(std::string(1, static_cast<char>('a' + i % 26)));
        break;
      default: {
        const auto bytes = piece(1500);
        out.write(bytes);
        expected.write(bytes);
      }
    }
    ASSERT_EQ(out.tell(), expected.at);
  }
}

TEST_P(buffer_of_any_size, random_calls_write_the_bytes_of_a_string) {
  const buffer_case& parameters = GetParam();
  for (unsigned seed = 0; seed != (sanitized ? 2u : 6u); ++seed) {
    auto script = new_script();
    script->position = parameters.position;
    script->random_sizes = parameters.short_writes;
    script->interrupt_every = parameters.short_writes ? 5 : 0;
    script->random.seed(seed);
    model expected{std::string(parameters.position, '\0'), parameters.position};
    leat::file_writer out(device_of(script),
                          {.buffer_size = parameters.buffer_size, .flush = parameters.flush});
    const bool tiny = parameters.buffer_size != 0 && parameters.buffer_size < 100;
    random_calls(out, expected, seed, tiny ? 400 : rounds(3000));
    out.close();
    EXPECT_EQ(out.lost(), 0u);
    ASSERT_TRUE(script->content == expected.content) << "seed " << seed;
  }
}

std::string name_of(const testing::TestParamInfo<buffer_case>& info) {
  return "size_" + std::to_string(info.param.buffer_size) + "_from_" +
         std::to_string(info.param.position) + (info.param.short_writes ? "_short" : "") +
         (info.param.flush == leat::flush_when::line   ? "_line"
          : info.param.flush == leat::flush_when::call ? "_call"
                                                       : "");
}

constexpr auto full = leat::flush_when::full;
INSTANTIATE_TEST_SUITE_P(
    sizes, buffer_of_any_size,
    testing::Values(buffer_case{0, 0, false, full}, buffer_case{0, 0, true, full},
                    buffer_case{0, 50'000, true, full}, buffer_case{1, 0, true, full},
                    buffer_case{7, 3, true, full}, buffer_case{4095, 0, true, full},
                    buffer_case{4096, 0, false, full}, buffer_case{4096, 100, true, full},
                    buffer_case{8191, 0, false, full}, buffer_case{8192, 0, false, full},
                    buffer_case{8192, 5000, true, full}, buffer_case{8292, 0, false, full},
                    buffer_case{10'007, 1, true, full}, buffer_case{16'384, 12'289, false, full},
                    buffer_case{65'536, 50'000, false, full}, buffer_case{100'000, 77, true, full},
                    buffer_case{1 << 20, 0, true, full},
                    buffer_case{0, 0, true, leat::flush_when::line},
                    buffer_case{9000, 0, true, leat::flush_when::line},
                    buffer_case{0, 0, true, leat::flush_when::call},
                    buffer_case{7, 0, true, leat::flush_when::call}),
    name_of);

// After an unaligned buffer, the next buffer may be smaller than the rest of the piece.
TEST(buffer, never_ends_before_the_cursor) {
  const std::string text = numbered_text(400'000);
  for (const std::size_t buffer_size : {0u, 8192u, 8292u, 10'000u, 12'345u, 65'536u, 70'001u}) {
    for (std::size_t start = 0; start < 70'000; start += 1657) {
      auto script = new_script();
      leat::file_writer out(device_of(script), {.buffer_size = buffer_size});
      std::string expected;
      const auto write = [&](std::size_t n) {
        out.write(std::string_view(text).substr(expected.size(), n));
        expected = text.substr(0, expected.size() + n);
      };
      write(start);
      out.flush();
      const std::size_t size = buffer_size == 0 ? 65'536 : buffer_size;
      // Pieces smaller than a buffer. Most of the pieces reach far across the buffer's end.
      for (const std::size_t n : {size / 4 * 3, size / 4 * 3, size - 1, std::size_t{1}, size / 2})
        if (expected.size() + n <= text.size()) write(n);
      for (int i = 0; i != 3000 && expected.size() < text.size(); ++i) {
        out.put(text[expected.size()]);
        expected += text[expected.size()];
      }
      out.close();
      ASSERT_TRUE(script->content == expected) << buffer_size << " from " << start;
    }
  }
}

TEST(buffer, is_written_by_one_call_together_with_a_large_write) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.buffer_size = 4096});
  out.write("head");
  out.write(std::string(8188, 'x'));
  ASSERT_EQ(script->calls.size(), 1u);
  EXPECT_EQ(script->calls[0].pieces.size(), 2u);
  EXPECT_EQ(script->calls[0].written, 8192u);
}

TEST(buffer, an_empty_write_makes_no_call) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("");
  out.write(std::string_view());
  out.write(std::span<const std::byte>());
  out.print("");
  out.print("{}", "");
  out.close();
  out.write(std::string_view());
  out.print("");
  EXPECT_EQ(out.lost(), 0u);
  EXPECT_TRUE(script->calls.empty());
}

TEST(buffer, holds_small_writes_until_it_is_full) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.buffer_size = 4096});
  for (int i = 0; i != 4096; ++i) out.put('x');
  EXPECT_TRUE(script->calls.empty());
  out.put('y');
  EXPECT_EQ(script->calls.size(), 1u);
  EXPECT_EQ(script->content.size(), 4096u);
}

TEST(buffer, many_small_writes_make_few_calls) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  for (int i = 0; i != 1'000'000; ++i) out.write("0123456789");
  out.close();
  EXPECT_EQ(script->content.size(), 10'000'000u);
  // The device has no read-ahead, so the buffer grows from 64 KiB to 4 MiB, which needs about 10
  // calls. A buffer that grows to 256 KiB needs about 40 calls.
  EXPECT_LT(script->calls.size(), 20u);
}

TEST(buffer, a_hundred_megabytes_can_be_written_by_one_call) {
  const temporary_folder folder;
  const std::string text = numbered_text(sanitized ? 10'000'000 : 100'000'000);
  {
    auto out = leat::create(folder / "written");
    out.put('>');
    out.write(text);
    out.close();
    EXPECT_EQ(out.tell(), text.size() + 1);
  }
  EXPECT_TRUE(read_all(folder / "written") == '>' + text);
  {
    auto out = leat::create(folder / "printed");
    out.print("<{}>", text);
    out.close();
  }
  EXPECT_TRUE(read_all(folder / "printed") == '<' + text + '>');
}

TEST(buffer, is_not_used_if_there_is_no_memory_for_it) {
  if (sanitized) GTEST_SKIP() << "the sanitizers end the program at such an allocation";
  auto script = new_script();
  leat::file_writer out(device_of(script), {.buffer_size = std::size_t{1} << 62});
  for (int i = 0; i != 100; ++i) out.print("{} ", i);
  out.put('\n');
  EXPECT_EQ(script->content.size(), 291u);
  out.close();
}

/// A device that prints to the writer `trace` at each write.
class tracing_device final : public leat::device {
 public:
  tracing_device(std::string& content, leat::writer& trace) : content_(content), trace_(trace) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept override {
    ec.clear();
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    trace_.print("<{} pieces>", pieces.size());
    std::size_t size = 0;
    for (const auto& piece : pieces) {
      content_ += piece;
      size += piece.size();
    }
    return size;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::string& content_;
  leat::writer& trace_;
};

TEST(buffer, may_be_written_by_a_device_that_prints) {
  std::string content, model;
  leat::string_writer trace;
  leat::file_writer out(std::make_unique<tracing_device>(content, trace), {.buffer_size = 16});
  for (int i = 0; i != 100; ++i) {
    out.print("value {} hello world and {}\n", 12345 + i, 678);
    model.append("value ").append(std::to_string(12345 + i)).append(" hello world and 678\n");
  }
  out.close();
  EXPECT_EQ(content, model);
}

TEST(buffer, is_written_to_a_memory_device) {
  auto device = std::make_unique<leat::memory_device>("0123456789");
  auto* memory = device.get();
  leat::file_writer out(std::move(device), {}, "digits");
  out.seek(4);
  out.print("{}", "abc");
  out.flush();
  EXPECT_EQ(memory->content(), "0123abc789");
}

TEST(write, accepts_all_contiguous_ranges_of_bytes) {
  leat::string_writer out;
  const std::vector<char> chars{'a', 'b'};
  std::vector<unsigned char> bytes{'c', 'd'};
  const std::array<std::byte, 2> array{std::byte{'e'}, std::byte{'f'}};
  unsigned char plain[] = {'g', 'h'};
  std::string text = "ij";
  out.write(chars);
  out.write(bytes);
  out.write(array);
  out.write(plain);
  out.write(text);
  out.write(std::span<char>(text));
  out.write(std::span<const std::byte>(array));
  out.write(std::as_writable_bytes(std::span(bytes)));
  out.write(u8"ä");  // with the NUL at its end: an array of bytes
  EXPECT_EQ(out.view(), std::string_view("abcdefghijijefcd\xC3\xA4\0", 19));
}

}  // namespace
