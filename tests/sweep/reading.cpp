// Scenarios of reading: whole files, lines, words, searches, seeks and numbers.
#include <algorithm>
#include <chrono>

#include "sweep/trial.hpp"

namespace sweep {

namespace {

const std::string text = numbered_lines(30'000);

const std::string long_lines = std::string(900'000, 'a') + '\n' + std::string(2'500'000, 'b');

void put_text(trial& t) { put_file(t.file(), text); }
void check_text(trial& t) {
  t.check_read(text);
  t.check_file("the file", text);
}

/// Reads lines into `text_read`, with newlines between the lines.
template <class Reader>
void read_lines(trial& t, Reader& in) {
  for (const std::string_view line : in.lines()) {
    if (!t.text_read.empty()) t.text_read += '\n';
    t.text_read.append(line);
  }
}

template <class Open>
scenario reads(const char* name, Open open) {
  return {name, put_text,
          [open](trial& t) {
            auto in = open(t);
            t.text_read = in.read_all();
            in.close();
          },
          check_text};
}

std::vector<scenario> whole_file_scenarios() {
  return {
      reads("open", [](trial& t) { return leat::open(t.file()); }),
      reads("open, small buffers",
            [](trial& t) { return leat::open(t.file(), {.buffer_size = 5000}); }),
      reads("open, sequential",
            [](trial& t) { return leat::open(t.file(), {.pattern = leat::pattern::sequential}); }),
      reads("open, direct",
            [](trial& t) { return leat::open(t.file(), {.caching = leat::caching::direct}); }),
      reads("open, handed on",
            [](trial& t) {
              auto first = leat::open(t.file());
              return leat::file_reader(leat::adopt(first.release()), {}, t.file());
            }),
      reads("map_file", [](trial& t) { return leat::map_file(t.file()); }),
      reads("map_file, not guarded",
            [](trial& t) {
              leat::guard_mappings(false);
              return leat::map_file(t.file());
            }),
      reads("follow",
            [](trial& t) {
              return leat::follow(t.file(), {.timeout = std::chrono::milliseconds(0)});
            }),
      reads("open_or_stdin", [](trial& t) { return leat::open_or_stdin(t.file()); }),
      {"borrow", put_text,
       [](trial& t) {
         const auto owner = leat::open(t.file());
         leat::file_reader in(leat::borrow(owner.native_handle()), {}, t.file());
         t.text_read = in.read_all();
       },
       check_text},
      {"read_file", put_text, [](trial& t) { t.text_read = leat::read_file(t.file()); },
       check_text},
      {"read_file, with a code", put_text,
       [](trial& t) {
         std::error_code ec;
         t.text_read = leat::read_file(t.file(), ec);
         t.require(ec);
       },
       check_text},
  };
}

std::vector<scenario> line_scenarios() {
  return {
      {"lines", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         read_lines(t, in);
         in.close();
       },
       check_text},
      {"lines, small buffers", put_text,
       [](trial& t) {
         auto in = leat::open(t.file(), {.buffer_size = 1000});
         read_lines(t, in);
       },
       check_text},
      // The buffer moves from the heap to a mapping, which grows.
      {"lines, long", [](trial& t) { put_file(t.file(), long_lines); },
       [](trial& t) {
         auto in = leat::open(t.file());
         read_lines(t, in);
         in.close();
       },
       [](trial& t) { t.check_read(long_lines); }},
      {"lines, direct", put_text,
       [](trial& t) {
         auto in = leat::open(t.file(), {.buffer_size = 4096, .caching = leat::caching::direct});
         read_lines(t, in);
       },
       check_text},
      {"lines, mapped", put_text,
       [](trial& t) {
         auto in = leat::map_file(t.file());
         read_lines(t, in);
         in.close();
       },
       check_text},
      {"lines, followed", put_text,
       [](trial& t) {
         auto in = leat::follow(t.file(), {.timeout = std::chrono::milliseconds(0)});
         read_lines(t, in);
       },
       check_text},
      {"follow, last lines", put_text,
       [](trial& t) {
         auto in =
             leat::follow(t.file(), {.last_lines = 0, .timeout = std::chrono::milliseconds(0)});
         t.text_read = in.read_all();
       },
       [](trial& t) { t.check_read(""); }},
      {"lines_backwards", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         std::size_t bytes = 0, lines = 0;
         for (const auto& line : in.lines_backwards()) {
           bytes += std::string_view(line).size();
           ++lines;
         }
         t.text_read = std::to_string(bytes + lines - 1);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read(std::to_string(text.size()));
       }},
      {"istream", put_text,
       [](trial& t) {
         auto below = leat::open(t.file());
         leat::istream in(below);
         for (std::string line; std::getline(in, line);) {
           if (!t.text_read.empty()) t.text_read += '\n';
           t.text_read += line;
         }
         below.close();
         t.require(below.error());
       },
       check_text},
  };
}

std::vector<scenario> position_scenarios() {
  return {
      {"read_exactly and seek", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         char piece[100];
         for (const std::size_t at : {0u, 20'000u, 100u, 29'900u}) {
           in.seek(at);
           in.read_exactly(std::span(piece));
           t.text_read.append(piece, sizeof piece);
         }
       },
       [](trial& t) {
         t.check_read(text.substr(0, 100) + text.substr(20'000, 100) + text.substr(100, 100) +
                      text.substr(29'900, 100));
       }},
      {"read, with codes", put_text,
       [](trial& t) {
         std::error_code ec;
         auto in = leat::open(t.file(), ec);
         t.require(ec);
         char piece[7000];
         for (std::size_t n = 1; n != 0;) {
           n = in.read(std::span(piece), ec);
           t.text_read.append(piece, n);
           t.require(ec);
         }
         in.close(ec);
         t.require(ec);
       },
       check_text},
      {"get", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         for (int byte; (byte = in.get()) != in.end_of_file;)
           t.text_read += static_cast<char>(byte);
       },
       check_text},
      {"skip", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         in.skip(25'000);
         t.text_read = in.read_all();
       },
       [](trial& t) { t.check_read(std::string_view(text).substr(25'000)); }},
      {"find", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         if (in.find("5001 ")) t.text_read = std::to_string(in.tell());
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read(std::to_string(text.find("5001 ")));
       }},
      {"words", put_text,
       [](trial& t) {
         auto in = leat::open(t.file(), {.buffer_size = 1000});
         std::size_t bytes = 0;
         for (const std::string_view word : in.words()) bytes += word.size();
         t.text_read = std::to_string(bytes);
       },
       [](trial& t) {
         const auto in_words =
             std::count_if(text.begin(), text.end(), [](char c) { return c > ' '; });
         if (t.succeeded()) t.check_read(std::to_string(in_words));
       }},
      {"find_all", put_text,
       [](trial& t) {
         auto in = leat::open(t.file(), {.buffer_size = 1000});
         std::size_t count = 0;
         for (const auto at : in.find_all("1")) count += at < text.size();
         t.text_read = std::to_string(count);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read(std::to_string(std::count(text.begin(), text.end(), '1')));
       }},
      {"parse", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         for (int i = 0; i != 3000; ++i) t.text_read += in.parse<int>() == i ? '1' : '0';
       },
       [](trial& t) { t.check_read(std::string(3000, '1')); }},
      {"file_lock", put_text,
       [](trial& t) {
         auto in = leat::open(t.file());
         std::error_code ec;
         leat::file_lock guard(in, leat::lock_mode::shared, ec);
         t.require(ec);
         t.text_read = in.read_all();
       },
       check_text},
  };
}

}  // namespace

std::vector<scenario> reading_scenarios() {
  std::vector<scenario> all;
  for (auto& group : {whole_file_scenarios(), line_scenarios(), position_scenarios()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace sweep
