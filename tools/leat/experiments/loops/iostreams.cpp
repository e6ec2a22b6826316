// `leat bench loops/iostreams`: programs that use iostreams, over std's streams and over leat's
// streams. These loops are not in the experiment `iostreams`. Values have all lengths and
// magnitudes, in an order that no branch predictor learns.
#include <leat/fstream.hpp>

#include <cstdint>
#include <fstream>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"
#include "system/platform.hpp"

namespace bench::loops_iostreams {

namespace {

// More rows than branch predictors learn.
constexpr std::size_t row_count = 1 << 16;

struct row {
  int any;             // any number of digits, any sign
  int small, smaller;  // below a million, uniform
  double real;         // all 17 digits, magnitudes from about 1e-6 to 1e6
  std::string text;    // 3 to 42 characters
};

const std::vector<row>& rows() {
  static const std::vector<row> made = [] {
    std::mt19937_64 random(1);
    std::vector<row> all(row_count);
    for (row& r : all) {
      r.any = static_cast<int>(random() >> (33 + random() % 31));
      if (random() % 2 == 0) r.any = -r.any;
      r.small = static_cast<int>(random() % 1'000'000);
      r.smaller = static_cast<int>(random() % 1'000'000);
      r.real = static_cast<double>(random()) * 0x1p-64;
      for (auto zeros = random() % 13; zeros != 0; --zeros) r.real *= 10;
      r.real *= 1e-6;
      for (auto size = 3 + random() % 40; size != 0; --size)
        r.text += static_cast<char>('a' + random() % 26);
    }
    return all;
  }();
  return made;
}

/// Makes a file with one line per row.
template <class Print>
void make_lines(const std::filesystem::path& path, const Print& print) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (const row& r : rows()) {
    print(out, r);
    out << '\n';
  }
  make_file(path, out.str());
}

/// Calls `work_on` for `count` rows. After the last row, the first row follows.
template <class Work>
void each_row(std::size_t count, const Work& work_on) {
  const row* const first = rows().data();
  for (std::size_t at = 0; at != count; ++at) work_on(first[at % row_count]);
}

template <class Stream, class Write>
void add_writing_to(loops& all, const std::string& name, const char* variant, const Write& write) {
  all.add(name, variant, [write, count = all.count()](run&) {
    static Stream out(null_device);
    each_row(count, [&](const row& r) { write(out, r); });
  });
}
/// Adds the loop with std's stream and the loop with leat's stream. write(out, row) takes either
/// stream.
template <class Write>
void add_writing(loops& all, const std::string& name, const Write& write) {
  add_writing_to<std::ofstream>(all, name, "std", write);
  add_writing_to<leat::ofstream>(all, name, "leat", write);
}

/// read(in) returns false at the end of the file. The loop then continues at the start.
template <class Stream, class Read>
void add_reading_from(loops& all, const std::string& name, const char* variant, const char* file,
                      const Read& read) {
  all.add(name, variant, [file, read = read, count = all.count()](run& this_run) mutable {
    Stream in(this_run.folder / file);
    for (std::size_t left = count; left != 0;) {
      if (read(in)) {
        --left;
      } else {
        in.clear();
        in.seekg(0);
      }
    }
  });
}
template <class Read>
void add_reading(loops& all, const std::string& name, const char* file, const Read& read) {
  add_reading_from<std::ifstream>(all, name, "std", file, read);
  add_reading_from<leat::ifstream>(all, name, "leat", file, read);
}

/// Returns a character that depends on the row's address. Reading the row would take longer than
/// the write.
char character_of(const row& r) {
  return static_cast<char>('a' + reinterpret_cast<std::uintptr_t>(&r) / alignof(row) % 16);
}

// These functions know only the base class std::istream, as most functions that read do.
[[gnu::noinline]] bool read_one(std::istream& in, int& value) {
  return static_cast<bool>(in >> value);
}
[[gnu::noinline]] bool read_one(std::istream& in, double& value) {
  return static_cast<bool>(in >> value);
}

void add_output(loops& all) {
  add_writing(all, "two_ints_below_a_million",
              [](auto& out, const row& r) { out << r.small << ' ' << r.smaller << '\n'; });
  add_writing(all, "double_of_17_digits",
              [](auto& out, const row& r) { out << std::setprecision(17) << r.real << '\n'; });
  add_writing(all, "fixed_of_3_decimals_in_12", [](auto& out, const row& r) {
    out << std::fixed << std::setprecision(3) << std::setw(12) << r.real << '\n';
  });
  add_writing(all, "hex", [](auto& out, const row& r) { out << std::hex << r.any << '\n'; });
  add_writing(all, "setw_6",
              [](auto& out, const row& r) { out << std::setw(6) << r.small << '\n'; });
  add_writing(all, "string", [](auto& out, const row& r) { out << r.text << ' '; });
  add_writing(all, "literal", [](auto& out, const row&) { out << "a few words" << '\n'; });
  add_writing(all, "char", [](auto& out, const row& r) { out << character_of(r); });
}

void add_input(loops& all) {
  const auto value = [](auto read) {
    return [read](auto& in) mutable {
      const bool good = static_cast<bool>(in >> read);
      use(read);
      return good;
    };
  };
  add_reading(all, "read_int_below_a_million", "small", value(0));
  add_reading(all, "read_word", "texts", value(std::string()));
  add_reading(all, "read_char", "texts", value(' '));
  add_reading(all, "get", "texts", [](auto& in) {
    const auto c = in.get();
    use(c);
    return c != std::char_traits<char>::eof();
  });
  // Calls `getline` without `std::`, so that ADL finds std's function or leat's.
  add_reading(all, "getline_of_50", "lines", [line = std::string()](auto& in) mutable {
    return static_cast<bool>(getline(in, line));
  });
  add_reading(all, "std_getline", "texts", [line = std::string()](auto& in) mutable {
    return static_cast<bool>(std::getline(in, line));
  });
  add_reading(all, "istream_int", "ints", [](auto& in) {
    int one = 0;
    return read_one(in, one);
  });
  add_reading(all, "istream_double", "reals", [](auto& in) {
    double one = 0;
    return read_one(in, one);
  });
}

template <class Output, class Input>
void add_strings_of(loops& all, const char* variant) {
  const auto add = [&](const char* name, auto work_on) {
    all.add(name, variant, [work_on, count = all.count()](run&) { each_row(count, work_on); });
  };
  add("ostringstream_of_a_double", [](const row& r) {
    Output out;
    out << r.real;
    use(out.str());
  });
  add("istringstream", [text = std::string("1234 56")](const row&) {
    Input in(text);
    int a = 0, b = 0;
    in >> a >> b;
    use(a + b);
  });
  add("ostringstream_used_again", [](const row& r) {
    static Output again;
    again.str(std::string());
    again << "id " << r.small << ": " << r.smaller;
    use(again.str());
  });
}

experiment make(const request& wanted) {
  loops all(wanted, 4 * row_count);
  add_output(all);
  add_input(all);
  add_strings_of<std::ostringstream, std::istringstream>(all, "std");
  add_strings_of<leat::ostringstream, leat::istringstream>(all, "leat");
  auto experiment = all.make_experiment("iostreams", "more calls of iostreams", "value");
  experiment.space = 20'000'000;
  experiment.prepare = [](const std::filesystem::path& folder) {
    make_lines(folder / "ints", [](auto& out, const row& r) { out << r.any; });
    make_lines(folder / "small", [](auto& out, const row& r) { out << r.small; });
    make_lines(folder / "reals", [](auto& out, const row& r) { out << r.real; });
    make_lines(folder / "texts", [](auto& out, const row& r) { out << r.text; });
    make_lines(folder / "lines",
               [](auto& out, const row& r) { out << r.text << ' ' << r.text << ' ' << r.any; });
  };
  return experiment;
}

const registration iostreams(104, make);

}  // namespace

}  // namespace bench::loops_iostreams
