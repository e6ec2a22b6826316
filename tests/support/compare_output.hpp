// For tests/iostreams/ and fuzz/: std's output streams and leat's must write the same.
// differing_output() runs `count` random cases, and returns the first difference, or an empty
// string.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/memory.hpp>

#include <cstdint>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "support/random_engine.hpp"

namespace leat_test {

/// A locale's rules for numbers: 1.234,5, and "yes" for true.
struct grouping final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "yes"; }
};

/// The flags, width, precision and fill character with which a value is written.
struct value_format {
  std::ios_base::fmtflags flags = std::ios_base::dec | std::ios_base::skipws;
  std::streamsize width = 0, precision = 6;
  char fill = ' ';

  /// Returns a random format, often with the defaults.
  static value_format random(random_engine& engine) {
    value_format result;
    const auto pick = [&](auto... choices) {
      const std::ios_base::fmtflags all[] = {choices...};
      return all[below(engine, sizeof...(choices))];
    };
    using b = std::ios_base;
    constexpr b::fmtflags none = b::dec & b::hex;
    if (below(engine, 4) == 0)
      result.flags = b::skipws | pick(b::dec, b::dec, b::hex, b::oct, none, b::hex | b::oct);
    if (below(engine, 3) == 0)
      result.flags |= pick(b::fixed, b::fixed, b::scientific, b::fixed | b::scientific);
    if (below(engine, 3) == 0)
      result.flags |= pick(b::left, b::right, b::internal, b::left | b::right);
    for (const auto flag :
         {b::showbase, b::showpos, b::showpoint, b::uppercase, b::boolalpha, b::unitbuf})
      if (below(engine, 6) == 0) result.flags |= flag;
    if (below(engine, 3) == 0) result.width = static_cast<std::streamsize>(below(engine, 24));
    if (below(engine, 3) == 0) result.precision = static_cast<std::streamsize>(below(engine, 22));
    if (below(engine, 50) == 0)
      result.precision = static_cast<std::streamsize>(below(engine, 400)) - 2;
    if (below(engine, 50) == 0) result.width = static_cast<std::streamsize>(below(engine, 300)) - 2;
    if (below(engine, 3) == 0) result.fill = "*0 #"[below(engine, 4)];
    return result;
  }
  void apply_to(std::ostream& s) const {
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

/// Writes random values with random flags, widths, precisions and fill characters to each stream
/// under test: leat's streams, the same streams as std::ostream&, and a std stream with
/// fast_locale().
inline std::string differing_output(random_engine random, std::uint64_t count,
                                    const std::string& path) {
  std::string difference, all;
  std::ostringstream expected, with_fast_locale;
  with_fast_locale.imbue(leat::fast_locale());
  leat::ostringstream object, reference;
  leat::string_writer writer;
  leat::ostream adaptor(writer);
  leat::ofstream file(path);
  const std::locale grouped(std::locale::classic(), new grouping);
  bool is_grouped = false;
  for (std::uint64_t i = 0; i != count && difference.empty(); ++i) {
    value_format format = value_format::random(random);
    // glibc 2.36 loses zeros of "%#g" if rounding gives a power of ten.
    if ((format.flags & std::ios_base::floatfield) == 0) format.flags &= ~std::ios_base::showpoint;
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
      with_fast_locale.imbue(is_grouped ? std::locale(leat::fast_locale(), new grouping)
                                        : leat::fast_locale());
      if (!is_grouped) expected.imbue(std::locale::classic());
    }
    with_random_value(random, [&](const auto& value) {
      expected.str("");
      with_fast_locale.str("");
      object.str("");
      reference.str("");
      writer.clear();
      format.apply_to(expected);
      expected << value;
      const std::string text = expected.str();
      all += text;
      const auto check = [&](const char* name, std::ostream& s, std::string_view got) {
        if (difference.empty() &&
            (got != text || s.width() != expected.width() || s.flags() != expected.flags() ||
             s.rdstate() != expected.rdstate()))
          difference = std::string(name) + ", case " + std::to_string(i) + ": " +
                       describe_value(value) + ", " + format.describe() +
                       (is_grouped ? ", grouped" : "") + ": \"" + std::string(got) + "\", not \"" +
                       text + "\"; width " + std::to_string(s.width()) + ", not " +
                       std::to_string(expected.width());
      };
      format.apply_to(object);
      object << value;
      check("object", object, object.view());
      format.apply_to(reference);
      static_cast<std::ostream&>(reference) << value;
      check("std::ostream&", reference, reference.view());
      format.apply_to(with_fast_locale);
      with_fast_locale << value;
      check("fast_locale", with_fast_locale, with_fast_locale.str());
      format.apply_to(adaptor);
      adaptor << value;
      check("leat::ostream", adaptor, writer.view());
      format.apply_to(file);
      if (below(random, 2) != 0)
        file << value;
      else
        static_cast<std::ostream&>(file) << value;
      check("leat::ofstream", file, text);
    });
  }
  file.close();
  if (difference.empty() && (!file || leat::read_file(path) != all))
    difference = "the content of the file differs";
  return difference;
}

}  // namespace leat_test
