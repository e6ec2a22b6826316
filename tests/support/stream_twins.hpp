// The same calls to std's streams and to leat's: what can be seen has to be the same after each.
// Each function runs `count` random cases and returns what differs first, or nothing.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/memory.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iomanip>
#include <limits>
#include <locale>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/libraries.hpp"

namespace leat_test {

/// Makes the choices: at random, or as a driver's input says.
class random_engine {
 public:
  using result_type = std::uint64_t;
  explicit random_engine(std::uint64_t seed) : own_(seed) {}
  /// `next` gives bytes. What is not asked of it follows from all that it gave.
  explicit random_engine(std::function<unsigned char()> next) : next_(std::move(next)) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() {
    if (!next_) return own_();
    state_ = (state_ + next_() + 1) * 0x9E37'79B9'7F4A'7C15;
    return state_ ^ state_ >> 31;
  }
  result_type below(result_type n) { return next_ && n <= 256 ? next_() % n : (*this)() % n; }
  /// Of `letters`.
  std::string text(std::size_t size, std::string_view letters) {
    std::minstd_rand some(static_cast<unsigned>((*this)()));
    std::string made(size, ' ');
    constexpr std::size_t different = 4999;  // a long text repeats itself
    for (std::size_t i = 0; i != size; ++i)
      made[i] = i < different ? letters[some() % letters.size()] : made[i - different];
    return made;
  }

 private:
  std::mt19937_64 own_;
  std::uint64_t state_ = 0;
  std::function<unsigned char()> next_;
};

inline std::uint64_t below(random_engine& random, std::uint64_t n) { return random.below(n); }

/// Numbers with all lengths equally often.
template <class T>
T random_integer(random_engine& random) {
  const std::uint64_t bits = random() >> below(random, 64);
  return static_cast<T>(below(random, 2) != 0 ? bits : 0 - bits);
}

template <class T>
T random_float(random_engine& random) {
  switch (below(random, 8)) {
    case 0:
      return static_cast<T>(static_cast<std::int64_t>(random_integer<std::int32_t>(random)));
    case 1:
      return static_cast<T>(static_cast<double>(random_integer<std::int32_t>(random)) / 1000);
    case 2: {
      constexpr T some[] = {T(0),
                            -T(0),
                            std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN(),
                            std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::max(),
                            T(0.5),
                            T(9.5),
                            T(999999.5),
                            T(0.0001),
                            T(1e15),
                            T(1e16)};
      return some[below(random, std::size(some))];
    }
    case 3: {
      const T value = static_cast<T>(std::bit_cast<double>(random()));
      return std::isfinite(value) ? value : T(1);
    }
    default: {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const int exponent = static_cast<int>(below(random, 60)) - 30;
      const double value = std::ldexp(unit, exponent);
      return static_cast<T>(below(random, 2) != 0 ? value : -value);
    }
  }
}

/// Calls use() with a value of a random type.
template <class Use>
void with_random_value(random_engine& random, const Use& use) {
  static const char* const texts[] = {"", "x", "text", "a longer text that is not short", "\t"};
  switch (below(random, 20)) {
    case 0:
      return use(random_integer<short>(random));
    case 1:
      return use(random_integer<unsigned short>(random));
    case 2:
    case 3:
      return use(random_integer<int>(random));
    case 4:
      return use(random_integer<unsigned>(random));
    case 5:
      return use(random_integer<long>(random));
    case 6:
      return use(random_integer<unsigned long>(random));
    case 7:
      return use(random_integer<long long>(random));
    case 8:
      return use(random_integer<unsigned long long>(random));
    case 9:
      return use(random_float<float>(random));
    case 10:
    case 11:
    case 12:
      return use(random_float<double>(random));
    case 13:
      return use(random_float<long double>(random));
    case 14:
      return use(static_cast<char>('!' + below(random, 90)));
    case 15:
      return use(static_cast<unsigned char>('!' + below(random, 90)));
    case 16:
      return use(below(random, 2) != 0);
    case 17:
      return use(texts[below(random, std::size(texts))]);
    case 18:
      return use(std::string(texts[below(random, std::size(texts))]));
    default:
      return use(reinterpret_cast<const void*>(  // NOLINT(performance-no-int-to-ptr)
          static_cast<std::uintptr_t>(random_integer<unsigned long>(random))));
  }
}

struct grouping final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "yes"; }
};

/// What decides how a value looks.
struct look {
  std::ios_base::fmtflags flags = std::ios_base::dec | std::ios_base::skipws;
  std::streamsize width = 0, precision = 6;
  char fill = ' ';

  static look random(random_engine& engine) {
    look l;
    const auto pick = [&](auto... some) {
      const std::ios_base::fmtflags all[] = {some...};
      return all[below(engine, sizeof...(some))];
    };
    using b = std::ios_base;
    constexpr b::fmtflags none = b::dec & b::hex;
    if (below(engine, 4) == 0)
      l.flags = b::skipws | pick(b::dec, b::dec, b::hex, b::oct, none, b::hex | b::oct);
    if (below(engine, 3) == 0)
      l.flags |= pick(b::fixed, b::fixed, b::scientific, b::fixed | b::scientific);
    if (below(engine, 3) == 0) l.flags |= pick(b::left, b::right, b::internal, b::left | b::right);
    for (const auto flag :
         {b::showbase, b::showpos, b::showpoint, b::uppercase, b::boolalpha, b::unitbuf})
      if (below(engine, 6) == 0) l.flags |= flag;
    if (below(engine, 3) == 0) l.width = static_cast<std::streamsize>(below(engine, 24));
    if (below(engine, 3) == 0) l.precision = static_cast<std::streamsize>(below(engine, 22));
    if (below(engine, 50) == 0) l.precision = static_cast<std::streamsize>(below(engine, 400)) - 2;
    if (below(engine, 50) == 0) l.width = static_cast<std::streamsize>(below(engine, 300)) - 2;
    if (below(engine, 3) == 0) l.fill = "*0 #"[below(engine, 4)];
    return l;
  }
  void give(std::ostream& s) const {
    s.flags(flags);
    s.width(width);
    s.precision(precision);
    s.fill(fill);
  }
  std::string describe() const {
    return "flags " + std::to_string(static_cast<long>(flags)) + ", width " +
           std::to_string(width) + ", precision " + std::to_string(precision) + ", fill '" + fill +
           "'";
  }
};

template <class T>
std::string describe_value(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_floating_point_v<T>) text << std::hexfloat;
  text << value << " (" << typeid(T).name() << ")";
  return text.str();
}

/// Values × flags × width × precision × fill, on the object and through std::ostream&.
inline std::string differing_output(random_engine random, std::uint64_t count,
                                    const std::string& path) {
  std::string wrong, all;
  std::ostringstream expected, other;
  other.imbue(leat::fast_locale());
  leat::ostringstream object, reference;
  leat::string_writer writer;
  leat::ostream adaptor(writer);
  leat::ofstream file(path);
  const std::locale grouped(std::locale::classic(), new grouping);
  bool is_grouped = false;
  for (std::uint64_t i = 0; i != count && wrong.empty(); ++i) {
    look how = look::random(random);
    // glibc 2.36 loses zeros of "%#g" if it rounds up to a power of ten.
    if ((how.flags & std::ios_base::floatfield) == 0) how.flags &= ~std::ios_base::showpoint;
    if (below(random, 100) == 0) {
      is_grouped = !is_grouped;
      const std::locale l = is_grouped              ? grouped
                            : below(random, 2) != 0 ? leat::fast_locale()
                                                    : std::locale::classic();
      expected.imbue(l);
      for (std::ios* s : {static_cast<std::ios*>(&object), static_cast<std::ios*>(&reference),
                          static_cast<std::ios*>(&adaptor), static_cast<std::ios*>(&file)}) {
        if (below(random, 4) != 0)
          s->imbue(l);
        else
          s->copyfmt(expected);
      }
      other.imbue(is_grouped ? std::locale(leat::fast_locale(), new grouping)
                             : leat::fast_locale());
      if (!is_grouped) expected.imbue(std::locale::classic());
    }
    with_random_value(random, [&](const auto& value) {
      expected.str("");
      other.str("");
      object.str("");
      reference.str("");
      writer.clear();
      how.give(expected);
      expected << value;
      const std::string text = expected.str();
      all += text;
      const auto check = [&](const char* name, std::ostream& s, std::string_view got) {
        if (wrong.empty() && (got != text || s.width() != expected.width() ||
                              s.flags() != expected.flags() || s.rdstate() != expected.rdstate()))
          wrong = std::string(name) + ", case " + std::to_string(i) + ": " + describe_value(value) +
                  ", " + how.describe() + (is_grouped ? ", grouped" : "") + ": \"" +
                  std::string(got) + "\", not \"" + text + "\"; width " +
                  std::to_string(s.width()) + " and " + std::to_string(expected.width());
      };
      how.give(object);
      object << value;
      check("object", object, object.view());
      how.give(reference);
      static_cast<std::ostream&>(reference) << value;
      check("std::ostream&", reference, reference.view());
      how.give(other);
      other << value;
      check("fast_locale", other, other.str());
      how.give(adaptor);
      adaptor << value;
      check("leat::ostream", adaptor, writer.view());
      how.give(file);
      if (below(random, 2) != 0)
        file << value;
      else
        static_cast<std::ostream&>(file) << value;
      check("leat::ofstream", file, text);
    });
  }
  file.close();
  if (wrong.empty() && (!file || leat::read_file(path) != all)) wrong = "the file";
  return wrong;
}

/// A text that looks like numbers, more or less.
inline std::string random_input(random_engine& random) {
  static const char* const pieces[] = {
      "0x",
      "0X1f",
      "1e",
      "e5",
      "E+",
      "-",
      "+",
      "--1",
      "+-2",
      ".",
      "..",
      "1.2.3",
      "nan",
      "inf",
      "-inf",
      "infinity",
      "NAN(1)",
      "true",
      "false",
      "x",
      "abc",
      "99999999999999999999999",
      "-99999999999999999999999",
      "1e999",
      "-1e999",
      "1e-999",
      "4.9e-324",
      "2.2e-308",
      "1e-310",
      "0x1.8p3",
      "0x1p",
      "1,2",
      "1_000",
      "007",
      "0",
      "-0",
      "00000000000000000000000000000000000000000000000000000000000000000000000000000042",
      "2147483647",
      "2147483648",
      "-2147483648",
      "-2147483649",
      "65535",
      "65536",
      "-1",
      "32768",
      "4294967296",
      "18446744073709551615",
      "18446744073709551616",
      "9223372036854775808",
      "-9223372036854775808",
      "1f",
      "1L",
      "0b1",
      "1'000",
      "\xff",
      "5.",
      ".5",
      "-.5e-3",
      "+7",
      "3.4028236e38",
      "1e39",
      "1.e5",
      "\"",
      "deadBEEF",
      "777",
      "789"};
  static const char* const blanks[] = {" ", "\n", "\t", "  ", "\r\n", "\v", "\f", ",", ""};
  std::string text;
  for (std::uint64_t n = below(random, 12); n != 0; --n) {
    std::ostringstream number;
    switch (below(random, 6)) {
      case 0:
        text += pieces[below(random, std::size(pieces))];
        break;
      case 1:
        number << random_integer<long long>(random);
        break;
      case 2:
        number << random_integer<int>(random);
        break;
      case 3:
        number << std::setprecision(static_cast<int>(below(random, 20)))
               << random_float<double>(random);
        break;
      case 4:
        number << std::hex << random_integer<unsigned>(random);
        break;
      default:
        number << random_integer<short>(random);
        break;
    }
    text += number.str();
    text += blanks[below(random, std::size(blanks))];
  }
  return text;
}

/// How a read went.
struct outcome {
  std::string value;
  std::ios_base::iostate state{};
  long long position = 0;

  bool operator==(const outcome&) const = default;
  std::string describe() const {
    return "\"" + value + "\", state " + std::to_string(static_cast<int>(state)) + ", at " +
           std::to_string(position);
  }
};

template <class T>
std::string bits_of(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_floating_point_v<T>) {
    std::ostringstream text;
    text << std::hexfloat << value;
    return text.str();
  } else {
    return std::to_string(static_cast<long long>(value));
  }
}

/// The kinds of reading.
constexpr int kinds_of_reading = 18;

/// Reads once, in the way of this number. `S` decides which operators are found.
template <class S>
outcome read_once(S& in, int kind) {
  outcome result;
  const auto take = [&](auto value) {
    in >> value;
    result.value = bits_of(value);
  };
  switch (kind) {
    case 0:
      take(short{7});
      break;
    case 1:
      take(static_cast<unsigned short>(7));
      break;
    case 2:
    case 3:
      take(7);
      break;
    case 4:
      take(7u);
      break;
    case 5:
      take(7l);
      break;
    case 6:
      take(7ul);
      break;
    case 7:
      take(7ll);
      break;
    case 8:
      take(7ull);
      break;
    case 9:
      take(7.5f);
      break;
    case 10:
    case 11:
      take(7.5);
      break;
    case 12:
      take(7.5l);
      break;
    case 13:
      take('7');
      break;
    case 14:
      take(std::string("seven"));
      break;
    case 15:
      take(false);
      break;
    case 16: {
      std::string line = "line";
      getline(in, line);
      result.value = line;
      break;
    }
    default: {
      char c = '7';
      in.get(c);
      result.value = std::string(1, c) + std::to_string(in.gcount());
      break;
    }
  }
  result.state = in.rdstate();
  const auto state = in.rdstate();
  in.clear();
  result.position = static_cast<long long>(in.tellg());
  in.clear(state);
  return result;
}

/// Random input, also malformed, × flags, on the object and through std::istream&.
inline std::string differing_input(random_engine random, std::uint64_t count) {
  for (std::uint64_t i = 0; i != count;) {
    const std::string text = random_input(random);
    std::istringstream expected(text), other(text);
    other.imbue(leat::fast_locale());
    leat::istringstream object(text), reference(text);
    leat::memory_reader memory(text);
    leat::istream adaptor(memory);
    for (std::uint64_t n = 1 + below(random, 12); n != 0 && i != count; --n, ++i) {
      auto flags = std::ios_base::skipws | std::ios_base::dec;
      if (below(random, 6) == 0) flags = std::ios_base::skipws | std::ios_base::hex;
      if (below(random, 12) == 0) flags = std::ios_base::skipws | std::ios_base::oct;
      if (below(random, 12) == 0) flags = std::ios_base::skipws;
      if (below(random, 8) == 0) flags &= ~std::ios_base::skipws;
      if (below(random, 8) == 0) flags |= std::ios_base::boolalpha;
      const std::streamsize width = below(random, 20) == 0 ? 3 : 0;
      const int kind = static_cast<int>(below(random, kinds_of_reading));
      const bool clears = below(random, 3) != 0;
      const auto prepare = [&](std::istream& s) {
        s.flags(flags);
        s.width(width);
      };
      prepare(expected);
      const long long before = static_cast<long long>(
          expected.rdbuf()->pubseekoff(0, std::ios_base::cur, std::ios_base::in));
      const outcome right = read_once(static_cast<std::istream&>(expected), kind);
      std::string wrong;
      const auto check = [&](const char* name, std::istream& s, const outcome& got) {
        if (wrong.empty() && (got != right || s.width() != expected.width()))
          wrong = std::string(name) + ", case " + std::to_string(i) + ", kind " +
                  std::to_string(kind) + ", flags " + std::to_string(static_cast<long>(flags)) +
                  ", at " + std::to_string(before) + " of \"" + text + "\": " + got.describe() +
                  ", not " + right.describe();
      };
      prepare(object);
      check("object", object, read_once(object, kind));
      prepare(reference);
      check("std::istream&", reference, read_once(static_cast<std::istream&>(reference), kind));
      prepare(other);
      check("fast_locale", other, read_once(static_cast<std::istream&>(other), kind));
      prepare(adaptor);
      check("leat::istream", adaptor, read_once(adaptor, kind));
      if (!wrong.empty()) return wrong;
      if (clears)
        for (std::istream* s :
             {static_cast<std::istream*>(&expected), static_cast<std::istream*>(&other),
              static_cast<std::istream*>(&object), static_cast<std::istream*>(&reference),
              static_cast<std::istream*>(&adaptor)})
          s->clear();
    }
  }
  return {};
}

/// Counts how often it is flushed by a stream that is tied to it.
class counted_flushes : std::streambuf, public std::ostream {
 public:
  counted_flushes() : std::ostream(static_cast<std::streambuf*>(this)) {}
  /// Since the last question. A call that reads need not flush if it has its bytes already.
  bool flushes_otherwise(const counted_flushes& theirs, bool reads) {
    const int mine = count - seen_, wanted = theirs.count - theirs_;
    seen_ = count;
    theirs_ = theirs.count;
    return reads ? mine > wanted : mine != wanted;
  }
  int count = 0;

 private:
  int sync() override { return ++count * 0; }

  int seen_ = 0, theirs_ = 0;
};

/// Ties the stream, or unties it.
inline void change_tie(std::ios& s, counted_flushes& to) {
  s.tie(s.tie() == nullptr ? &to : nullptr);
}

/// Sequences of calls on two streams of the same kind. Each call returns what can be seen.
template <class S>
class caller {
 public:
  explicit caller(S& stream) : s_(stream) {}

  /// Of streams that only read or only write the other calls do nothing.
  std::string call(int what, std::uint64_t argument, const std::string& text) {
    std::ostringstream seen;
    try {
      make(what, argument, text, seen);
    } catch (const std::ios_base::failure&) {
      seen << " thrown";
    }
    seen << " state " << s_.rdstate();
    return seen.str();
  }
  counted_flushes& tied() { return tied_; }
  static constexpr bool writes(int what) { return what < 12; }
  static constexpr bool reads(int what) { return (what >= 12 && what < 30) || what == 36; }
  // Libraries differ in what throws and flushes.
  static constexpr int calls = over_libcxx ? 34 : 37;

 private:
  void make(int what, std::uint64_t argument, const std::string& text, std::ostream& seen) {
    if constexpr (std::is_base_of_v<std::ostream, S>) write(what, argument, text, seen);
    if constexpr (std::is_base_of_v<std::istream, S>) read(what, argument, seen);
    if (what == 30) s_.clear();
    if (what == 31) s_.setstate(std::ios_base::failbit);
    if (what == 32) {
      S moved(std::move(s_));
      s_ = std::move(moved);
    }
    if (what == 33) {
      S other;
      s_.swap(other);
      s_.swap(other);
    }
    if (what == 34)
      s_.exceptions(static_cast<std::ios_base::iostate>(argument & argument >> 8 & 7));
    if (what == 35) change_tie(s_, tied_);
  }
  void write(int what, std::uint64_t argument, const std::string& text, std::ostream& seen) {
    switch (what) {
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
  void read(int what, std::uint64_t argument, std::ostream& seen) {
    char memory[40] = {};
    switch (what) {
      case 12:
      case 13:
      case 14:
      case 15:
        seen << read_once(s_, what == 12 ? 2 : what == 13 ? 10 : what == 14 ? 14 : 16).value;
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

/// `mine` and `theirs` are streams in the same state. Between a read and a write there is a seek,
/// as std asks of files.
template <class Mine, class Theirs>
std::string differing_calls(random_engine& random, Mine& mine, Theirs& theirs, std::uint64_t calls,
                            bool same_position) {
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
    int what = static_cast<int>(below(random, caller<Mine>::calls));
    // Behind a seek libc++'s files take nothing back: there putback() follows a get().
    if (over_libcxx && same_position && what == 18) what = 19;
    const std::uint64_t argument = random() >> below(random, 60);
    std::string text = texts[below(random, std::size(texts))];
    if (below(random, 32) == 31)
      text = random.text(below(random, below(random, 8) == 7 ? 1'000'000 : 100'000), "ab 12.\n");
    const int wanted = caller<Mine>::writes(what) ? 1 : caller<Mine>::reads(what) ? 2 : direction;
    if (same_position && direction != 0 && wanted != direction) {
      if constexpr (std::is_base_of_v<std::istream, Mine>) {
        const auto settle = [state = theirs.rdstate()](auto& s) {
          const auto throwing = s.exceptions();
          s.exceptions(std::ios_base::goodbit);
          s.clear();
          s.seekg(0, std::ios_base::cur);
          s.clear(state);
          try {
            s.exceptions(throwing);
          } catch (const std::ios_base::failure&) {  // as the call before
          }
        };
        settle(mine);
        settle(theirs);
      }
    }
    direction = wanted;
    history += " " + std::to_string(what) + ":" + std::to_string(argument);
    const std::string left = my.call(what, argument, text),
                      right = their.call(what, argument, text);
    if (left != right)
      return history.append(": \"").append(left).append("\", not \"").append(right) + '"';
    if (my.tied().flushes_otherwise(their.tied(), caller<Mine>::reads(what)))
      return history + ": a flush by tie()";
  }
  return {};
}

inline std::string differing_sequences(random_engine random, std::uint64_t count,
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
    constexpr auto as_leat =
        std::ios_base::binary;  // otherwise Windows has two bytes for a newline
    std::string wrong;
    const std::uint64_t calls = 1 + below(random, 40);
    std::string name;
    switch (below(random, 5)) {
      case 0: {
        name = "fstream";
        auto mode = modes[below(random, std::size(modes))];
        // libc++'s files take output that they can't write, and fail later.
        if (over_libcxx && mode == std::ios_base::in) mode |= std::ios_base::out;
        leat::fstream a(mine, mode);
        std::fstream b(theirs, mode | as_leat);
        if (a.is_open() != b.is_open() || a.rdstate() != b.rdstate()) wrong = "open";
        if (wrong.empty() && a.is_open()) wrong = differing_calls(random, a, b, calls, true);
        break;
      }
      case 1: {
        name = "ifstream";
        leat::ifstream a(mine);
        std::ifstream b(theirs, as_leat);
        wrong = differing_calls(random, a, b, calls, true);
        break;
      }
      case 2: {
        name = "ofstream";
        leat::ofstream a(mine);
        std::ofstream b(theirs, as_leat);
        wrong = differing_calls(random, a, b, calls, true);
        break;
      }
      case 3: {
        name = "stringstream";
        leat::stringstream a(start);
        std::stringstream b(start);
        wrong = differing_calls(random, a, b, calls, false);
        if (wrong.empty() && a.str() != b.str())
          wrong = "\"" + a.str() + "\", not \"" + b.str() + "\"";
        break;
      }
      default: {
        name = "ofstream, appending";
        leat::ofstream a(mine, std::ios_base::app);
        std::ofstream b(theirs, std::ios_base::app | as_leat);
        for (std::uint64_t n = calls; n != 0; --n) {
          const std::uint64_t value = random();
          a << value << '\n';
          b << value << '\n';
        }
        break;
      }
    }
    if (wrong.empty() && leat::read_file(mine) != leat::read_file(theirs))
      wrong =
          "the files: \"" + leat::read_file(mine) + "\", not \"" + leat::read_file(theirs) + "\"";
    if (!wrong.empty()) return name.append(":").append(wrong);
  }
  return {};
}

}  // namespace leat_test
