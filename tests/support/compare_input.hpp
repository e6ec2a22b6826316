// For tests/iostreams/ and fuzz/: std's input streams and leat's must read the same.
// differing_input() runs `count` random cases, and returns the first difference, or an empty
// string.
#pragma once

#include <leat/fstream.hpp>
#include <leat/memory.hpp>

#include <cstdint>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>

#include "support/random_engine.hpp"

namespace leat_test {

/// Returns a random text of numbers, parts of numbers and separators.
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

/// The result of a read.
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

/// Returns a text that differs if the values differ.
template <class T>
std::string text_of_value(const T& value) {
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

/// The number of kinds of reads.
constexpr int read_kind_count = 18;

/// Makes one read of the kind with this number. The type `S` decides which operators are found.
template <class S>
outcome read_once(S& in, int kind) {
  outcome result;
  const auto take = [&](auto value) {
    in >> value;
    result.value = text_of_value(value);
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

/// Reads random input, which may be malformed, with random flags from each stream under test:
/// leat's streams, the same streams as std::istream&, and a std stream with fast_locale().
inline std::string differing_input(random_engine random, std::uint64_t count) {
  for (std::uint64_t i = 0; i != count;) {
    const std::string text = random_input(random);
    std::istringstream expected(text), with_fast_locale(text);
    with_fast_locale.imbue(leat::fast_locale());
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
      const int kind = static_cast<int>(below(random, read_kind_count));
      const bool clears = below(random, 3) != 0;
      const auto prepare = [&](std::istream& s) {
        s.flags(flags);
        s.width(width);
      };
      prepare(expected);
      const long long before = static_cast<long long>(
          expected.rdbuf()->pubseekoff(0, std::ios_base::cur, std::ios_base::in));
      const outcome expected_outcome = read_once(static_cast<std::istream&>(expected), kind);
      std::string difference;
      const auto check = [&](const char* name, std::istream& s, const outcome& got) {
        if (difference.empty() && (got != expected_outcome || s.width() != expected.width()))
          difference = std::string(name) + ", case " + std::to_string(i) + ", kind " +
                       std::to_string(kind) + ", flags " +
                       std::to_string(static_cast<long>(flags)) + ", at " + std::to_string(before) +
                       " of \"" + text + "\": " + got.describe() + ", not " +
                       expected_outcome.describe();
      };
      prepare(object);
      check("object", object, read_once(object, kind));
      prepare(reference);
      check("std::istream&", reference, read_once(static_cast<std::istream&>(reference), kind));
      prepare(with_fast_locale);
      check("fast_locale", with_fast_locale,
            read_once(static_cast<std::istream&>(with_fast_locale), kind));
      prepare(adaptor);
      check("leat::istream", adaptor, read_once(adaptor, kind));
      if (!difference.empty()) return difference;
      if (clears)
        for (std::istream* s :
             {static_cast<std::istream*>(&expected), static_cast<std::istream*>(&with_fast_locale),
              static_cast<std::istream*>(&object), static_cast<std::istream*>(&reference),
              static_cast<std::istream*>(&adaptor)})
          s->clear();
    }
  }
  return {};
}

}  // namespace leat_test
