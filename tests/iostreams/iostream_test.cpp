// leat::ostream: a std::ostream over a writer.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/iostream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <iomanip>
#include <locale>
#include <string>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

TEST(ostream, writes_the_same_as_a_standard_stream) {
  leat::string_writer text;
  leat::ostream out(text);
  out << "n = " << 42 << ' ' << std::setw(6) << std::setfill('.') << std::hex << 255 << '\n'
      << std::fixed << std::setprecision(2) << 3.14159 << std::endl;
  out.write("raw", 3).put('!');
  EXPECT_EQ(text.view(), "n = 42 ....ff\n3.14\nraw!");
  EXPECT_TRUE(out.good());
}

TEST(ostream, has_leats_facets_unless_another_global_locale_is_set) {
  leat::string_writer text;
  leat::memory_reader words("1,5");
  EXPECT_TRUE(leat::ostream(text).getloc() == leat::fast_locale());
  EXPECT_TRUE(leat::istream(words).getloc() == leat::fast_locale());
  struct comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new comma));
  leat::ostream(text) << 2.5;
  double number = 0;
  leat::istream(words) >> number;
  std::locale::global(before);
  EXPECT_EQ(text.view(), "2,5");
  EXPECT_EQ(number, 1.5);
}

TEST(ostream, has_no_buffer_of_its_own) {
  leat::string_writer text;
  leat::ostream out(text);
  for (int i = 0; i != 100; ++i) {
    out << i;
    text.print("{}", ',');
  }
  EXPECT_TRUE(text.view().starts_with("0,1,2,"));
  EXPECT_EQ(text.view().size(), 290u);
}

TEST(ostream, in_avail_of_output_is_minus_1) {
  leat::string_writer to;
  leat::ostream out(to);
  EXPECT_EQ(out.rdbuf()->in_avail(), -1);
}

TEST(ostream, passes_flush_and_unitbuf_to_the_writer) {
  auto script = new_script();
  leat::file_writer file(device_of(script));
  leat::ostream out(file);
  out << "abc";
  EXPECT_EQ(script->content, "");
  out << std::flush;
  EXPECT_EQ(script->content, "abc");
  out << std::unitbuf << "def";
  EXPECT_EQ(script->content, "abcdef");
}

TEST(ostream, tellp_and_seekp_return_and_change_the_position) {
  auto script = new_script();
  leat::file_writer file(device_of(script));
  leat::ostream out(file);
  out << "0123456789";
  EXPECT_EQ(out.tellp(), std::streampos(10));
  out.seekp(4) << "ab";
  EXPECT_EQ(out.tellp(), std::streampos(6));
  out.seekp(-1, std::ios::cur) << "c";
  out.seekp(std::streamoff{5'000'000'000});
  EXPECT_EQ(out.tellp(), std::streampos(5'000'000'000));
  out.seekp(10);
  EXPECT_TRUE(out.good());
  out.seekp(-1);
  EXPECT_TRUE(out.fail());
  out.clear();
  out.seekp(0, std::ios::end);  // a writer does not know the end of its file
  EXPECT_TRUE(out.fail());
  file.close();
  EXPECT_EQ(script->content, "0123ac6789");
}

TEST(ostream, sets_failbit_if_seeking_is_refused) {
  pipe_pair pipe;
  leat::file_writer file(leat::borrow(pipe.writer()));
  leat::ostream out(file);
  out << "abc";
  EXPECT_EQ(out.tellp(), std::streampos(3));
  out.seekp(0);
  EXPECT_TRUE(out.fail());
  EXPECT_FALSE(out.bad());
}

#if defined(HAS_SYSTEM_FILES)
TEST(ostream, sets_badbit_when_the_writer_fails) {
  char area[4];
  leat::memory_writer fixed{std::span<char>(area)};
  leat::ostream out(fixed);
  out << "abcd";
  EXPECT_TRUE(out.good());
  out << 'e';
  EXPECT_TRUE(out.bad());
  EXPECT_EQ(fixed.lost(), 1u);
  std::error_code ec;
  fixed.flush(ec);

  leat::file_writer full = leat::create("/dev/full");
  leat::ostream into(full);
  into << "lost";
  EXPECT_TRUE(into.good());
  into << std::flush;
  EXPECT_TRUE(into.bad());

  leat::file_writer closed;
  leat::ostream nowhere(closed);
  nowhere << "x" << 1;
  EXPECT_TRUE(nowhere.bad());
  closed.flush(ec);
}
#endif

TEST(ostream, fills_the_buffer_of_the_writer_to_its_end) {
  const temporary_folder folder;
  std::string expected;
  {
    auto file = leat::create(folder / "f", {.buffer_size = 1000});
    leat::ostream out(file);
    for (int i = 0; i != 3000; ++i) {
      const std::string text = std::to_string(i * i % 9973);
      if (i % 3 == 0)
        file.write(text);
      else
        out << text;
      out.put('\n');
      if (i % 100 == 0) out << std::endl;
      expected += text + (i % 100 == 0 ? "\n\n" : "\n");
      ASSERT_TRUE(out.good());
      ASSERT_EQ(file.tell(), expected.size());
    }
  }
  EXPECT_EQ(leat::read_file(folder / "f"), expected);
}

TEST(ostream, badbit_alone_does_not_suppress_the_report_of_a_loss) {
  loss_recorder losses;
  auto script = new_script();
  script->room = 0;
  {
    leat::file_writer file(device_of(script), {.buffer_size = 2});
    leat::ostream out(file);
    for (int i = 0; i != 10; ++i) out << "abc";
    EXPECT_TRUE(out.bad());
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

#if defined(HAS_SYSTEM_FILES)
TEST(ostream, throws_if_exceptions_are_enabled) {
  leat::file_writer full = leat::create("/dev/full");
  leat::ostream out(full);
  out.exceptions(std::ios::badbit);
  EXPECT_THROW(out << "lost" << std::flush, std::ios::failure);
}
#endif

}  // namespace
