// `leat bench loops/parse`: parses numbers from text by leat::parse and reader.parse, compared to
// std::from_chars and strtod.
#include <leat/memory.hpp>
#include <leat/parse.hpp>

#include <charconv>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include "experiments/loops/limits/limits.hpp"
#include "experiments/loops/loops.hpp"
#include "system/failure.hpp"

namespace bench::loops_parse {

namespace {

enum class kind { integers, prices, shortest, all_digits };

/// Returns lines of numbers. 64 blanks precede and follow the lines, because the vector loads of
/// the handwritten loops (limits.hpp) may read these bytes.
std::string padded_lines(kind number_kind, std::size_t count) {
  std::mt19937_64 random(1);
  const std::string padding(64, ' ');
  std::string text = padding;
  for (std::size_t i = 0; i != count; ++i) {
    char line[64];
    char* end = line + sizeof line;
    switch (number_kind) {
      case kind::integers:
        end = std::to_chars(line, end, random() >> (1 + random() % 63)).ptr;
        break;
      case kind::prices:
        end = std::to_chars(line, end, static_cast<double>(random() % 100000) / 100,
                            std::chars_format::fixed, 2)
                  .ptr;
        break;
      case kind::shortest:
        end = std::to_chars(line, end, static_cast<double>(i) * 1.1).ptr;
        break;
      case kind::all_digits:
        end = std::to_chars(line, end, static_cast<double>(random()) * 0x1p-64 + 0x1p-60,
                            std::chars_format::scientific, 16)
                  .ptr;
    }
    text.append(line, end) += '\n';
  }
  return text + padding;
}

/// Adds up the numbers found by parse(at, end, value), which returns the end of the number.
template <class Number, class Parse>
Number sum_of(std::string_view text, const Parse& parse) {
  Number sum = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++at) {
    Number value = 0;
    at = parse(at, end, value);
    sum += value;
  }
  return sum;
}

template <class Number>
Number by_leat(std::string_view text) {
  return sum_of<Number>(text, [](const char* at, const char* end, Number& value) {
    const auto found = leat::parse<Number>({at, end});
    value = found.value;
    return found.rest.data();
  });
}
template <class Number>
Number by_from_chars(std::string_view text) {
  return sum_of<Number>(text, [](const char* at, const char* end, Number& value) {
    return std::from_chars(at, end, value).ptr;
  });
}
double by_strtod(std::string_view text) {
  return sum_of<double>(text, [](const char* at, const char*, double& value) {
    char* stop = nullptr;
    value = std::strtod(at, &stop);
    return static_cast<const char*>(stop);
  });
}
template <class Number>
Number by_reader(std::string_view text) {
  leat::memory_reader in(text);
  Number sum = 0;
  while (const auto value = in.parse<Number>()) sum += *value;
  return sum;
}

template <class Number>
void add(loops& all, const char* row, kind number_kind) {
  using parser = Number (*)(std::string_view);
  const auto add_variant = [&](const char* name, parser work) {
    all.add(row, name, [=, count = all.count()](run& this_run) {
      static const std::string padded[] = {
          padded_lines(kind::integers, count), padded_lines(kind::prices, count),
          padded_lines(kind::shortest, count), padded_lines(kind::all_digits, count)};
      std::string_view text = padded[static_cast<std::size_t>(number_kind)];
      text = text.substr(64, text.size() - 128);
      const Number sum = work(text);
      use(sum);
      if (this_run.is_warm_up && sum != by_reader<Number>(text))
        throw failure("the sum differs from the sum by leat's reader");
    });
  };
  add_variant("leat", by_leat<Number>);
  add_variant("leat reader", by_reader<Number>);
  add_variant("std::from_chars", by_from_chars<Number>);
  if constexpr (std::is_same_v<Number, double>) add_variant("strtod", by_strtod);
  if (!limits::has_avx512()) return;
  if constexpr (std::is_integral_v<Number>)
    add_variant("by hand", limits::sum_integers);
  else if (number_kind == kind::prices)
    add_variant("by hand", limits::sum_decimals);
}

experiment make(const request& wanted) {
  loops all(wanted, 100'000);
  add<unsigned long>(all, "integers", kind::integers);
  add<double>(all, "prices", kind::prices);
  add<double>(all, "shortest", kind::shortest);
  add<double>(all, "17_digits", kind::all_digits);
  return all.make_experiment("parse", "numbers out of a text in memory", "number");
}

const registration parse(105, make);

}  // namespace

}  // namespace bench::loops_parse
