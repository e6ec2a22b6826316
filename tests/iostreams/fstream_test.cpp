// leat's file streams and string streams behave as std's do, and have leat's additions.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/print.hpp>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "support/compare_input.hpp"
#include "support/compare_output.hpp"
#include "support/compare_streams.hpp"
#include "support/files.hpp"
#include "support/handles.hpp"
#include "support/process.hpp"
#include "support/random_engine.hpp"

namespace {

using namespace leat_test;

/// Returns a random engine with a new seed in each run. On Linux fuzz/iostreams.cpp makes the same
/// comparisons, and shortens and repeats failures.
random_engine randomly_seeded_engine() { return random_engine(std::random_device()()); }

TEST(fstream, random_values_are_written_like_by_std) {
  const temporary_folder folder;
  EXPECT_EQ(differing_output(randomly_seeded_engine(), 10'000, folder / "output"), "");
}

TEST(fstream, random_values_are_read_like_by_std) {
  EXPECT_EQ(differing_input(randomly_seeded_engine(), 15'000), "");
}

TEST(fstream, random_calls_have_the_same_results_as_with_std) {
  const temporary_folder folder;
  EXPECT_EQ(differing_call_sequences(randomly_seeded_engine(), 50, folder.path()), "");
}

struct point {
  int x = 0, y = 0;
};
std::ostream& operator<<(std::ostream& out, const point& p) { return out << p.x << '/' << p.y; }
std::istream& operator>>(std::istream& in, point& p) {
  char slash;
  return in >> p.x >> slash >> p.y;
}

/// A class that converts to a number, and has an operator<< of its own.
struct wrapped {
  operator int() const { return 5; }
};
std::ostream& operator<<(std::ostream& out, const wrapped&) { return out << "wrapped"; }

enum plain_enum { seven = 7 };

TEST(fstream, operators_of_the_program_for_std_streams_are_used) {
  leat::ostringstream out;
  out << point{1, 2} << ' ' << 3;
  out << wrapped() << seven << nullptr << static_cast<void*>(nullptr);
  std::ostringstream expected;
  expected << point{1, 2} << ' ' << 3 << wrapped() << seven << nullptr
           << static_cast<void*>(nullptr);
  EXPECT_EQ(out.str(), expected.str());
  leat::istringstream in("4/5 6");
  point p;
  int n;
  in >> p >> n;
  EXPECT_EQ(p.x * 100 + p.y * 10 + n, 456);
}

TEST(fstream, putback_may_put_back_another_character_than_was_read) {
  const temporary_folder folder;
  write_file(folder / "file", "abc def");
  leat::ifstream in(folder / "file");
  for (const bool by_block : {false, true}) {
    in.seekg(0);
    in.get(), in.get();
    EXPECT_TRUE(in.putback('X'));
    std::string text(6, '?');
    if (by_block)
      in.read(text.data(), 6);
    else
      for (char& c : text) c = static_cast<char>(in.get());
    EXPECT_EQ(text, "Xc def");
    EXPECT_EQ(in.tellg(), std::istream::pos_type(7));
  }
  EXPECT_EQ(read_all(folder / "file"), "abc def");
}

TEST(fstream, flush_writes_what_was_written_before_a_read_or_a_query) {
  using std::ios;
  const temporary_folder folder;
  const std::string path = folder / "file";
  using call = void (*)(leat::fstream&);
  const call calls[] = {
      [](leat::fstream& f) { EXPECT_EQ(f.tellp(), std::ios::pos_type(5)); },
      [](leat::fstream& f) { EXPECT_EQ(f.tellg(), std::ios::pos_type(5)); },
      [](leat::fstream& f) { f.seekp(0, ios::cur); },
      [](leat::fstream& f) { f.seekg(0).get(); },
      [](leat::fstream& f) { f.rdbuf()->in_avail(); },
  };
  for (const call function : calls) {
    leat::fstream f(path, ios::in | ios::out | ios::trunc);
    f << "hello";
    function(f);
    EXPECT_TRUE(f.flush());
    EXPECT_EQ(read_all(path), "hello");
  }
}

TEST(fstream, reads_nothing_if_the_size_is_negative) {
  const temporary_folder folder;
  write_file(folder / "file", "abc");
  leat::ifstream in(folder / "file");
  char byte = '.';
  EXPECT_EQ(in.rdbuf()->sgetn(&byte, -1), 0);
  in.get();
  in.putback('X');
  EXPECT_EQ(in.rdbuf()->sgetn(&byte, -1), 0);
  EXPECT_EQ(byte, '.');
  EXPECT_EQ(in.get(), 'X');
  EXPECT_EQ(in.get(), 'b');
}

TEST(fstream, putback_loses_no_character_that_was_put_back) {
  const temporary_folder folder;
  write_file(folder / "file", "abc def");
  leat::ifstream in(folder / "file");
  in.get(), in.get(), in.get();
  EXPECT_TRUE(in.putback('X'));
  EXPECT_FALSE(in.putback('Y'));
  in.clear();
  EXPECT_FALSE(in.unget());
  in.clear();
  EXPECT_EQ(in.get(), 'X');
  EXPECT_EQ(in.get(), ' ');
  EXPECT_TRUE(in.unget());
  EXPECT_TRUE(in.putback('c'));
  EXPECT_EQ(in.get(), 'c');
}

TEST(fstream, is_an_operand_of_a_conditional_expression_with_standard_streams) {
  const temporary_folder folder;
  leat::ofstream file(folder / "file");
  std::ostream& out = file.is_open() ? file : leat::cout;
  (file.is_open() ? file : leat::cerr) << 1 << ' ';
  out << 2.5;
  const std::ostream* const stream = file.is_open() ? &file : &leat::cout;
  EXPECT_EQ(stream, &out);
  file.close();
  leat::ifstream in(folder / "file");
  std::istream& from = in.is_open() ? in : leat::cin;
  int n = 0;
  double x = 0;
  from >> n >> x;
  EXPECT_EQ(n + x, 3.5);
}

/// A buffer that accepts no bytes.
struct full_buffer final : std::streambuf {};

template <class T>
void expect_the_state_of_std(leat::fstream& stream, const T& value) {
  full_buffer full;
  std::ostream expected(&full);
  expected << value;
  stream.clear();
  stream << value;
  EXPECT_EQ(stream.rdstate(), expected.rdstate());
}

TEST(fstream, failed_calls_set_the_same_bits_as_with_std) {
  const temporary_folder folder;
  leat::write_file(folder / "file", "text");
  leat::fstream only_read(folder / "file", std::ios::in);
  expect_the_state_of_std(only_read, "text");
  expect_the_state_of_std(only_read, 'c');
  expect_the_state_of_std(only_read, 1);
  expect_the_state_of_std(only_read, 2.5);
  expect_the_state_of_std(only_read, 2.5L);
}

TEST(fstream, seekdir_values_are_those_of_std) {
  leat::istringstream in("text");
  in.seekg(0, in.end);
  EXPECT_EQ(in.tellg(), 4);
  in.seekg(-3, leat::istringstream::end);
  in.seekg(1, in.cur);
  EXPECT_EQ(in.get(), 'x');
  in.seekg(0, in.beg);
  EXPECT_EQ(in.get(), 't');
}

/// Constants without a definition: a reference to one would not link.
struct constants {
  static const int number = 5;
  static const char letter = 'x';
  static const bool flag = true;
};

TEST(fstream, writes_nullptr_and_constants_without_a_definition) {
  leat::ostringstream out;
  out << constants::number << constants::letter << constants::flag;
  EXPECT_EQ(out.view(), "5x1");
  out.str("");
  std::ostringstream expected;
  expected << nullptr;
  out << nullptr;
  EXPECT_EQ(out.view(), expected.str());
}

TEST(fstream, keeps_its_type_in_a_chain_of_operators) {
  leat::ostringstream out;
  static_assert(std::is_same_v<decltype(out << 1 << "," << std::setw(3) << 2.5 << std::hex << '\n'
                                            << std::string() << std::endl),
                               leat::ostringstream&>);
  leat::istringstream in;
  int n;
  std::string text;
  static_assert(
      std::is_same_v<decltype(in >> std::hex >> n >> std::ws >> text), leat::istringstream&>);
  static_assert(std::is_same_v<decltype(getline(in, text)), leat::istringstream&>);
  static_assert(std::is_base_of_v<std::ostream, leat::ofstream> &&
                std::is_base_of_v<std::istream, leat::ifstream> &&
                std::is_base_of_v<std::iostream, leat::fstream>);
}

/// A class of the program that is derived from leat's stream.
struct log_file : leat::ofstream {
  using leat::ofstream::ofstream;
};

TEST(fstream, can_be_a_base_class) {
  const temporary_folder folder;
  {
    log_file log(folder / "log");
    log << "n = " << 42 << '\n';
  }
  EXPECT_EQ(leat::read_file(folder / "log"), "n = 42\n");
}

TEST(fstream, can_be_moved_and_swapped) {
  const temporary_folder folder;
  leat::ofstream a(folder / "a");
  a << std::hex << 255 << ' ';
  leat::ofstream b(std::move(a));
  b << 255;
  EXPECT_FALSE(a.is_open());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  a.open(folder / "c");
  a << 12;
  swap(a, b);
  a << 255 << std::setw(4) << 1;
  b << 13;
  a = leat::ofstream(folder / "d");
  a << 14.5;
  a.close();
  b.close();
  EXPECT_EQ(leat::read_file(folder / "a"), "ff ffff   1");
  EXPECT_EQ(leat::read_file(folder / "c"), "1213");
  EXPECT_EQ(leat::read_file(folder / "d"), "14.5");
  leat::stringstream s("1 2 3");
  int n;
  s >> n;
  leat::stringstream t(std::move(s));
  t >> n;
  EXPECT_EQ(n, 2);
  leat::stringstream u(std::string(1000, 'x'));
  t.swap(u);
  u >> n;
  EXPECT_EQ(n, 3);
  EXPECT_EQ(std::move(t).str().size(), 1000u);
  EXPECT_EQ(t.str(), "");  // NOLINT(bugprone-use-after-move)
}

TEST(fstream, writes_into_the_buffer_that_rdbuf_sets) {
  leat::ostringstream out;
  std::stringbuf other;
  out << 1;
  static_cast<std::ios&>(out).rdbuf(&other);
  out << 2 << 2.5 << "text" << 'c';
  out.put('d').write("ef", 2);
  EXPECT_EQ(out.str(), "1");
  EXPECT_EQ(other.str(), "22.5textcdef");
}

TEST(fstream, throws_if_exceptions_are_enabled) {
  leat::ifstream in;
  in.exceptions(std::ios::failbit);
  EXPECT_THROW(in.open("/nowhere/at/all"), std::ios_base::failure);
  EXPECT_EQ(in.error(), std::errc::no_such_file_or_directory);
  leat::istringstream text("x");
  text.exceptions(std::ios::failbit | std::ios::eofbit);
  int n;
  EXPECT_THROW(text >> n, std::ios_base::failure);
}

TEST(fstream, flushes_the_stream_it_is_tied_to) {
  const temporary_folder folder;
  leat::ofstream first(folder / "first");
  leat::ofstream second(folder / "second");
  second.tie(&first);
  first << "text";
  second << 1;
  EXPECT_EQ(leat::read_file(folder / "first"), "text");
  first << " and more";
  second.flush();
  EXPECT_EQ(leat::read_file(folder / "first"), "text and more");
}

TEST(fstream, flushes_at_endl_unless_disabled) {
  const temporary_folder folder;
  leat::ofstream out(folder / "f");
  out << 1 << std::endl;
  EXPECT_EQ(leat::read_file(folder / "f"), "1\n");
  out.endl_flushes(false);
  out << 2 << std::endl << std::flush;
  EXPECT_EQ(leat::read_file(folder / "f"), "1\n");
  out.flush();
  EXPECT_EQ(leat::read_file(folder / "f"), "1\n2\n");
  out << std::unitbuf << 3;
  out.close();
  EXPECT_EQ(leat::read_file(folder / "f"), "1\n2\n3");
}

TEST(fstream, reads_a_file_and_appends_to_the_same_file) {
  const temporary_folder folder;
  leat::write_file(folder / "f", "one\n");
  leat::fstream both(folder / "f", std::ios::in | std::ios::out | std::ios::app);
  std::string line;
  getline(both, line);
  EXPECT_EQ(line, "one");
  both << "two\n";
  both.seekg(0);
  getline(both, line);
  getline(both, line);
  EXPECT_EQ(line, "two");
  both << "three\n" << std::flush;
  EXPECT_EQ(leat::read_file(folder / "f"), "one\ntwo\nthree\n");
}

TEST(fstream, refuses_the_same_modes_as_std) {
  const temporary_folder folder;
  leat::write_file(folder / "f", "text");
  using b = std::ios_base;
  for (int mode = 0; mode != 32; ++mode) {
    b::openmode flags = b::in & b::out;  // no flags
    constexpr std::array all{b::in, b::out, b::app, b::trunc, b::ate};
    for (std::size_t i = 0; i != all.size(); ++i)
      if ((mode >> i & 1) != 0) flags |= all[i];
    leat::write_file(folder / "g", "text");
    leat::fstream ours;
    std::filebuf theirs;
    const bool opened = ours.rdbuf()->open(folder / "f", flags) != nullptr;
    EXPECT_EQ(opened, theirs.open(folder / "g", flags) != nullptr) << mode;
    ours.close();
    theirs.close();
    EXPECT_EQ(leat::read_file(folder / "f"), leat::read_file(folder / "g")) << mode;
    leat::write_file(folder / "f", "text");
  }
}

#if defined(HAS_SYSTEM_FILES)
TEST(fstream, reports_why_it_can_not_begin_at_the_end) {
  const pipe_pair pipe;
  using b = std::ios_base;
  leat::ifstream in;
  in.open("/dev/fd/" + std::to_string(pipe.reader()), b::in | b::ate);
  EXPECT_FALSE(in.is_open());
  EXPECT_EQ(in.error(), std::errc::invalid_seek);
  leat::ofstream out;
  out.open("/dev/fd/" + std::to_string(pipe.writer()), b::app | b::ate);
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(out.error(), std::errc::invalid_seek);
}
#endif

TEST(fstream, reads_and_seeks_in_a_large_file) {
  const temporary_folder folder;
  {
    leat::ofstream out(folder / "f");
    for (int i = 0; i != 200'000; ++i) out << i << ' ' << i * 0.5 << '\n';
    EXPECT_TRUE(out.good());
  }
  leat::ifstream in(folder / "f");
  int n;
  double d;
  for (int i = 0; i != 200'000; ++i) {
    ASSERT_TRUE(in >> n >> d) << i;
    ASSERT_EQ(n, i);
    ASSERT_EQ(d, i * 0.5);
  }
  EXPECT_FALSE(in >> n);
  EXPECT_TRUE(in.eof());
  in.clear();
  in.seekg(0);
  std::string line;
  int count = 0;
  while (getline(in, line)) ++count;
  EXPECT_EQ(count, 200'000);
}

/// Reads lines, words and characters between seeks and writes. Returns what was read. `getline` is
/// found by argument-dependent lookup.
template <class Stream>
std::string read_in_many_ways(const std::string& path) {
  std::mt19937_64 random(5);
  Stream in(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string seen, line;
  char c = '\0';
  while (seen.size() < 200'000) {
    switch (random() % 32) {
      case 0:
        in.get(c);
        seen += c;
        break;
      case 1:
#ifndef _LIBCPP_VERSION  // libc++'s files refuse unget() after a seek
        in.unget();
#endif
        break;
      case 2:
        in.ignore(3);
        break;
      case 3:
        in.seekg(static_cast<std::streamoff>(random() % 100'000));
        break;
      case 4:
        getline(in, line, 'm');
        seen += line;
        break;
      case 5:
        in.seekp(static_cast<std::streamoff>(random() % 100'000));
        in << '\n' << "x\n";
        in.seekg(in.tellp() - std::streamoff{40});
        break;
      case 6:
        in >> line;
        seen += line;
        break;
      default:
        getline(in, line);
        seen += line + '\n';
    }
    if (!in) {
      in.clear();
      in.seekg(0);
      seen += "again\n";
    }
  }
  return seen;
}

TEST(fstream, reads_lines_between_other_calls) {
  const temporary_folder folder;
  std::mt19937_64 random(4);
  std::string text;
  while (text.size() < 120'000) {
    text.append(random() % (random() % 8 == 0 ? 2000 : 100),
                static_cast<char>('a' + random() % 26));
    text += '\n';
  }
  for (const char* name : {"leat", "std"}) std::ofstream(folder / name, std::ios::binary) << text;
  EXPECT_TRUE(read_in_many_ways<leat::fstream>(folder / "leat") ==
              read_in_many_ways<std::fstream>(folder / "std"));
}

TEST(fstream, operators_of_standard_streams_return_streams_of_leat) {
  // std's operators return std::ostream& and std::istream&.
  int number = 0;
  std::string text;
  static_assert(std::is_same_v<decltype(leat::cout << 1), decltype(leat::cout)>);
  static_assert(std::is_same_v<decltype(leat::cout << text), decltype(leat::cout)>);
  static_assert(std::is_same_v<decltype(leat::cerr << 1.5), decltype(leat::cerr)>);
  static_assert(std::is_same_v<decltype(leat::cin >> number), decltype(leat::cin)>);
  static_assert(std::is_same_v<decltype(getline(leat::cin, text)), decltype(leat::cin)>);
}

TEST(fstream, standard_streams_are_tied_to_cout) {
  EXPECT_EQ(leat::cin.tie(), &leat::cout);
  EXPECT_EQ(leat::cerr.tie(), &leat::cout);
  EXPECT_TRUE((leat::cerr.flags() & std::ios::unitbuf) != 0);
}

}  // namespace
