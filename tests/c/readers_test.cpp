// Readers of leat.h, and the functions of leat.h for fields, numbers and whole files.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

struct reader_closer {
  void operator()(leat_reader* r) const { EXPECT_EQ(leat_reader_close(r), 0); }
};
using owned_reader = std::unique_ptr<leat_reader, reader_closer>;

/// Returns a reader over a copy of the text. The copy exists until the program ends.
owned_reader over(const std::string& copied) {
  static std::deque<std::string> kept;
  const std::string& text = kept.emplace_back(copied);
  return owned_reader(leat_reader_of_memory(text.data(), text.size()));
}

std::string lines_of(leat_reader* r, const leat_line_options* options) {
  std::string all;
  leat_text line;
  int more;
  while ((more = leat_reader_next_line(r, options, &line)) == 1) all += string_of(line) + '|';
  EXPECT_EQ(line.bytes, nullptr);
  return all + std::to_string(more);
}

TEST(c_readers, return_lines_as_the_options_say) {
  EXPECT_EQ(lines_of(over("one\n\nthree").get(), nullptr), "one||three|0");
  EXPECT_EQ(lines_of(over("").get(), nullptr), "0");
  leat_line_options options{};
  options.crlf = 1;
  EXPECT_EQ(lines_of(over("a\r\nb\n").get(), &options), "a|b|0");
  options = {};
  options.delimiter = LEAT_NUL;
  EXPECT_EQ(lines_of(over(std::string("a\0b\n\0", 5)).get(), &options), "a|b\n|0");
  options = {};
  options.delimiter = ';';
  options.longest = 2;
  EXPECT_EQ(lines_of(over("ab;abc;d").get(), &options), "ab|-1");
  EXPECT_EQ(errno, EOVERFLOW);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_LINE_TOO_LONG);
  options.delimiter = 256;
  EXPECT_EQ(lines_of(over("ab").get(), &options), "-1");
  EXPECT_EQ(errno, EINVAL);
}

TEST(c_readers, allow_other_calls_between_lines) {
  const std::string text = "one\ntwo\nthree\nfour\n";
  const auto r = over(text);
  leat_text line;
  leat_line_options options{};
  EXPECT_EQ(leat_reader_next_line(r.get(), &options, &line), 1);
  EXPECT_EQ(leat_reader_tell(r.get()), 4u);
  EXPECT_EQ(leat_reader_skip(r.get(), 4), 4);
  EXPECT_EQ(leat_reader_next_line(r.get(), &options, &line), 1);
  EXPECT_EQ(string_of(line), "three");
  options.delimiter = 'u';  // other options for the following line
  EXPECT_EQ(leat_reader_next_line(r.get(), &options, &line), 1);
  EXPECT_EQ(string_of(line), "fo");
  EXPECT_EQ(leat_reader_seek(r.get(), 0), 0);
  EXPECT_EQ(leat_reader_next_line(r.get(), nullptr, &line), 1);
  EXPECT_EQ(string_of(line), "one");
}

TEST(c_readers, return_lines_backwards_and_around_a_position) {
  const std::string text = "one\ntwo\nthree\n";
  const auto r = over(text);
  for (int round = 0; round != 2; ++round) {
    std::string all;
    leat_text line;
    while (leat_reader_previous_line(r.get(), nullptr, &line) == 1)
      all += string_of(line) + std::to_string(leat_reader_tell(r.get())) + ' ';
    EXPECT_EQ(all, "three8 two4 one0 ");
  }
  EXPECT_EQ(leat_reader_seek(r.get(), 6), 0);
  leat_text line;
  uint64_t start = 0;
  EXPECT_EQ(leat_reader_line_around(r.get(), nullptr, &line, &start), 1);
  EXPECT_EQ(string_of(line), "two");
  EXPECT_EQ(start, 4u);
  EXPECT_EQ(leat_reader_tell(r.get()), 8u);
  EXPECT_EQ(leat_reader_seek(r.get(), text.size()), 0);
  EXPECT_EQ(leat_reader_line_around(r.get(), nullptr, &line, nullptr), 0);
}

TEST(c_readers, return_words_numbers_and_bytes) {
  const auto r = over(" 12 -7 2.5 word  18446744073709551615 x");
  int64_t i = 0;
  uint64_t u = 0;
  double d = 0;
  EXPECT_EQ(leat_reader_parse_int64(r.get(), &i), 1);
  EXPECT_EQ(i, 12);
  EXPECT_EQ(leat_reader_parse_int64(r.get(), &i), 1);
  EXPECT_EQ(i, -7);
  EXPECT_EQ(leat_reader_parse_double(r.get(), &d), 1);
  EXPECT_EQ(d, 2.5);
  EXPECT_EQ(leat_reader_parse_double(r.get(), &d), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_NOT_A_NUMBER);
  EXPECT_EQ(leat_last_error()->offset, 11u);
  leat_text word;
  EXPECT_EQ(leat_reader_next_word(r.get(), &word), 1);
  EXPECT_EQ(string_of(word), "word");
  EXPECT_EQ(leat_reader_parse_int64(r.get(), &i), -1);
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(leat_reader_parse_uint64(r.get(), &u), 1);
  EXPECT_EQ(u, UINT64_MAX);
  EXPECT_EQ(leat_reader_get(r.get()), ' ');
  EXPECT_EQ(leat_reader_get(r.get()), 'x');
  EXPECT_EQ(leat_reader_get(r.get()), -1);
  EXPECT_EQ(leat_reader_next_word(r.get(), &word), 0);
  EXPECT_EQ(leat_reader_parse_uint64(r.get(), &u), 0);
}

TEST(c_readers, return_views_of_the_buffer) {
  const temporary_folder folder;
  std::string text(300000, 'a');
  text.replace(200000, 6, "needle");
  write_file(folder / "a", text);
  leat_reader_options options{};
  options.buffer_size = 4096;
  const owned_reader r(leat_reader_open((folder / "a").c_str(), &options));
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(leat_reader_size(r.get()), 300000);
  EXPECT_EQ(leat_reader_peek(r.get(), 5).size, 5u);
  EXPECT_GE(leat_reader_buffered(r.get()).size, 5u);
  EXPECT_EQ(string_of(leat_reader_peek(r.get(), 100000)), text.substr(0, 100000));
  size_t passed = 0;
  for (leat_text w; (w = leat_reader_window(r.get())).size != 0; passed += w.size)
    EXPECT_EQ(leat_reader_skip(r.get(), w.size), static_cast<leat_off_t>(w.size));
  EXPECT_EQ(passed, text.size());
  EXPECT_NE(leat_reader_window(r.get()).bytes, nullptr);
  EXPECT_EQ(leat_reader_seek_by(r.get(), -300001), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_reader_seek_by(r.get(), -300000), 0);

  leat_finder* const finder = leat_finder_new("needle", 6);
  uint64_t at = 0;
  EXPECT_EQ(leat_reader_find(r.get(), finder, &at), 1);
  EXPECT_EQ(at, 200000u);
  EXPECT_EQ(leat_reader_tell(r.get()), 200000u);
  EXPECT_EQ(leat_reader_skip(r.get(), 6), 6);
  EXPECT_EQ(leat_reader_find(r.get(), finder, nullptr), 0);
  EXPECT_EQ(leat_finder_find_in(finder, "a needle", 8, 0), 2u);
  EXPECT_EQ(leat_finder_find_in(finder, "a needle", 8, 3), SIZE_MAX);
  leat_finder_free(finder);
}

TEST(c_readers, read_into_memory) {
  const std::string text = "0123456789";
  const auto r = over(text);
  char to[8];
  EXPECT_EQ(leat_reader_read(r.get(), to, 4), 4);
  EXPECT_EQ(leat_reader_read_exactly(r.get(), to, 2), 0);
  EXPECT_EQ(leat_reader_read_exactly(r.get(), to, 8), -1);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_ENDED_EARLY);
  EXPECT_EQ(leat_last_error()->unread, 4u);
  EXPECT_EQ(leat_reader_seek(r.get(), 6), 0);
  char* all = nullptr;
  size_t size = 0;
  EXPECT_EQ(leat_reader_read_all(r.get(), 3, &all, &size), -1);
  EXPECT_EQ(errno, EOVERFLOW);
  EXPECT_EQ(leat_reader_read_all(r.get(), 0, &all, &size), 0);
  EXPECT_EQ(std::string(all), "6789");
  EXPECT_EQ(size, 4u);
  std::free(all);
  EXPECT_EQ(leat_reader_read(r.get(), to, 4), 0);
  EXPECT_EQ(leat_reader_error(r.get()), 0);
  EXPECT_EQ(leat_reader_fileno(r.get()), -1);
}

TEST(c_readers, map_files) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  write_file(path, "mapped\nlines\n");
  const owned_reader r(leat_reader_map(path.c_str(), nullptr));
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(string_of(leat_reader_mapped(r.get())), "mapped\nlines\n");
  EXPECT_EQ(lines_of(r.get(), nullptr), "mapped|lines|0");
  EXPECT_EQ(leat_reader_mapped(over("a").get()).bytes, nullptr);
  EXPECT_EQ(errno, EINVAL);
  write_file(folder / "empty", "");
  const owned_reader empty(leat_reader_map((folder / "empty").c_str(), nullptr));
  ASSERT_NE(empty, nullptr);
  EXPECT_NE(leat_reader_mapped(empty.get()).bytes, nullptr)
      << "an empty file is no error, so its text is not null";
  EXPECT_EQ(leat_reader_mapped(empty.get()).size, 0u);
  EXPECT_EQ(leat_reader_map((folder / "none").c_str(), nullptr), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(leat_last_error()->path, folder / "none");
  const int before = leat_guard_mappings(1);
  EXPECT_EQ(leat_guard_mappings(before), 1);
}

TEST(c_readers, follow_a_growing_file) {
  const temporary_folder folder;
  const std::string path = folder / "log";
  write_file(path, "one\ntwo\nthree\n");
  leat_follow_options options{};
  options.begins_at_end = 1;
  options.last_lines = 2;
  options.no_wait = 1;
  owned_reader r(leat_reader_follow(path.c_str(), &options));
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(lines_of(r.get(), nullptr), "two|three|0");
  const file_ptr f = open_file(path, "a");
  leat_fputs("four\n", f.get());
  leat_fflush(f.get());
  EXPECT_EQ(lines_of(r.get(), nullptr), "four|0");
  EXPECT_EQ(leat_reader_stop(over("a").get()), -1);

  r.reset(leat_reader_follow(path.c_str(), nullptr));
  leat_text line;
  for (int i = 0; i != 4; ++i) EXPECT_EQ(leat_reader_next_line(r.get(), nullptr, &line), 1);
  std::thread other([&] { EXPECT_EQ(leat_reader_stop(r.get()), 0); });
  EXPECT_EQ(leat_reader_next_line(r.get(), nullptr, &line), 0);
  other.join();
}

TEST(c_readers, split_a_file_into_parts) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  std::string text;
  for (int i = 0; i != 1000; ++i) text += std::to_string(i) + ';';
  write_file(path, text);
  leat_reader* parts[4];
  const size_t count = leat_reader_split(path.c_str(), 4, ';', nullptr, parts);
  EXPECT_GE(count, 2u);
  std::string all;
  leat_line_options options{};
  options.delimiter = ';';
  leat_text line;
  for (size_t i = 0; i != count; ++i) {
    while (leat_reader_next_line(parts[i], &options, &line) == 1) all += string_of(line) + ';';
    EXPECT_EQ(leat_reader_close(parts[i]), 0);
  }
  EXPECT_EQ(all, text);
}

TEST(c_readers, refuse_options_without_effect) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  write_file(path, "a");
  leat_device_functions functions{};
  leat_device* const device = leat_device_new(&functions, nullptr);
  const int inside = 0;
  struct setting {
    const char* name;
    void (*set)(leat_reader_options&, const int* inside);
    bool map_accepts, over_accepts, split_accepts;
  };
  const setting settings[] = {
      {"buffer_size", [](leat_reader_options& options, const int*) { options.buffer_size = 100; },
       false, true, true},
      {"pattern",
       [](leat_reader_options& options, const int*) { options.pattern = LEAT_PATTERN_RANDOM; },
       true, true, false},
      {"caching",
       [](leat_reader_options& options, const int*) { options.caching = LEAT_CACHING_DIRECT; },
       false, false, false},
      {"live", [](leat_reader_options& options, const int*) { options.live = 1; }, false, false,
       false},
      {"window_limit",
       [](leat_reader_options& options, const int*) { options.window_limit = 1 << 20; }, false,
       true, true},
      {"local_only", [](leat_reader_options& options, const int*) { options.local_only = 1; }, true,
       true, true},
      {"compression",
       [](leat_reader_options& options, const int*) {
         options.compression = LEAT_COMPRESSION_AUTOMATIC;
       },
       false, false, true},
      {"limit", [](leat_reader_options& options, const int*) { options.limit = 100; }, false, false,
       true},
      {"codec_memory",
       [](leat_reader_options& options, const int*) { options.codec_memory = 1 << 20; }, false,
       false, true},
      {"background", [](leat_reader_options& options, const int*) { options.background = 1; },
       false, false, false},
      {"inside", [](leat_reader_options& options, const int* value) { options.inside = value; },
       true, false, false},
  };
  for (const setting& each : settings) {
    leat_reader_options options{};
    each.set(options, &inside);
    const auto refused = [&](bool failed) {
      return failed && errno == EINVAL &&
             std::strstr(leat_last_error()->message, each.name) != nullptr;
    };
    EXPECT_EQ(refused(owned_reader(leat_reader_map(path.c_str(), &options)) == nullptr),
              !each.map_accepts)
        << each.name;
    EXPECT_EQ(refused(owned_reader(leat_reader_over(device, &options, nullptr)) == nullptr),
              !each.over_accepts)
        << each.name;
    leat_reader* part = nullptr;
    EXPECT_EQ(refused(leat_reader_split(path.c_str(), 1, '\n', &options, &part) == 0),
              !each.split_accepts)
        << each.name;
    leat_reader_close(part);
  }
  EXPECT_EQ(leat_reader_split(path.c_str(), 0, '\n', nullptr, nullptr), 0U);
  EXPECT_EQ(errno, EINVAL);
  leat_device_free(device);
}

TEST(c_readers, refuse_a_null_path_and_an_address_with_local_only) {
  const temporary_folder folder;
  write_file(folder / "a", "a");
  EXPECT_EQ(leat_reader_open(nullptr, nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
  leat_reader_options options{};
  options.local_only = 1;
  EXPECT_EQ(leat_reader_open("s3://a/b", &options), nullptr);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_NOT_LOCAL);
  const owned_reader r(leat_reader_open_or_stdin((folder / "a").c_str(), &options));
  EXPECT_EQ(leat_reader_get(r.get()), 'a');
  EXPECT_NE(leat_reader_stdin(), nullptr);
  EXPECT_EQ(leat_reader_stdin(), leat_reader_stdin());
  EXPECT_EQ(leat_reader_close(leat_reader_stdin()), 0);
  EXPECT_EQ(leat_reader_close(nullptr), 0);
}

TEST(c_readers, split_texts_into_fields_and_parse_numbers) {
  const auto fields = [](const std::string& line) {
    leat_text rest{line.data(), line.size()};
    std::string all;
    for (leat_text field; leat_next_field(&rest, ',', &field) == 1;) all += string_of(field) + '|';
    return all;
  };
  EXPECT_EQ(fields("a,,b"), "a||b|");
  EXPECT_EQ(fields(""), "|");
  EXPECT_EQ(fields(","), "||");
  EXPECT_EQ(fields("abc"), "abc|");
  int64_t i = 0;
  uint64_t u = 0;
  double d = 0;
  leat_text rest;
  EXPECT_EQ(leat_parse_int64({" -12x", 5}, 10, &i, &rest), 0);
  EXPECT_EQ(i, -12);
  EXPECT_EQ(string_of(rest), "x");
  EXPECT_EQ(leat_parse_uint64({"ff", 2}, 16, &u, nullptr), 0);
  EXPECT_EQ(u, 255u);
  EXPECT_EQ(leat_parse_uint64({"ff", 2}, 1, &u, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_parse_double({"1e400", 5}, &d, nullptr), -1);
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(leat_parse_double({"0.25", 4}, &d, nullptr), 0);
  EXPECT_EQ(d, 0.25);
}

TEST(c_readers, read_write_and_copy_whole_files) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  EXPECT_EQ(leat_write_file(path.c_str(), "all of it", 9), 0);
  EXPECT_EQ(leat_copy_file(path.c_str(), (folder / "b").c_str()), 9);
  char* all = nullptr;
  size_t size = 0;
  EXPECT_EQ(leat_read_file((folder / "b").c_str(), &all, &size), 0);
  EXPECT_EQ(std::string(all, size), "all of it");
  std::free(all);
  EXPECT_EQ(leat_copy_file(path.c_str(), path.c_str()), -1);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_SAME_FILE);
  EXPECT_EQ(leat_read_file((folder / "c").c_str(), &all, &size), -1);
  EXPECT_EQ(leat_write_file(folder.path().c_str(), "", 0), -1);
}

TEST(c_readers, split_rows_into_fields_as_the_options_say) {
  const auto r = over("a,\"b\"\"\"\r\nc\n\"d\"e\n");
  const leat_row_options quotes{0, 1, 0, 0, {}};
  leat_row row;
  ASSERT_EQ(leat_reader_next_row(r.get(), &quotes, &row), 1);
  EXPECT_EQ(string_of(row.text), "a,\"b\"\"\"");
  EXPECT_EQ(row.fields, 2u);
  EXPECT_EQ(string_of(leat_row_field(&row, 0)), "a");
  EXPECT_EQ(string_of(leat_row_field(&row, 1)), "b\"");
  EXPECT_EQ(leat_row_field(&row, 2).bytes, nullptr);
  ASSERT_EQ(leat_reader_next_row(r.get(), &quotes, &row), 1);
  EXPECT_EQ(string_of(leat_row_field(&row, 0)), "c");
  EXPECT_EQ(leat_reader_next_row(r.get(), &quotes, &row), -1);
  EXPECT_EQ(errno, EBADMSG);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_BAD_QUOTES);
  EXPECT_EQ(leat_last_error()->offset, 14u);
  EXPECT_EQ(leat_row_field(&row, 0).bytes, nullptr);
  // With these options quotes are not special, and the delimiter is 'e'.
  const leat_row_options other{'e', 0, 1, 0, {}};
  ASSERT_EQ(leat_reader_next_row(r.get(), &other, &row), 1);
  EXPECT_EQ(string_of(leat_row_field(&row, 0)), "\"d\"");
  EXPECT_EQ(leat_reader_next_row(r.get(), &other, &row), 0);
  for (const leat_row_options& wrong :
       {leat_row_options{256, 0, 0, 0, {}}, leat_row_options{'\r', 0, 0, 0, {}},
        leat_row_options{'\n', 0, 0, 0, {}}, leat_row_options{'"', 1, 0, 0, {}}}) {
    errno = 0;
    EXPECT_EQ(leat_reader_next_row(r.get(), &wrong, &row), -1) << wrong.delimiter;
    EXPECT_EQ(errno, EINVAL) << wrong.delimiter;
  }
  EXPECT_EQ(leat_count({"a,b,c", 5}, ','), 2u);
}

}  // namespace
