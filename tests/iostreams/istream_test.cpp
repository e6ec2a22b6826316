// leat::istream: a std::istream over a reader.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/iostream.hpp>
#include <leat/memory.hpp>

#include <iterator>
#include <string>

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

TEST(istream, crosses_buffers_of_any_size) {
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

TEST(istream, seeks_tells_and_puts_back) {
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

TEST(istream, puts_back_across_a_buffer) {
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

TEST(istream, in_avail_counts_buffered_bytes) {
  leat::memory_reader from("12 3");
  leat::istream text(from);
  EXPECT_EQ(text.rdbuf()->in_avail(), 4);
  EXPECT_EQ(text.get(), '1');
  EXPECT_EQ(text.rdbuf()->in_avail(), 3);
}

}  // namespace
