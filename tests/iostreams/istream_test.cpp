// leat::istream: a std::istream over a reader.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/iostream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

TEST(istream, reads_values_and_lines) {
  leat::memory_reader from("12 3.5 word\nsecond line\n");
  leat::istream text(from);
  int i = 0;
  double d = 0;
  std::string word, line;
  EXPECT_TRUE(text >> i >> d >> word);
  EXPECT_EQ(i, 12);
  EXPECT_EQ(d, 3.5);
  EXPECT_EQ(word, "word");
  std::getline(text, line);
  EXPECT_TRUE(std::getline(text, line));
  EXPECT_EQ(line, "second line");
  EXPECT_FALSE(std::getline(text, line));
  EXPECT_TRUE(text.eof());
  EXPECT_FALSE(text.bad());
}

TEST(istream, reads_all_bytes_with_buffers_of_any_size) {
  for (const std::size_t buffer : {1u, 2u, 7u, 100u}) {
    const auto script = new_script();
    script->content = numbered_text(2000);
    leat::file_reader from(device_of(script), {.buffer_size = buffer});
    leat::istream text(from);
    const std::string all{std::istreambuf_iterator<char>(text), {}};
    EXPECT_EQ(all, script->content);
  }
}

TEST(istream, leaves_the_reader_at_the_position_of_the_stream) {
  leat::memory_reader from("12 rest");
  {
    leat::istream text(from);
    int i = 0;
    text >> i;
    text.sync();
    EXPECT_EQ(from.tell(), 2u);
    EXPECT_EQ(text.get(), ' ');
  }
  EXPECT_EQ(from.peek(10), "rest");
}

TEST(istream, tellg_seekg_and_putback_return_and_change_the_position) {
  leat::memory_reader from("0123456789");
  leat::istream text(from);
  text.seekg(4);
  EXPECT_EQ(text.get(), '4');
  EXPECT_EQ(text.tellg(), std::istream::pos_type(5));
  EXPECT_EQ(text.rdbuf()->pubsync(), 0);
  text.seekg(-2, std::ios::end);
  EXPECT_EQ(text.get(), '8');
  text.seekg(-3, std::ios::cur);
  EXPECT_EQ(text.get(), '6');
  text.unget();
  EXPECT_EQ(text.get(), '6');
  text.putback('6');
  EXPECT_EQ(text.get(), '6');
  text.putback('x');  // fails, because the text must not change
  EXPECT_TRUE(text.fail());
  text.clear();
  EXPECT_EQ(text.get(), '7');
  text.seekg(-100, std::ios::cur);
  EXPECT_TRUE(text.fail());
}

TEST(istream, unget_returns_characters_of_an_earlier_buffer) {
  const auto script = new_script();
  script->content = "abcdef";
  leat::file_reader from(device_of(script), {.buffer_size = 2});
  leat::istream text(from);
  text.get(), text.get(), text.get();
  text.unget();
  EXPECT_EQ(text.get(), 'c');
  text.unget(), text.unget();
  EXPECT_EQ(text.get(), 'b');
}

TEST(istream, reads_blocks) {
  const auto script = new_script();
  script->content = numbered_text(100'000);
  leat::file_reader from(device_of(script));
  leat::istream text(from);
  std::string into(100'000, '?');
  text.get(into[0]);
  text.read(into.data() + 1, 99'999);
  EXPECT_EQ(text.gcount(), 99'999);
  EXPECT_EQ(into, script->content);
}

TEST(istream, sets_badbit_after_a_failed_read) {
  const auto script = new_script();
  script->content = "12 34";
  script->read_limit = 3;
  leat::file_reader from(device_of(script));
  leat::istream text(from);
  int i = 0;
  EXPECT_TRUE(text >> i);
  EXPECT_EQ(i, 12);
  if (leat_test::uses_libcxx) {  // libc++ throws if a read fails while it skips white space
    EXPECT_THROW(text >> i, leat::io_error);
    return;
  }
  EXPECT_FALSE(text >> i);
  EXPECT_TRUE(text.bad());
}

TEST(istream, refuses_positions_that_do_not_fit) {
  leat::memory_reader from("0123456789");
  leat::istream text(from);
  text.get();
  constexpr auto most = std::numeric_limits<std::streamoff>::max();
  for (const auto base : {std::ios::cur, std::ios::end}) {
    text.seekg(most, base);
    EXPECT_TRUE(text.fail());
    text.clear();
    EXPECT_EQ(text.tellg(), std::istream::pos_type(1));
    text.seekg(std::numeric_limits<std::streamoff>::min(), base);
    EXPECT_TRUE(text.fail());
    text.clear();
  }
  EXPECT_EQ(text.get(), '1');
}

// Programs that use the reader itself while an istream uses the reader's buffer

TEST(istream, shares_the_position_with_its_reader) {
  const std::string lines = numbered_text(3000) + std::string(300'000, 'x') + '\n';
  const std::string text = lines + "77 88 99\nend\n";
  for (const bool positional : {true, false}) {
    const auto script = new_script();
    script->content = text;
    script->traits.positional = positional;
    leat::file_reader from(device_of(script));
    leat::istream in(from);
    std::string word, line, all;
    EXPECT_TRUE(in >> word);
    EXPECT_EQ(from.tell(), word.size());
    all += word;
    while (from.tell() < lines.size()) {
      ASSERT_TRUE(from.read_line(line));  // the longest line moves the buffer to new memory
      all += line + '\n';
      if (all.size() < 3000) {
        ASSERT_TRUE(std::getline(in, line));
        all += line + '\n';
      }
    }
    int number = 0;
    EXPECT_TRUE(in >> number);
    EXPECT_EQ(number, 77);
    EXPECT_EQ(from.get(), ' ');
    EXPECT_TRUE(in >> number);
    EXPECT_EQ(number, 88);
    EXPECT_EQ(from.parse<int>(), 99);
    EXPECT_EQ(in.get(), '\n');
    EXPECT_EQ(from.read_all(), "end\n");
    EXPECT_EQ(in.get(), EOF);
    all += "77 88 99\nend\n";
    EXPECT_TRUE(all == text);
  }
}

TEST(istream, read_all_of_the_reader_returns_all_bytes_that_were_not_read) {
  const auto script = new_script();
  script->traits.positional = false;
  script->content = numbered_text(20'000);
  leat::file_reader file(device_of(script));
  leat::istream in(file);
  std::string text(1, static_cast<char>(in.get()));
  text += file.read_all();
  EXPECT_EQ(text, script->content);
}

TEST(istream, random_calls_of_the_stream_and_its_reader_read_each_byte_once) {
  std::mt19937_64 random(7);
  const std::string text = numbered_text(200'000);
  for (int round = 0; round != 60; ++round) {
    const auto script = new_script();
    script->content = text;
    script->traits.positional = random() % 2 == 0;
    leat::reader_options how;
    if (random() % 2 == 0) how.buffer_size = 1 + random() % 5000;
    leat::file_reader from(device_of(script), how);
    leat::istream in(from);
    std::size_t at = 0;
    const auto expect = [&](std::string_view part) {
      ASSERT_EQ(part, std::string_view(text).substr(at, part.size())) << at;
      at += part.size();
    };
    for (int call = 0; call != 200 && at < text.size() && !testing::Test::HasFailure(); ++call) {
      std::string part(1 + random() % (random() % 10 == 0 ? 9000 : 50), '?');
      switch (random() % 13) {
        case 0:
        case 1:
          part.resize(static_cast<std::size_t>(in.read(part.data(), std::ssize(part)).gcount()));
          in.clear();
          expect(part);
          break;
        case 2:
        case 3:
          for (char& c : part)
            if (at < text.size()) {
              c = static_cast<char>(in.get());
              expect({&c, 1});
            }
          break;
        case 4:
          part.resize(from.read(std::span(part)));
          expect(part);
          break;
        case 5:
          part.resize(1);
          part[0] = static_cast<char>(from.get());
          expect(part);
          break;
        case 6:
          EXPECT_EQ(from.peek(part.size()), std::string_view(text).substr(at, part.size()));
          break;
        case 7:
          at += static_cast<std::size_t>(from.skip(part.size()));
          break;
        case 8:
          EXPECT_EQ(from.tell(), at);
          EXPECT_EQ(in.tellg(), std::istream::pos_type(static_cast<std::streamoff>(at)));
          break;
        case 9:
          if (!from.read_line(part)) break;
          expect(part);
          if (at < text.size()) expect("\n");
          break;
        case 10: {  // a seek inside the buffer needs no positional device
          const auto back = std::min<std::size_t>(from.buffered().size(), 5);
          from.seek(at + back);
          at += back;
          break;
        }
        case 11:
          if (!script->traits.positional) break;
          at = random() % text.size();
          from.seek(at);
          break;
        default: {
          leat::file_reader moved = std::move(from);
          EXPECT_EQ(moved.tell(), at);
          from = std::move(moved);
        }
      }
    }
  }
}

TEST(istream, reaches_the_end_if_its_reader_is_closed) {
  const auto script = new_script();
  script->content = numbered_text(5000);
  auto from = std::make_unique<leat::file_reader>(device_of(script));
  leat::istream in(*from);
  in.get();
  from->close();
  EXPECT_EQ(in.get(), EOF);
  in.clear();
  *from = leat::file_reader(device_of(script));
  EXPECT_EQ(in.get(), script->content[0]);
  EXPECT_EQ(from->peek(2), script->content.substr(1, 2));
  in.get();
  from.reset();
}

TEST(istream, keeps_the_position_to_which_the_program_has_moved_its_file_stream) {
  const temporary_folder folder;
  write_file(folder / "f", "0123456789");
  auto file = leat::update(folder / "f");
  leat::istream in(file);
  EXPECT_EQ(in.get(), '0');
  file.seek(4);
  file.write("ab");
  EXPECT_EQ(in.sync(), 0);
  EXPECT_EQ(file.tell(), 6U);
  EXPECT_EQ(in.get(), '6');
  EXPECT_EQ(in.sync(), 0);
  EXPECT_EQ(file.tell(), 7U);
}

TEST(istream, in_avail_counts_buffered_bytes) {
  leat::memory_reader from("12 3");
  leat::istream text(from);
  EXPECT_EQ(text.rdbuf()->in_avail(), 4);
  EXPECT_EQ(text.get(), '1');
  EXPECT_EQ(text.rdbuf()->in_avail(), 3);
}

}  // namespace
