// For tests/iostreams/ and fuzz/: the same calls to std's file and string streams and to leat's
// must have the same visible results. differing_call_sequences() runs `count` random cases, and
// returns the first difference, or an empty string.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>

#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "support/compare_input.hpp"
#include "support/libraries.hpp"
#include "support/random_engine.hpp"

namespace leat_test {

/// An output stream for tie(). Counts the flushes that the tied streams make.
class counted_flushes : std::streambuf, public std::ostream {
 public:
  counted_flushes() : std::ostream(static_cast<std::streambuf*>(this)) {}
  /// Returns true if the numbers of flushes since the last comparison differ. If `reads` is true,
  /// leat may flush less often than std: a call that reads need not flush if the bytes are in the
  /// buffer.
  bool take_flush_difference(const counted_flushes& theirs, bool reads) {
    const int mine = count - seen_, wanted = theirs.count - seen_theirs_;
    seen_ = count;
    seen_theirs_ = theirs.count;
    return reads ? mine > wanted : mine != wanted;
  }
  int count = 0;

 private:
  int sync() override { return ++count * 0; }

  int seen_ = 0, seen_theirs_ = 0;
};

/// Ties an untied stream to `to`, and unties a tied stream.
inline void change_tie(std::ios& s, counted_flushes& to) {
  s.tie(s.tie() == nullptr ? &to : nullptr);
}

/// Makes calls to a stream. Each call returns its visible results as text.
template <class S>
class caller {
 public:
  explicit caller(S& stream) : s_(stream) {}

  /// Makes the call with this number. Returns the visible results. If the stream does not have the
  /// call, does nothing.
  std::string call(int number, std::uint64_t argument, const std::string& text) {
    std::ostringstream seen;
    try {
      make(number, argument, text, seen);
    } catch (const std::ios_base::failure&) {
      seen << " thrown";
    }
    seen << " state " << s_.rdstate();
    return seen.str();
  }
  counted_flushes& tied() { return tied_; }
  static constexpr bool writes(int number) { return number < 12; }
  static constexpr bool reads(int number) { return (number >= 12 && number < 30) || number == 36; }
  // libc++ throws and flushes in other calls than libstdc++, so the calls 34 to 36 are left out.
  static constexpr int call_count = uses_libcxx ? 34 : 37;

 private:
  void make(int number, std::uint64_t argument, const std::string& text, std::ostream& seen) {
    if constexpr (std::is_base_of_v<std::ostream, S>) write(number, argument, text, seen);
    if constexpr (std::is_base_of_v<std::istream, S>) read(number, argument, seen);
    if (number == 30) s_.clear();
    if (number == 31) s_.setstate(std::ios_base::failbit);
    if (number == 32) {
      S moved(std::move(s_));
      s_ = std::move(moved);
    }
    if (number == 33) {
      S other;
      s_.swap(other);
      s_.swap(other);
    }
    if (number == 34)
      s_.exceptions(static_cast<std::ios_base::iostate>(argument & argument >> 8 & 7));
    if (number == 35) change_tie(s_, tied_);
  }
  void write(int number, std::uint64_t argument, const std::string& text, std::ostream& seen) {
    switch (number) {
      case 0:
        s_ << static_cast<int>(argument);
        break;
      case 1:
        s_ << static_cast<double>(argument % 100000) / 8 << ' ';
        break;
      case 2:
        s_ << text;
        break;
      case 3:
        s_ << std::setw(static_cast<int>(argument % 9)) << text.c_str() << '\n';
        break;
      case 4:
        s_.put(static_cast<char>('a' + argument % 26));
        break;
      case 5:
        s_.write(text.data(), static_cast<std::streamsize>(text.size()));
        break;
      case 6:
        s_ << std::hex << argument << std::dec << std::endl;
        break;
      case 7:
        s_.flush();
        break;
      case 8:
        s_.seekp(static_cast<std::streamoff>(argument % 200));
        break;
      case 9:
        s_.seekp(static_cast<std::streamoff>(argument % 9) - 4, std::ios_base::cur);
        break;
      case 10:
        s_.seekp(0, std::ios_base::end);
        break;
      case 11:
        seen << s_.tellp();
        break;
      default:
        break;
    }
  }
  void read(int number, std::uint64_t argument, std::ostream& seen) {
    char memory[40] = {};
    switch (number) {
      case 12:
      case 13:
      case 14:
      case 15:
        seen << read_once(s_, number == 12 ? 2 : number == 13 ? 10 : number == 14 ? 14 : 16).value;
        break;
      case 16:
        seen << s_.get() << ' ' << s_.gcount();
        break;
      case 17:
        seen << s_.peek() << ' ' << s_.gcount();
        break;
      case 18:
        s_.unget();
        seen << s_.gcount();
        break;
      case 19: {
        const int c = s_.get();
        if (c >= 0) s_.putback(static_cast<char>(c));
        seen << c;
        break;
      }
      case 20:
        s_.ignore(static_cast<std::streamsize>(argument % 20));
        seen << s_.gcount();
        break;
      case 21:
        s_.ignore(static_cast<std::streamsize>(argument % 99), '\n');
        seen << s_.gcount();
        break;
      case 22:
        s_.read(memory, static_cast<std::streamsize>(argument % 39));
        seen << memory << s_.gcount();
        break;
      case 23:
        s_.getline(memory, static_cast<std::streamsize>(argument % 39));
        seen << memory << s_.gcount();
        break;
      case 24:
        s_.get(memory, static_cast<std::streamsize>(argument % 39));
        seen << memory << s_.gcount();
        break;
      case 25:
        s_.seekg(static_cast<std::streamoff>(argument % 200));
        break;
      case 26:
        s_.seekg(static_cast<std::streamoff>(argument % 9) - 4, std::ios_base::cur);
        break;
      case 27:
        s_.seekg(-static_cast<std::streamoff>(argument % 9), std::ios_base::end);
        break;
      case 28:
        seen << s_.tellg();
        break;
      case 29:
        s_ >> std::ws;
        break;
      case 36: {
        std::string large(argument % 300'000, '\0');
        s_.read(large.data(), static_cast<std::streamsize>(large.size()));
        seen << large << s_.gcount();
        break;
      }
      default:
        break;
    }
  }

  S& s_;
  counted_flushes tied_;
};

/// Makes the same random calls to `mine` and `theirs`, which are streams in the same state. Returns
/// the first difference, or an empty string. If reads and writes share one position, this function
/// seeks between a read and a write, as std requires for files.
template <class Mine, class Theirs>
std::string differing_calls(random_engine& random, Mine& mine, Theirs& theirs, std::uint64_t calls,
                            bool shared_position) {
  static const char* const texts[] = {"a",
                                      "hello",
                                      "1 2 3\n",
                                      "line\nline\n",
                                      "3.25",
                                      "",
                                      "a text that is longer than the others, with some words\n"};
  caller<Mine> my(mine);
  caller<Theirs> their(theirs);
  std::string history;
  int direction = 0;
  for (std::uint64_t i = 0; i != calls; ++i) {
    int number = static_cast<int>(below(random, caller<Mine>::call_count));
    // After a seek, libc++'s files refuse to put a byte back, so a get() comes before putback().
    if (uses_libcxx && shared_position && number == 18) number = 19;
    const std::uint64_t argument = random() >> below(random, 60);
    std::string text = texts[below(random, std::size(texts))];
    if (below(random, 32) == 31)
      text = random.text(below(random, below(random, 8) == 7 ? 1'000'000 : 100'000), "ab 12.\n");
    const int wanted = caller<Mine>::writes(number)  ? 1
                       : caller<Mine>::reads(number) ? 2
                                                     : direction;
    if (shared_position && direction != 0 && wanted != direction) {
      if constexpr (std::is_base_of_v<std::istream, Mine>) {
        const auto seek_in_place = [state = theirs.rdstate()](auto& s) {
          const auto throwing = s.exceptions();
          s.exceptions(std::ios_base::goodbit);
          s.clear();
          s.seekg(0, std::ios_base::cur);
          s.clear(state);
          try {
            s.exceptions(throwing);
          } catch (const std::ios_base::failure&) {  // thrown because of the restored state
          }
        };
        seek_in_place(mine);
        seek_in_place(theirs);
      }
    }
    direction = wanted;
    history += " " + std::to_string(number) + ":" + std::to_string(argument);
    const std::string my_result = my.call(number, argument, text),
                      their_result = their.call(number, argument, text);
    if (my_result != their_result)
      return history.append(": \"").append(my_result).append("\", not \"").append(their_result) +
             '"';
    if (my.tied().take_flush_difference(their.tied(), caller<Mine>::reads(number)))
      return history + ": the number of flushes by tie() differs";
  }
  return {};
}

/// Makes `count` sequences of calls, on files in `folder` and on strings. Returns the first
/// difference, or an empty string.
inline std::string differing_call_sequences(random_engine random, std::uint64_t count,
                                            const std::string& folder) {
  const std::string start = "some text 12 34.5 6\nsecond line\n\n0x1f 77 word\nlast";
  for (std::uint64_t i = 0; i != count; ++i) {
    const std::string mine = folder + "/mine.txt", theirs = folder + "/theirs.txt";
    leat::write_file(mine, start);
    leat::write_file(theirs, start);
    constexpr std::ios_base::openmode modes[] = {
        std::ios_base::in | std::ios_base::out,
        std::ios_base::in | std::ios_base::out | std::ios_base::trunc,
        std::ios_base::in | std::ios_base::out | std::ios_base::ate,
        std::ios_base::in | std::ios_base::out | std::ios_base::binary,
        std::ios_base::in,
        std::ios_base::out,
        std::ios_base::in | std::ios_base::trunc};
    constexpr auto binary =
        std::ios_base::binary;  // otherwise Windows writes a newline as two bytes
    std::string difference;
    const std::uint64_t calls = 1 + below(random, 40);
    std::string name;
    switch (below(random, 5)) {
      case 0: {
        name = "fstream";
        auto mode = modes[below(random, std::size(modes))];
        // libc++'s files accept output that they can't write, and fail later.
        if (uses_libcxx && mode == std::ios_base::in) mode |= std::ios_base::out;
        leat::fstream a(mine, mode);
        std::fstream b(theirs, mode | binary);
        if (a.is_open() != b.is_open() || a.rdstate() != b.rdstate())
          difference = " the results of opening differ";
        if (difference.empty() && a.is_open())
          difference = differing_calls(random, a, b, calls, true);
        break;
      }
      case 1: {
        name = "ifstream";
        leat::ifstream a(mine);
        std::ifstream b(theirs, binary);
        difference = differing_calls(random, a, b, calls, true);
        break;
      }
      case 2: {
        name = "ofstream";
        leat::ofstream a(mine);
        std::ofstream b(theirs, binary);
        difference = differing_calls(random, a, b, calls, true);
        break;
      }
      case 3: {
        name = "stringstream";
        leat::stringstream a(start);
        std::stringstream b(start);
        difference = differing_calls(random, a, b, calls, false);
        if (difference.empty() && a.str() != b.str())
          difference = "\"" + a.str() + "\", not \"" + b.str() + "\"";
        break;
      }
      default: {
        name = "ofstream, appending";
        leat::ofstream a(mine, std::ios_base::app);
        std::ofstream b(theirs, std::ios_base::app | binary);
        for (std::uint64_t n = calls; n != 0; --n) {
          const std::uint64_t value = random();
          a << value << '\n';
          b << value << '\n';
        }
        break;
      }
    }
    if (difference.empty() && leat::read_file(mine) != leat::read_file(theirs))
      difference =
          "the files: \"" + leat::read_file(mine) + "\", not \"" + leat::read_file(theirs) + "\"";
    if (!difference.empty()) return name.append(":").append(difference);
  }
  return {};
}

}  // namespace leat_test
