// Every reader answers each kind of call, and any sequence of calls, as a plain string would.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

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

/// A reader and its model. Each public function makes one random call to both and compares them.
class compared_reader {
 public:
  compared_reader(std::mt19937& random, home where, std::size_t window, unsigned seed)
      : random_(random), m_{some_text()}, over_(where, m_.text, window, seed) {}

  leat::reader& reader() { return in_; }
  const model& expected() const { return m_; }

  void get() {
    const std::string one = m_.take(1);
    ASSERT_EQ(in_.get(), one.empty() ? -1 : static_cast<unsigned char>(one[0]));
  }

  void read() {
    const std::size_t n = some_size();
    std::string got(n, '?');
    got.resize(in_.read(std::span(got)));
    ASSERT_EQ(got, m_.take(n));
  }

  void read_exactly() {
    const std::size_t n = some_size();
    std::string got(n, '?');
    std::error_code ec;
    in_.read_exactly(std::span(got), ec);
    const std::string expected = m_.take(n);
    ASSERT_EQ(ec, expected.size() == n ? std::error_code() : leat::errc::ended_early);
    ASSERT_EQ(got.substr(0, expected.size()), expected);
  }

  void peek() {
    const std::size_t n = some_size();
    ASSERT_EQ(in_.peek(n), m_.rest().substr(0, n));
  }

  void window() {
    const auto w = in_.window();
    ASSERT_EQ(w.empty(), m_.rest().empty());
    ASSERT_EQ(w, m_.rest().substr(0, w.size()));
    ASSERT_EQ(in_.buffered(), w);
  }

  void skip() {
    const std::size_t n = some_size();
    ASSERT_EQ(in_.skip(n), m_.take(n).size());
  }

  void seek() {
    if (!over_.positional()) return;
    m_.at = below(m_.text.size() + 10);
    in_.seek(m_.at);
  }

  void seek_by() {
    if (!over_.positional()) return;
    const auto offset = static_cast<std::int64_t>(below(60)) - 30;
    std::error_code ec;
    in_.seek_by(offset, ec);
    if (static_cast<std::int64_t>(m_.at) + offset < 0) {
      ASSERT_EQ(ec, std::errc::invalid_argument);
    } else {
      ASSERT_FALSE(ec);
      m_.at = static_cast<std::size_t>(static_cast<std::int64_t>(m_.at) + offset);
    }
  }

  void lines() {
    const leat::line_options how{.delimiter = "\na"[below(2)], .crlf = below(2) == 0};
    std::size_t left = below(20);
    for (std::string_view line : in_.lines(how)) {
      ASSERT_EQ(line, m_.line(how));
      ASSERT_EQ(in_.tell(), m_.at);
      if (below(9) == 0) {  // others may read in between
        const std::size_t n = some_size();
        ASSERT_EQ(in_.peek(n), m_.rest().substr(0, n));
        ASSERT_EQ(in_.skip(n), m_.take(n).size());
      }
      if (over_.positional() && below(9) == 0) {
        m_.at = below(m_.text.size() + 1);
        in_.seek(m_.at);
      }
      if (left-- == 0) break;
    }
  }

  void read_line() {
    std::string line = "old";
    const leat::line_options how{.crlf = below(2) == 0};
    const auto expected = m_.line(how);
    ASSERT_EQ(in_.read_line(line, how), expected.has_value());
    ASSERT_EQ(line, expected.value_or(""));
  }

  void find() {
    const std::string needle(m_.text.substr(below(m_.text.size() + 1), below(6)));
    ASSERT_EQ(in_.find(needle), m_.find(needle));
  }

  void find_all() {
    const std::string needle(m_.text.substr(below(m_.text.size() + 1), 1 + below(3)));
    std::size_t left = below(5);
    std::size_t behind = m_.at;
    for (const std::uint64_t at : in_.find_all(needle)) {
      m_.at = std::max(m_.at, behind);
      ASSERT_EQ(at, m_.find(needle));
      ASSERT_EQ(in_.tell(), at);
      behind = m_.at + std::max<std::size_t>(needle.size(), 1);
      if (below(4) == 0) {
        const std::size_t n = some_size();
        ASSERT_EQ(in_.skip(n), m_.take(n).size());
      }
      if (left-- == 0) {
        behind = 0;
        break;
      }
    }
    if (in_.tell() != m_.at) {  // went on to the end
      m_.at = std::max(m_.at, std::min(behind, m_.text.size()));
      if (behind <= m_.text.size()) {
        ASSERT_EQ(m_.find(needle), std::nullopt) << needle;
      }
    }
  }

  void parse() {
    const auto rest = m_.rest();
    const auto start = std::min(rest.find_first_not_of(" \t\r\n\v\f"), rest.size());
    int expected = 0;
    const auto [stop, error] =
        std::from_chars(rest.data() + start, rest.data() + rest.size(), expected);
    std::error_code ec;
    const auto got = in_.parse<int>(ec);
    if (start == rest.size()) {
      ASSERT_FALSE(got.has_value());
      ASSERT_FALSE(ec);
      m_.at = std::max(m_.at, m_.text.size());
    } else if (error != std::errc{}) {
      ASSERT_FALSE(got.has_value());
      ASSERT_EQ(ec, error == std::errc::result_out_of_range ? std::make_error_code(error)
                                                            : leat::errc::not_a_number);
    } else {
      ASSERT_EQ(got, expected);
      ASSERT_FALSE(ec);
      m_.at += static_cast<std::size_t>(stop - rest.data());
    }
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::size_t some_size() { return below(10) == 0 ? below(20000) : below(12); }
  std::string some_text() {
    // Few different bytes, so that lines, hits and numbers abound.
    std::string text(below(4) == 0 ? below(40) : below(40000), ' ');
    for (char& c : text) c = "aab\n\r01 -"[below(9)];
    return text;
  }

  std::mt19937& random_;
  model m_;
  reader_over over_;
  leat::reader& in_ = over_.get();
};

struct kind_of_call {
  const char* name;
  void (compared_reader::*call)();
};
std::ostream& operator<<(std::ostream& out, const kind_of_call& kind) { return out << kind.name; }

constexpr kind_of_call kinds[] = {
    {"get", &compared_reader::get},
    {"read", &compared_reader::read},
    {"read_exactly", &compared_reader::read_exactly},
    {"peek", &compared_reader::peek},
    {"window", &compared_reader::window},
    {"skip", &compared_reader::skip},
    {"seek", &compared_reader::seek},
    {"seek_by", &compared_reader::seek_by},
    {"lines", &compared_reader::lines},
    {"read_line", &compared_reader::read_line},
    {"find", &compared_reader::find},
    {"find_all", &compared_reader::find_all},
    {"parse", &compared_reader::parse},
};

/// Makes so many calls of these kinds, each chosen at random.
void make_calls(compared_reader& reader, std::mt19937& random, std::span<const kind_of_call> of,
                int count) {
  std::string history;
  for (int i = 0; i != count; ++i) {
    const kind_of_call& kind = of[random() % of.size()];
    history.append(" ").append(kind.name);
    if (history.size() > 200) history.erase(0, 100);
    SCOPED_TRACE(testing::Message() << "call " << i << " at " << reader.expected().at << " of "
                                    << reader.expected().text.size() << ": " << history);
    ASSERT_EQ(reader.reader().tell(), reader.expected().at);
    ASSERT_NO_FATAL_FAILURE((reader.*kind.call)());
  }
  std::error_code ec;
  reader.reader().close(ec);
  ASSERT_FALSE(ec);
}

class reader_call : public testing::TestWithParam<kind_of_call> {};
INSTANTIATE_TEST_SUITE_P(each, reader_call, testing::ValuesIn(kinds),
                         [](const auto& which) { return std::string(which.param.name); });

// With skip() in between, so that the call is made at many places.
TEST_P(reader_call, is_like_a_strings) {
  const kind_of_call skip_and_call[] = {{"skip", &compared_reader::skip}, GetParam()};
  std::mt19937 random(1);
  for (const home where : homes)
    for (const std::size_t window : window_sizes)
      for (int round = 0; round != rounds(2); ++round) {
        SCOPED_TRACE(testing::Message() << where << ", window " << window << ", round " << round);
        compared_reader reader(random, where, window, static_cast<unsigned>(round));
        ASSERT_NO_FATAL_FAILURE(make_calls(reader, random, skip_and_call, 100));
      }
}

using place = std::tuple<home, std::size_t>;
class reader_calls : public testing::TestWithParam<place> {};
INSTANTIATE_TEST_SUITE_P(all, reader_calls,
                         testing::Combine(testing::ValuesIn(homes),
                                          testing::ValuesIn(window_sizes)),
                         [](const auto& which) {
                           return testing::PrintToString(std::get<0>(which.param)) + "_" +
                                  std::to_string(std::get<1>(which.param));
                         });

TEST_P(reader_calls, in_any_sequence_are_like_a_strings) {
  const auto [where, window] = GetParam();
  std::mt19937 random(static_cast<unsigned>(where) * 100 + static_cast<unsigned>(window));
  for (int round = 0; round != rounds(60); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    compared_reader reader(random, where, window, static_cast<unsigned>(round));
    ASSERT_NO_FATAL_FAILURE(make_calls(reader, random, kinds, 400));
  }
}

TEST(reader_calls, take_bytes_of_each_kind) {
  const std::string text = "abcdefghijkl";
  leat::memory_reader from(text);
  std::error_code ec;
  std::vector<std::byte> bytes(3);
  std::vector<unsigned char> numbers(3);
  from.read_exactly(bytes, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(bytes.back(), std::byte{'c'});
  from.read_exactly(numbers, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(numbers.back(), 'f');
  EXPECT_EQ(from.read(std::span(numbers), ec), 3U);
  EXPECT_FALSE(ec);
  EXPECT_EQ(numbers.back(), 'i');
  from.read_exactly(std::span(bytes), ec);
  EXPECT_EQ(bytes.back(), std::byte{'l'});
  from.read_exactly(std::span(numbers), ec);
  EXPECT_TRUE(ec) << "it has ended";
}

}  // namespace
