// For tests/iostreams/ and fuzz/: the same calls to std's string streams and to leat's, in any
// order and of any size, must have the same visible results. differing_strings() runs random cases,
// and returns the first difference, or an empty string.
#pragma once

#include <leat/fstream.hpp>

#include <algorithm>
#include <array>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "support/compare_input.hpp"
#include "support/compare_output.hpp"
#include "support/compare_streams.hpp"
#include "support/random_engine.hpp"

namespace leat_test {

/// Returns a random length, often near a size at which the streams' memory grows.
inline std::size_t random_length(random_engine& random) {
  static constexpr std::size_t borders[] = {0,   1,   4,   8,   16,  32,  48,  64,   128, 185,
                                            192, 256, 320, 384, 448, 512, 768, 1024, 4096};
  if (below(random, 2) != 0) return below(random, 20);
  if (below(random, 40) == 39) return below(random, below(random, 16) == 15 ? 300'000 : 20'000);
  const std::size_t at = borders[below(random, std::size(borders))];
  return at + std::min<std::size_t>(below(random, 7), 3 + at) - std::min<std::size_t>(at, 3);
}

inline std::string random_text(random_engine& random) {
  return random.text(random_length(random), "0123456789 \n-x.");
}

/// A stream of std and a stream of leat that get the same calls.
template <class Std, class Leat>
struct stream_pair {
  Std expected;
  Leat got;
  counted_flushes expected_tie, got_tie;

  template <class... Args>
  explicit stream_pair(const Args&... args) : expected(args...), got(args...) {}

  static constexpr bool writes = std::derived_from<Std, std::ostream>;
  static constexpr bool reads = std::derived_from<Std, std::istream>;

  /// Calls use() with both streams, and compares results and states. Returns the difference, or
  /// an empty string.
  template <class Use>
  std::string compare_call(const char* call_name, const Use& use) {
    std::ostringstream wanted, seen;
    const auto make = [&](auto& s, std::ostringstream& result) {
      try {
        use(s, result);
      } catch (const std::ios_base::failure&) {
        result << " thrown";
        s.width(0);  // unspecified after an exception
      }
    };
    make(expected, wanted);
    make(got, seen);
    if (seen.view() != wanted.view())
      return std::string(call_name) + " returns \"" + seen.str() + "\", not \"" + wanted.str() +
             '"';
    return difference(call_name);
  }

  /// Compares states, widths, positions, contents and flushes. Returns the first difference, which
  /// begins with `call_name`, or an empty string.
  std::string difference(const char* call_name) {
    const auto differ = [&](const char* which, auto actual, auto wanted) {
      return std::string(call_name) + ": " + which + " is " + std::to_string(actual) + ", not " +
             std::to_string(wanted);
    };
    if (got.rdstate() != expected.rdstate())
      return differ("the state", static_cast<int>(got.rdstate()),
                    static_cast<int>(expected.rdstate()));
    if (got_tie.take_flush_difference(expected_tie, reads))
      return differ("the number of flushes by tie()", got_tie.count, expected_tie.count);
    if (got.width() != expected.width()) return differ("the width", got.width(), expected.width());
    for (const auto side : {std::ios_base::in, std::ios_base::out}) {
      const auto position = [&](std::streambuf& buffer) {
        return static_cast<long long>(buffer.pubseekoff(0, std::ios_base::cur, side));
      };
      const auto actual = position(*got.rdbuf()), wanted = position(*expected.rdbuf());
      if (actual != wanted)
        return differ(side == std::ios_base::in ? "the read position" : "the write position",
                      actual, wanted);
    }
    if (got.view() != expected.view()) {
      const auto [a, b] = std::mismatch(got.view().begin(), got.view().end(),
                                        expected.view().begin(), expected.view().end());
      (void)b;
      return differ("the size", got.view().size(), expected.view().size()) +
             ", the first different byte is at " + std::to_string(a - got.view().begin());
    }
    return {};
  }

  std::string random_write(random_engine& random) {
    switch (below(random, 12)) {
      case 0: {
        const char c = static_cast<char>('a' + below(random, 20));
        return compare_call("put", [&](auto& s, auto&) { s.put(c); });
      }
      case 1: {
        const std::string text = random_text(random);
        return compare_call("write", [&](auto& s, auto&) {
          s.write(text.data(), static_cast<std::streamsize>(text.size()));
        });
      }
      case 2: {
        const std::string text = random_text(random);
        return compare_call("<< string", [&](auto& s, auto&) { s << text; });
      }
      case 3: {
        const std::string text = random_text(random);
        return compare_call("<< const char*", [&](auto& s, auto&) { s << text.c_str(); });
      }
      case 4: {
        const char c = static_cast<char>('a' + below(random, 20));
        return compare_call("sputc", [&](auto& s, auto& result) { result << s.rdbuf()->sputc(c); });
      }
      case 5: {
        const std::string text = random_text(random);
        return compare_call("sputn", [&](auto& s, auto& result) {
          result << s.rdbuf()->sputn(text.data(), static_cast<std::streamsize>(text.size()));
        });
      }
      case 6: {
        const std::string text = random_text(random);
        const auto width = static_cast<int>(random_length(random));
        const auto side = std::array{std::left, std::right, std::internal}[below(random, 3)];
        return compare_call("<< setw",
                            [&](auto& s, auto&) { s << side << std::setw(width) << text; });
      }
      case 7: {
        const std::string text = random_text(random);
        return compare_call("<< streambuf", [&](auto& s, auto&) {
          std::stringbuf from(text);
          s << &from;
        });
      }
      case 8: {
        value_format format = value_format::random(random);
        if ((format.flags & std::ios_base::floatfield) == 0)
          format.flags &= ~std::ios_base::showpoint;
        std::string found_difference;
        with_random_value(random, [&](const auto& value) {
          found_difference = compare_call("<< with flags", [&](auto& s, auto&) {
            format.apply_to(s);
            s << value;
            value_format().apply_to(s);
          });
        });
        return found_difference;
      }
      case 9: {
        const int n = static_cast<int>(below(random, 60));
        return compare_call("many <<", [&](auto& s, auto&) {
          for (int i = 0; i < n; ++i) s << i << ' ' << i * 0.5 << "text" << '\n';
        });
      }
      case 10:
        return compare_call("flush", [&](auto& s, auto&) {
          s << std::flush << std::endl << std::ends;
        });
      default: {
        std::string found_difference;
        with_random_value(random, [&](const auto& value) {
          found_difference = compare_call("<<", [&](auto& s, auto&) { s << value; });
        });
        return found_difference;
      }
    }
  }

  std::string random_read(random_engine& random) {
    const auto show = [](auto& result, const auto& s, const auto& value) {
      result << value << ' ' << s.gcount();
    };
    const std::size_t n = random_length(random);
    switch (below(random, 18)) {
      case 0:
        return compare_call("get()", [&](auto& s, auto& result) { show(result, s, s.get()); });
      case 1:
        return compare_call("get(char*)", [&](auto& s, auto& result) {
          std::string text(n + 1, '\0');
          s.get(text.data(), static_cast<std::streamsize>(n + 1), ' ');
          show(result, s, text);
        });
      case 2:
        return compare_call("getline(char*)", [&](auto& s, auto& result) {
          std::string text(n + 1, '\0');
          s.getline(text.data(), static_cast<std::streamsize>(n + 1));
          show(result, s, text);
        });
      case 3:
        return compare_call("read", [&](auto& s, auto& result) {
          std::string text(n, '\0');
          s.read(text.data(), static_cast<std::streamsize>(n));
          show(result, s, text);
        });
      case 4:
        return compare_call("readsome", [&](auto& s, auto& result) {
          std::string text(n, '\0');
          result << s.readsome(text.data(), static_cast<std::streamsize>(n));
          show(result, s, text);
        });
      case 5:
        return compare_call("ignore", [&](auto& s, auto& result) {
          s.ignore(static_cast<std::streamsize>(n), n % 2 != 0 ? '\n' : -1);
          show(result, s, "");
        });
      case 6:
        return compare_call("peek", [&](auto& s, auto& result) { show(result, s, s.peek()); });
      case 7: {
        const char c = "0123456789 \n-x."[below(random, 15)];
        return compare_call("putback", [&](auto& s, auto& result) {
          s.putback(c);
          show(result, s, "");
        });
      }
      case 8:
        return compare_call("unget", [&](auto& s, auto& result) {
          s.unget();
          show(result, s, "");
        });
      case 9:
        return compare_call("sync", [&](auto& s, auto& result) { result << s.sync(); });
      case 10:
        return compare_call("in_avail",
                            [&](auto& s, auto& result) { result << s.rdbuf()->in_avail(); });
      case 11:
        return compare_call("sgetc", [&](auto& s, auto& result) {
          result << s.rdbuf()->sgetc() << s.rdbuf()->sbumpc() << s.rdbuf()->snextc();
        });
      case 12:
        return compare_call("sgetn", [&](auto& s, auto& result) {
          std::string text(n, '\0');
          result << s.rdbuf()->sgetn(text.data(), static_cast<std::streamsize>(n)) << text;
        });
      case 13: {
        const char c = "0123456789 \n-x."[below(random, 15)];
        return compare_call("sputbackc", [&](auto& s, auto& result) {
          result << s.rdbuf()->sungetc() << s.rdbuf()->sputbackc(c);
        });
      }
      case 14:
        return compare_call(">> ws", [&](auto& s, auto&) { s >> std::ws; });
      case 15:
        return compare_call("getline", [&](auto& s, auto& result) {
          std::string line;
          if (n % 2 != 0)
            std::getline(static_cast<std::istream&>(s), line, 'x');
          else if constexpr (std::is_same_v<decltype(s), Leat&>)
            leat::getline(s, line, 'x');
          else
            std::getline(s, line, 'x');
          result << line;
        });
      default: {
        const int kind = static_cast<int>(below(random, read_kind_count));
        return compare_call(
            ">>", [&](auto& s, auto& result) { result << read_once(s, kind).describe(); });
      }
    }
  }

  std::string random_seek(random_engine& random) {
    const auto size = static_cast<std::int64_t>(expected.view().size());
    std::int64_t offset =
        static_cast<std::int64_t>(below(random, static_cast<std::uint64_t>(size) + 1));
    if (below(random, 8) == 0) offset += static_cast<std::int64_t>(below(random, 100)) - 50;
    if (below(random, 60) == 0) offset = std::numeric_limits<std::int64_t>::max();
    if (below(random, 60) == 0) offset = std::numeric_limits<std::int64_t>::min();
    const auto from =
        std::array{std::ios_base::beg, std::ios_base::cur, std::ios_base::end}[below(random, 3)];
    if (from != std::ios_base::beg && offset > -size) {
      if (from == std::ios_base::end && below(random, 4) == 0) offset = size;
      offset -= size;
    }
#ifdef __GLIBCXX__  // libraries differ in the positions that a call may move
    if (below(random, 3) == 0) {
      const auto which = static_cast<std::ios_base::openmode>(
          static_cast<int>(std::ios_base::in) * static_cast<int>(below(random, 2)) |
          static_cast<int>(std::ios_base::out) * static_cast<int>(below(random, 2)));
      if (below(random, 2) != 0)
        return compare_call("pubseekpos", [&](auto& s, auto& result) {
          result << s.rdbuf()->pubseekpos(offset, which);
        });
      return compare_call("pubseekoff", [&](auto& s, auto& result) {
        result << s.rdbuf()->pubseekoff(offset, from, which);
      });
    }
#endif
    if constexpr (writes)
      if (!reads || below(random, 2) != 0) {
        if (below(random, 2) != 0)
          return compare_call("seekp(position)", [&](auto& s, auto& result) {
            s.seekp(offset);
            result << s.tellp();
          });
        return compare_call("seekp(offset)", [&](auto& s, auto& result) {
          s.seekp(offset, from);
          result << s.tellp();
        });
      }
    if constexpr (reads) {
      if (below(random, 2) != 0)
        return compare_call("seekg(position)", [&](auto& s, auto& result) {
          s.seekg(offset);
          result << s.tellg();
        });
      return compare_call("seekg(offset)", [&](auto& s, auto& result) {
        s.seekg(offset, from);
        result << s.tellg();
      });
    }
    return {};
  }

  std::string random_change(random_engine& random) {
    switch (below(random, uses_libcxx ? 4 : 6)) {
      case 4: {
        const auto mask = static_cast<std::ios_base::iostate>(below(random, 8) & below(random, 8));
        return compare_call("exceptions", [&](auto& s, auto&) { s.exceptions(mask); });
      }
      case 5:
        change_tie(expected, expected_tie);
        change_tie(got, got_tie);
        return {};
      case 0: {
        const std::string text = random_text(random);
        return compare_call("str(text)", [&](auto& s, auto&) { s.str(text); });
      }
      case 1:
        return compare_call("str()", [&](auto& s, auto& result) { result << s.str(); });
      case 2:
        if (below(random, 4) != 0) return {};
        return compare_call("str() &&",
                            [&](auto& s, auto& result) { result << std::move(s).str(); });
      default:
        return compare_call("clear", [&](auto& s, auto&) { s.clear(); });
    }
  }

  std::string random_call(random_engine& random) {
    if (below(random, 8) == 0) return random_change(random);
    if (below(random, 8) == 0) return random_seek(random);
    if constexpr (writes && reads)
      return below(random, 2) != 0 ? random_write(random) : random_read(random);
    else if constexpr (writes)
      return random_write(random);
    else
      return random_read(random);
  }
};

/// Empties both streams after a move, which leaves their content unspecified.
template <class Pair>
void reset_after_move(Pair& streams) {
  const auto reset = [](auto& s) {
    s.clear();
    s.str("");
    s.copyfmt(std::ios(nullptr));
    s.clear();
  };
  reset(streams.expected);
  reset(streams.got);
}

/// Makes `count` rounds of random calls on three pairs of streams. Returns the first difference, or
/// an empty string.
template <class Std, class Leat>
std::string differing_strings(random_engine random, int count) {
  using pair = stream_pair<Std, Leat>;
  using mode = std::ios_base::openmode;
  static constexpr mode modes[] = {Leat::required_mode,
                                   Leat::required_mode,
                                   Leat::required_mode,
                                   Leat::required_mode | std::ios_base::ate,
                                   Leat::required_mode | std::ios_base::app,
                                   std::ios_base::in,
                                   std::ios_base::out,
                                   std::ios_base::in | std::ios_base::out,
                                   std::ios_base::out | std::ios_base::ate,
                                   std::ios_base::in | std::ios_base::app,
                                   std::ios_base::binary | std::ios_base::out};
  for (int round = 0; round < count; ++round) {
    std::array<std::optional<pair>, 3> pairs;
    for (auto& new_pair : pairs) {
      const mode open_mode = modes[below(random, std::size(modes))];
      switch (below(random, 3)) {
        case 0:
          new_pair.emplace();
          break;
        case 1:
          new_pair.emplace(open_mode);
          break;
        default:
          new_pair.emplace(random_text(random), open_mode);
      }
    }
    for (int i = 0; i < 60; ++i) {
      const std::size_t which = below(random, pairs.size()), other = below(random, pairs.size());
      pair &a = *pairs[which], &b = *pairs[other];
      std::string found_difference = a.random_call(random);
      const char* operation = "";
      if (found_difference.empty() && which != other) {
        switch (below(random, 12)) {
          case 0:
            operation = "swap";
            a.expected.swap(b.expected);
            leat::swap(a.got, b.got);
            break;
          case 1:
            operation = "move";
            a.expected = std::move(b.expected);
            a.got = std::move(b.got);
            reset_after_move(b);
            break;
          case 2: {
            operation = "move by constructor";
            Std expected(std::move(a.expected));
            Leat got(std::move(a.got));
            reset_after_move(a);
            a.expected = std::move(expected);
            a.got = std::move(got);
            break;
          }
          case 3:
            operation = "swap of the buffers";
            a.expected.rdbuf()->swap(*b.expected.rdbuf());
            a.got.rdbuf()->swap(*b.got.rdbuf());
            break;
          default:
            break;
        }
        if (*operation != '\0') found_difference = a.difference(operation);
        if (*operation != '\0' && found_difference.empty())
          found_difference = b.difference(operation);
      }
      if (!found_difference.empty())
        return found_difference + "; round " + std::to_string(round) + ", call " +
               std::to_string(i);
      if (below(random, 3) == 0 && a.expected.eof()) {
        a.expected.clear();
        a.got.clear();
      }
    }
  }
  return {};
}

}  // namespace leat_test
