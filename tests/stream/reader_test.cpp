// Every reader gives what a plain string gives, whatever is called in which order.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

/// What a reader over a text is to do, in the simplest way.
struct model {
  std::string text;
  std::size_t at = 0;

  std::string_view rest() const {
    return at < text.size() ? std::string_view(text).substr(at) : std::string_view();
  }
  std::string take(std::size_t n) {
    const std::string taken(rest().substr(0, n));
    at += taken.size();
    return taken;
  }
  std::optional<std::string> line(const leat::line_options& how) {
    if (rest().empty()) return std::nullopt;
    const auto stop = rest().find(how.delimiter);
    std::string line = take(stop == std::string_view::npos ? stop : stop + 1);
    if (stop != std::string_view::npos) line.pop_back();
    if (how.crlf && line.ends_with('\r')) line.pop_back();
    return line;
  }
  std::optional<std::uint64_t> find(std::string_view needle) {
    const auto found = rest().find(needle);
    if (found != std::string_view::npos) {
      at += found;
      return at;
    }
    at = std::max(at, text.size());
    return std::nullopt;
  }
};

using reader_case = std::tuple<home, std::size_t>;
class every_reader : public testing::TestWithParam<reader_case> {
 protected:
  home where() const { return std::get<0>(GetParam()); }
  std::size_t window() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(all, every_reader,
                         testing::Combine(testing::ValuesIn(homes),
                                          testing::ValuesIn(window_sizes)),
                         [](const auto& which) {
                           return testing::PrintToString(std::get<0>(which.param)) + "_" +
                                  std::to_string(std::get<1>(which.param));
                         });

TEST_P(every_reader, gives_all_bytes_by_get) {
  const std::string text = std::string("\xff\0\x80", 3) + numbered_text(20000);
  reader_over r(where(), text, window());
  std::string got;
  for (int c; (c = r.get().get()) != leat::reader::end_of_file;) got += static_cast<char>(c);
  EXPECT_EQ(got, text);
  EXPECT_EQ(r.get().get(), leat::reader::end_of_file);
  EXPECT_EQ(r.get().tell(), text.size());
}

TEST_P(every_reader, gives_all_bytes_by_windows) {
  const std::string text = numbered_text(static_cast<std::size_t>(rounds(700001)));
  reader_over r(where(), text, window());
  std::string got;
  for (auto w = r.get().window(); !w.empty(); w = r.get().window()) {
    const std::size_t part = (w.size() + 1) / 2;
    got.append(w.substr(0, part));
    r.get().skip(part);
  }
  EXPECT_EQ(got, text);
}

TEST_P(every_reader, peeks_at_more_than_there_is) {
  const std::string text = numbered_text(30000);
  reader_over r(where(), text, window());
  EXPECT_EQ(r.get().peek(0), "");
  EXPECT_EQ(r.get().peek(10), text.substr(0, 10));
  EXPECT_EQ(r.get().peek(std::numeric_limits<std::size_t>::max()), text);
  EXPECT_EQ(r.get().skip(29999), 29999u);
  EXPECT_EQ(r.get().peek(std::numeric_limits<std::size_t>::max()), text.substr(29999));
  EXPECT_EQ(r.get().skip(std::numeric_limits<std::uint64_t>::max()), 1u);
  EXPECT_EQ(r.get().peek(std::numeric_limits<std::size_t>::max()), "");
  EXPECT_EQ(r.get().skip(1), 0u);
}

TEST_P(every_reader, is_like_a_string_for_any_sequence_of_calls) {
  std::mt19937 random(static_cast<unsigned>(where()) * 100 + static_cast<unsigned>(window()));
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round != rounds(60); ++round) {
    // Few different bytes, so that lines, hits and numbers abound.
    std::string text(below(4) == 0 ? below(40) : below(40000), ' ');
    for (char& c : text) c = "aab\n\r01 -"[below(9)];
    std::string history;
    model m{text};
    reader_over r(where(), text, window(), static_cast<unsigned>(round));
    leat::reader& in = r.get();
    for (int i = 0; i != 400; ++i) {
      const std::size_t n = below(10) == 0 ? below(20000) : below(12);
      const auto call = below(14);
      history += std::to_string(call) + "(" + std::to_string(n) + ") ";
      if (history.size() > 200) history.erase(0, 100);
      SCOPED_TRACE(testing::Message()
                   << "round " << round << ", call " << i << " of kind " << call << ", n " << n
                   << ", at " << m.at << " of " << text.size() << ": " << history);
      ASSERT_EQ(in.tell(), m.at);
      switch (call) {
        case 0: {
          const std::string one = m.take(1);
          ASSERT_EQ(in.get(), one.empty() ? -1 : static_cast<unsigned char>(one[0]));
          break;
        }
        case 1: {
          std::string got(n, '?');
          got.resize(in.read(std::span(got)));
          ASSERT_EQ(got, m.take(n));
          break;
        }
        case 2: {
          std::string got(n, '?');
          std::error_code ec;
          in.read_exactly(std::span(got), ec);
          const std::string expected = m.take(n);
          ASSERT_EQ(ec, expected.size() == n ? std::error_code() : leat::errc::ended_early);
          ASSERT_EQ(got.substr(0, expected.size()), expected);
          break;
        }
        case 3:
          ASSERT_EQ(in.peek(n), m.rest().substr(0, n));
          break;
        case 4: {
          const auto w = in.window();
          ASSERT_EQ(w.empty(), m.rest().empty());
          ASSERT_EQ(w, m.rest().substr(0, w.size()));
          ASSERT_EQ(in.buffered(), w);
          break;
        }
        case 5:
          ASSERT_EQ(in.skip(n), m.take(n).size());
          break;
        case 6:
          if (!r.positional()) break;
          m.at = below(text.size() + 10);
          in.seek(m.at);
          break;
        case 7: {
          if (!r.positional()) break;
          const auto offset = static_cast<std::int64_t>(below(60)) - 30;
          std::error_code ec;
          in.seek_by(offset, ec);
          if (static_cast<std::int64_t>(m.at) + offset < 0) {
            ASSERT_EQ(ec, std::errc::invalid_argument);
          } else {
            ASSERT_FALSE(ec);
            m.at = static_cast<std::size_t>(static_cast<std::int64_t>(m.at) + offset);
          }
          break;
        }
        case 8:
        case 9: {
          const leat::line_options how{.delimiter = "\na"[below(2)], .crlf = below(2) == 0};
          std::size_t left = below(20);
          for (std::string_view line : in.lines(how)) {
            ASSERT_EQ(line, m.line(how));
            ASSERT_EQ(in.tell(), m.at);
            if (below(9) == 0) {  // others may read in between
              ASSERT_EQ(in.peek(n), m.rest().substr(0, n));
              ASSERT_EQ(in.skip(n), m.take(n).size());
            }
            if (r.positional() && below(9) == 0) {
              m.at = below(text.size() + 1);
              in.seek(m.at);
            }
            if (left-- == 0) break;
          }
          break;
        }
        case 10: {
          std::string line = "old";
          const leat::line_options how{.crlf = below(2) == 0};
          const auto expected = m.line(how);
          ASSERT_EQ(in.read_line(line, how), expected.has_value());
          ASSERT_EQ(line, expected.value_or(""));
          break;
        }
        case 11: {
          const std::string needle(text.substr(below(text.size() + 1), below(6)));
          ASSERT_EQ(in.find(needle), m.find(needle));
          break;
        }
        case 12: {
          const std::string needle(text.substr(below(text.size() + 1), 1 + below(3)));
          std::size_t left = below(5);
          std::size_t behind = m.at;
          for (const std::uint64_t at : in.find_all(needle)) {
            m.at = std::max(m.at, behind);
            ASSERT_EQ(at, m.find(needle));
            ASSERT_EQ(in.tell(), at);
            behind = m.at + std::max<std::size_t>(needle.size(), 1);
            if (below(4) == 0) {
              ASSERT_EQ(in.skip(n), m.take(n).size());
            }
            if (left-- == 0) {
              behind = 0;
              break;
            }
          }
          if (in.tell() != m.at) {  // went on to the end
            m.at = std::max(m.at, std::min(behind, text.size()));
            if (behind <= text.size()) {
              ASSERT_EQ(m.find(needle), std::nullopt) << needle;
            }
          }
          break;
        }
        case 13: {
          const auto rest = m.rest();
          const auto start = std::min(rest.find_first_not_of(" \t\r\n\v\f"), rest.size());
          int expected = 0;
          const auto [stop, error] =
              std::from_chars(rest.data() + start, rest.data() + rest.size(), expected);
          std::error_code ec;
          const auto got = in.parse<int>(ec);
          if (start == rest.size()) {
            ASSERT_FALSE(got.has_value());
            ASSERT_FALSE(ec);
            m.at = std::max(m.at, text.size());
          } else if (error != std::errc{}) {
            ASSERT_FALSE(got.has_value());
            ASSERT_EQ(ec, error == std::errc::result_out_of_range ? std::make_error_code(error)
                                                                  : leat::errc::not_a_number);
          } else {
            ASSERT_EQ(got, expected);
            ASSERT_FALSE(ec);
            m.at += static_cast<std::size_t>(stop - rest.data());
          }
          break;
        }
      }
    }
    std::error_code ec;
    in.close(ec);
    ASSERT_FALSE(ec);
  }
}

TEST(reader, of_memory_takes_all_kinds_of_text) {
  const std::string text = "text";
  const std::vector<std::byte> bytes{std::byte{'b'}};
  leat::memory_reader literal("literal"), string(text), view(std::string_view("view")),
      binary(bytes), none(std::string_view{});
  EXPECT_EQ(literal.window(), "literal");
  EXPECT_EQ(string.window(), "text");
  EXPECT_EQ(view.window(), "view");
  EXPECT_EQ(binary.get(), 'b');
  EXPECT_EQ(none.get(), leat::reader::end_of_file);
  EXPECT_EQ(none.size(), 0u);
  none.seek(0);
  EXPECT_EQ(none.window(), "");
}

TEST(reader, reads_into_bytes_of_any_type) {
  leat::memory_reader in("0123456789");
  unsigned char a[2];
  std::byte b[2];
  std::uint16_t value = 0;
  EXPECT_EQ(in.read(a), 2u);
  EXPECT_EQ(a[1], '1');
  EXPECT_EQ(in.read(b), 2u);
  EXPECT_EQ(b[1], std::byte{'3'});
  in.read_exactly(leat::bytes_of(value));
  EXPECT_EQ(leat::bytes_of(value)[0], std::byte{'4'});
  in.read_exactly(a);
  EXPECT_EQ(a[0], '6');
  std::error_code ec;
  EXPECT_EQ(in.read(std::span<std::byte>(), ec), 0u);
  EXPECT_FALSE(ec);
}

template <class Reader>
void expect_closed(Reader& in) {
  std::error_code ec;
  char byte[1];
  std::string line = "old";
  EXPECT_EQ(in.get(ec), leat::reader::end_of_file);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.read(std::span(byte), ec), 0u);
  EXPECT_EQ(ec, leat::errc::closed);
  in.read_exactly(std::span(byte), ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.peek(5, ec), "");
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.window(ec), "");
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.skip(3, ec), 0u);
  EXPECT_EQ(ec, leat::errc::closed);
  in.seek(0, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  in.seek_by(0, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  in.seek_by(-100, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  in.seek_by(100, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.size(ec), 0u);
  EXPECT_EQ(ec, leat::errc::closed);
  for ([[maybe_unused]] auto each : in.lines(ec)) ADD_FAILURE();
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_FALSE(in.read_line(line, ec));
  EXPECT_EQ(line, "");
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.find("x", ec), std::nullopt);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.find("", ec), std::nullopt);
  EXPECT_EQ(ec, leat::errc::closed);
  for ([[maybe_unused]] auto each : in.find_all("x", ec)) ADD_FAILURE();
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.template parse<double>(ec), std::nullopt);
  EXPECT_EQ(ec, leat::errc::closed);
  leat::string_writer to;
  EXPECT_EQ(leat::copy(in, to, ec), 0u);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.error(), leat::errc::closed);
  EXPECT_EQ(in.buffered(), "");
  EXPECT_THROW(in.get(), leat::io_error);
  EXPECT_THROW(in.lines().begin(), leat::io_error);
  EXPECT_THROW(in.size(), leat::io_error);
  EXPECT_THROW(in.seek_by(-100), leat::io_error);
  in.close(ec);
  EXPECT_FALSE(ec) << "closing again does nothing";
}

TEST_P(every_reader, says_so_when_it_is_closed) {
  reader_over r(where(), "0123456789", window());
  EXPECT_EQ(r.get().get(), '0');
  r.get().close();
  expect_closed(r.get());
}

TEST(reader, says_so_when_it_is_moved_from_or_was_never_opened) {
  leat::file_reader none;
  expect_closed(none);
  leat::file_reader null(nullptr);
  expect_closed(null);
  leat::file_reader file(std::make_unique<leat::memory_device>("0123456789"));
  EXPECT_EQ(file.get(), '0');
  leat::file_reader taken = std::move(file);
  expect_closed(file);
  EXPECT_EQ(taken.get(), '1');
  file = std::move(taken);
  expect_closed(taken);
  EXPECT_EQ(file.get(), '2');
  leat::file_reader& same = file;
  file = std::move(same);
  EXPECT_EQ(file.get(), '3');
  EXPECT_EQ(file.tell(), 4u);

  leat::memory_reader memory("0123456789");
  EXPECT_EQ(memory.get(), '0');
  leat::memory_reader all = std::move(memory);
  expect_closed(memory);
  leat::memory_reader& itself = all;
  all = std::move(itself);
  EXPECT_EQ(all.get(), '1');
  all.seek(9);
  EXPECT_EQ(all.get(), '9');
  EXPECT_EQ(all.size(), 10u);
}

}  // namespace
