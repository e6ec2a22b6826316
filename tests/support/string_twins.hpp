// The same calls to std's string streams and to leat's, in any order and of any size.
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

#include "support/input_twins.hpp"
#include "support/output_twins.hpp"
#include "support/random_engine.hpp"
#include "support/stream_twins.hpp"

namespace leat_test {

/// A random length, often near a size at which the streams' memory grows.
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

/// Two streams that get the same calls.
template <class Std, class Leat>
struct string_twins {
  Std expected;
  Leat got;
  counted_flushes with_expected, with_got;

  template <class... Args>
  explicit string_twins(const Args&... args) : expected(args...), got(args...) {}

  static constexpr bool writes = std::derived_from<Std, std::ostream>;
  static constexpr bool reads = std::derived_from<Std, std::istream>;

  /// Calls use() with both streams, and compares results and states. Returns the difference, or
  /// an empty string.
  template <class Use>
  std::string both(const char* what, const Use& use) {
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
      return std::string(what) + " returns \"" + seen.str() + "\", not \"" + wanted.str() + '"';
    return difference(what);
  }

  std::string difference(const char* what) {
    const auto differ = [&](const char* which, auto is, auto should) {
      return std::string(what) + ": " + which + " is " + std::to_string(is) + ", not " +
             std::to_string(should);
    };
    if (got.rdstate() != expected.rdstate())
      return differ("the state", static_cast<int>(got.rdstate()),
                    static_cast<int>(expected.rdstate()));
    if (with_got.flushes_otherwise(with_expected, reads))
      return differ("a flush by tie()", with_got.count, with_expected.count);
    if (got.width() != expected.width()) return differ("the width", got.width(), expected.width());
    for (const auto side : {std::ios_base::in, std::ios_base::out}) {
      const auto position = [&](std::streambuf& of) {
        return static_cast<long long>(of.pubseekoff(0, std::ios_base::cur, side));
      };
      const auto is = position(*got.rdbuf()), should = position(*expected.rdbuf());
      if (is != should)
        return differ(side == std::ios_base::in ? "the read position" : "the write position", is,
                      should);
    }
    if (got.view() != expected.view()) {
      const auto [a, b] = std::mismatch(got.view().begin(), got.view().end(),
                                        expected.view().begin(), expected.view().end());
      (void)b;
      return differ("the size", got.view().size(), expected.view().size()) + ", they differ at " +
             std::to_string(a - got.view().begin());
    }
    return {};
  }

  std::string write_somehow(random_engine& random) {
    switch (below(random, 12)) {
      case 0: {
        const char c = static_cast<char>('a' + below(random, 20));
        return both("put", [&](auto& s, auto&) { s.put(c); });
      }
      case 1: {
        const std::string text = random_text(random);
        return both("write", [&](auto& s, auto&) {
          s.write(text.data(), static_cast<std::streamsize>(text.size()));
        });
      }
      case 2: {
        const std::string text = random_text(random);
        return both("<< string", [&](auto& s, auto&) { s << text; });
      }
      case 3: {
        const std::string text = random_text(random);
        return both("<< const char*", [&](auto& s, auto&) { s << text.c_str(); });
      }
      case 4: {
        const char c = static_cast<char>('a' + below(random, 20));
        return both("sputc", [&](auto& s, auto& result) { result << s.rdbuf()->sputc(c); });
      }
      case 5: {
        const std::string text = random_text(random);
        return both("sputn", [&](auto& s, auto& result) {
          result << s.rdbuf()->sputn(text.data(), static_cast<std::streamsize>(text.size()));
        });
      }
      case 6: {
        const std::string text = random_text(random);
        const auto width = static_cast<int>(random_length(random));
        const auto side = std::array{std::left, std::right, std::internal}[below(random, 3)];
        return both("<< setw", [&](auto& s, auto&) { s << side << std::setw(width) << text; });
      }
      case 7: {
        const std::string text = random_text(random);
        return both("<< streambuf", [&](auto& s, auto&) {
          std::stringbuf from(text);
          s << &from;
        });
      }
      case 8: {
        look how = look::random(random);
        if ((how.flags & std::ios_base::floatfield) == 0) how.flags &= ~std::ios_base::showpoint;
        std::string wrong;
        with_random_value(random, [&](const auto& value) {
          wrong = both("<< with flags", [&](auto& s, auto&) {
            how.give(s);
            s << value;
            look().give(s);
          });
        });
        return wrong;
      }
      case 9: {
        const int n = static_cast<int>(below(random, 60));
        return both("many <<", [&](auto& s, auto&) {
          for (int i = 0; i < n; ++i) s << i << ' ' << i * 0.5 << "text" << '\n';
        });
      }
      case 10:
        return both("flush", [&](auto& s, auto&) { s << std::flush << std::endl << std::ends; });
      default: {
        std::string wrong;
        with_random_value(random, [&](const auto& value) {
          wrong = both("<<", [&](auto& s, auto&) { s << value; });
        });
        return wrong;
      }
    }
  }

  std::string read_somehow(random_engine& random) {
    const auto show = [](auto& result, const auto& s, const auto& value) {
      result << value << ' ' << s.gcount();
    };
    const std::size_t n = random_length(random);
    switch (below(random, 18)) {
      case 0:
        return both("get()", [&](auto& s, auto& result) { show(result, s, s.get()); });
      case 1:
        return both("get(char*)", [&](auto& s, auto& result) {
          std::string text(n + 1, '\0');
          s.get(text.data(), static_cast<std::streamsize>(n + 1), ' ');
          show(result, s, text);
        });
      case 2:
        return both("getline(char*)", [&](auto& s, auto& result) {
          std::string text(n + 1, '\0');
          s.getline(text.data(), static_cast<std::streamsize>(n + 1));
          show(result, s, text);
        });
      case 3:
        return both("read", [&](auto& s, auto& result) {
          std::string text(n, '\0');
          s.read(text.data(), static_cast<std::streamsize>(n));
          show(result, s, text);
        });
      case 4:
        return both("readsome", [&](auto& s, auto& result) {
          std::string text(n, '\0');
          result << s.readsome(text.data(), static_cast<std::streamsize>(n));
          show(result, s, text);
        });
      case 5:
        return both("ignore", [&](auto& s, auto& result) {
          s.ignore(static_cast<std::streamsize>(n), n % 2 != 0 ? '\n' : -1);
          show(result, s, "");
        });
      case 6:
        return both("peek", [&](auto& s, auto& result) { show(result, s, s.peek()); });
      case 7: {
        const char c = "0123456789 \n-x."[below(random, 15)];
        return both("putback", [&](auto& s, auto& result) {
          s.putback(c);
          show(result, s, "");
        });
      }
      case 8:
        return both("unget", [&](auto& s, auto& result) {
          s.unget();
          show(result, s, "");
        });
      case 9:
        return both("sync", [&](auto& s, auto& result) { result << s.sync(); });
      case 10:
        return both("in_avail", [&](auto& s, auto& result) { result << s.rdbuf()->in_avail(); });
      case 11:
        return both("sgetc", [&](auto& s, auto& result) {
          result << s.rdbuf()->sgetc() << s.rdbuf()->sbumpc() << s.rdbuf()->snextc();
        });
      case 12:
        return both("sgetn", [&](auto& s, auto& result) {
          std::string text(n, '\0');
          result << s.rdbuf()->sgetn(text.data(), static_cast<std::streamsize>(n)) << text;
        });
      case 13: {
        const char c = "0123456789 \n-x."[below(random, 15)];
        return both("sputbackc", [&](auto& s, auto& result) {
          result << s.rdbuf()->sungetc() << s.rdbuf()->sputbackc(c);
        });
      }
      case 14:
        return both(">> ws", [&](auto& s, auto&) { s >> std::ws; });
      case 15:
        return both("getline", [&](auto& s, auto& result) {
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
        const int kind = static_cast<int>(below(random, kinds_of_reading));
        return both(">>", [&](auto& s, auto& result) { result << read_once(s, kind).describe(); });
      }
    }
  }

  std::string move_in_the_text(random_engine& random) {
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
#ifdef __GLIBCXX__  // libraries differ in which positions one call may move
    if (below(random, 3) == 0) {
      const auto which = static_cast<std::ios_base::openmode>(
          static_cast<int>(std::ios_base::in) * static_cast<int>(below(random, 2)) |
          static_cast<int>(std::ios_base::out) * static_cast<int>(below(random, 2)));
      if (below(random, 2) != 0)
        return both("pubseekpos",
                    [&](auto& s, auto& result) { result << s.rdbuf()->pubseekpos(offset, which); });
      return both("pubseekoff", [&](auto& s, auto& result) {
        result << s.rdbuf()->pubseekoff(offset, from, which);
      });
    }
#endif
    if constexpr (writes)
      if (!reads || below(random, 2) != 0) {
        if (below(random, 2) != 0)
          return both("seekp(position)", [&](auto& s, auto& result) {
            s.seekp(offset);
            result << s.tellp();
          });
        return both("seekp(offset)", [&](auto& s, auto& result) {
          s.seekp(offset, from);
          result << s.tellp();
        });
      }
    if constexpr (reads) {
      if (below(random, 2) != 0)
        return both("seekg(position)", [&](auto& s, auto& result) {
          s.seekg(offset);
          result << s.tellg();
        });
      return both("seekg(offset)", [&](auto& s, auto& result) {
        s.seekg(offset, from);
        result << s.tellg();
      });
    }
    return {};
  }

  std::string change(random_engine& random) {
    switch (below(random, over_libcxx ? 4 : 6)) {
      case 4: {
        const auto mask = static_cast<std::ios_base::iostate>(below(random, 8) & below(random, 8));
        return both("exceptions", [&](auto& s, auto&) { s.exceptions(mask); });
      }
      case 5:
        change_tie(expected, with_expected);
        change_tie(got, with_got);
        return {};
      case 0: {
        const std::string text = random_text(random);
        return both("str(text)", [&](auto& s, auto&) { s.str(text); });
      }
      case 1:
        return both("str()", [&](auto& s, auto& result) { result << s.str(); });
      case 2:
        if (below(random, 4) != 0) return {};
        return both("str() &&", [&](auto& s, auto& result) { result << std::move(s).str(); });
      default:
        return both("clear", [&](auto& s, auto&) { s.clear(); });
    }
  }

  std::string call(random_engine& random) {
    if (below(random, 8) == 0) return change(random);
    if (below(random, 8) == 0) return move_in_the_text(random);
    if constexpr (writes && reads)
      return below(random, 2) != 0 ? write_somehow(random) : read_somehow(random);
    else if constexpr (writes)
      return write_somehow(random);
    else
      return read_somehow(random);
  }
};

/// Empties both streams after a move, which leaves their content unspecified.
template <class Twins>
void renew(Twins& twins) {
  const auto renewed = [](auto& s) {
    s.clear();
    s.str("");
    s.copyfmt(std::ios(nullptr));
    s.clear();
  };
  renewed(twins.expected);
  renewed(twins.got);
}

template <class Std, class Leat>
std::string differing_strings(random_engine random, int count) {
  using twins = string_twins<Std, Leat>;
  using mode = std::ios_base::openmode;
  static constexpr mode modes[] = {Leat::always,
                                   Leat::always,
                                   Leat::always,
                                   Leat::always | std::ios_base::ate,
                                   Leat::always | std::ios_base::app,
                                   std::ios_base::in,
                                   std::ios_base::out,
                                   std::ios_base::in | std::ios_base::out,
                                   std::ios_base::out | std::ios_base::ate,
                                   std::ios_base::in | std::ios_base::app,
                                   std::ios_base::binary | std::ios_base::out};
  for (int round = 0; round < count; ++round) {
    std::array<std::optional<twins>, 3> some;
    for (auto& one : some) {
      const mode how = modes[below(random, std::size(modes))];
      switch (below(random, 3)) {
        case 0:
          one.emplace();
          break;
        case 1:
          one.emplace(how);
          break;
        default:
          one.emplace(random_text(random), how);
      }
    }
    for (int i = 0; i < 60; ++i) {
      const std::size_t which = below(random, some.size()), other = below(random, some.size());
      twins &a = *some[which], &b = *some[other];
      std::string wrong = a.call(random);
      const char* last = "";
      if (wrong.empty() && which != other) {
        switch (below(random, 12)) {
          case 0:
            last = "swap";
            a.expected.swap(b.expected);
            leat::swap(a.got, b.got);
            break;
          case 1:
            last = "move";
            a.expected = std::move(b.expected);
            a.got = std::move(b.got);
            renew(b);
            break;
          case 2: {
            last = "move by constructor";
            Std expected(std::move(a.expected));
            Leat got(std::move(a.got));
            renew(a);
            a.expected = std::move(expected);
            a.got = std::move(got);
            break;
          }
          case 3:
            last = "swap of the buffers";
            a.expected.rdbuf()->swap(*b.expected.rdbuf());
            a.got.rdbuf()->swap(*b.got.rdbuf());
            break;
          default:
            break;
        }
        if (*last != '\0') wrong = a.difference(last);
        if (*last != '\0' && wrong.empty()) wrong = b.difference(last);
      }
      if (!wrong.empty())
        return wrong + "; round " + std::to_string(round) + ", call " + std::to_string(i);
      if (below(random, 3) == 0 && a.expected.eof()) {
        a.expected.clear();
        a.got.clear();
      }
    }
  }
  return {};
}

}  // namespace leat_test
