// std::endl writes the same to leat's streams as to std's.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>

#include <fstream>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

#include "support/files.hpp"

namespace {

using namespace leat_test;

/// A facet that widens '\n' to ';'.
struct semicolons : std::ctype<char> {
  char do_widen(char c) const override { return c == '\n' ? ';' : c; }
  const char* do_widen(const char* from, const char* to, char* into) const override {
    for (; from != to; ++from) *into++ = do_widen(*from);
    return to;
  }
};

/// Writes endl in several states of the stream. Returns the states and the written text after the
/// calls.
template <class Stream>
std::string states_at_endl(const std::string& path, const std::string& other) {
  std::ostringstream states;
  std::ofstream tied(other);
  Stream out(path, std::ios_base::out | std::ios_base::binary);  // otherwise Windows writes "\r\n"
  out << std::setw(7) << std::endl;
  states << out.width() << ' ' << out.good();
  out << 1 << std::endl;
  tied << "tied";
  out.tie(&tied);
  out << 2 << std::endl;
  states << leat::read_file(other);
  out.tie(nullptr);
  out << std::unitbuf << 3 << std::endl << std::nounitbuf;
  out.imbue(std::locale(std::locale::classic(), new semicolons));
  out << 4 << std::endl;
  states << leat::read_file(path);
  out.setstate(std::ios_base::failbit);
  out << std::endl;
  out.clear();
  auto* const manipulate = &std::endl<char, std::char_traits<char>>;
  out.imbue(std::locale::classic());
  out << manipulate << 5;
  states << leat::read_file(path) << out.rdstate();
  return states.str();
}

TEST(fstream, writes_endl_like_std) {
  const temporary_folder folder;
  EXPECT_EQ(states_at_endl<leat::ofstream>(folder / "ours", folder / "tied"),
            states_at_endl<std::ofstream>(folder / "std", folder / "tied of std"));
  EXPECT_EQ(leat::read_file(folder / "ours"), leat::read_file(folder / "std"));
  leat::ostringstream text;
  text << 1 << std::endl << 2;
  EXPECT_EQ(text.view(), "1\n2");
}

}  // namespace
