// Readers of every kind: the same bytes by each call, and the errors of a closed reader.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

using reader_case = std::tuple<reader_kind, std::size_t>;
class every_reader : public testing::TestWithParam<reader_case> {
 protected:
  reader_kind kind() const { return std::get<0>(GetParam()); }
  std::size_t buffer() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(all, every_reader,
                         testing::Combine(testing::ValuesIn(reader_kinds),
                                          testing::ValuesIn(buffer_sizes)),
                         [](const auto& test_case) {
                           return testing::PrintToString(std::get<0>(test_case.param)) + "_" +
                                  std::to_string(std::get<1>(test_case.param));
                         });

TEST_P(every_reader, get_returns_all_bytes) {
  const std::string text = std::string("\xff\0\x80", 3) + numbered_text(20000);
  test_reader r(kind(), text, buffer());
  std::string got;
  for (int c; (c = r.get().get()) != leat::reader::end_of_file;) got += static_cast<char>(c);
  EXPECT_EQ(got, text);
  EXPECT_EQ(r.get().get(), leat::reader::end_of_file);
  EXPECT_EQ(r.get().tell(), text.size());
}

TEST_P(every_reader, window_returns_all_bytes) {
  const std::string text = numbered_text(static_cast<std::size_t>(rounds(700001)));
  test_reader r(kind(), text, buffer());
  std::string got;
  for (auto w = r.get().window(); !w.empty(); w = r.get().window()) {
    const std::size_t part = (w.size() + 1) / 2;
    got.append(w.substr(0, part));
    r.get().skip(part);
  }
  EXPECT_EQ(got, text);
}

TEST_P(every_reader, peek_of_more_bytes_than_are_left_returns_the_rest) {
  const std::string text = numbered_text(30000);
  test_reader r(kind(), text, buffer());
  EXPECT_EQ(r.get().peek(0), "");
  EXPECT_EQ(r.get().peek(10), text.substr(0, 10));
  EXPECT_EQ(r.get().peek(std::numeric_limits<std::size_t>::max()), text);
  EXPECT_EQ(r.get().skip(29999), 29999u);
  EXPECT_EQ(r.get().peek(std::numeric_limits<std::size_t>::max()), text.substr(29999));
  EXPECT_EQ(r.get().skip(std::numeric_limits<std::uint64_t>::max()), 1u);
  EXPECT_EQ(r.get().peek(std::numeric_limits<std::size_t>::max()), "");
  EXPECT_EQ(r.get().skip(1), 0u);
}

TEST(memory_reader, reads_strings_views_and_bytes) {
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

TEST_P(every_reader, calls_after_close_report_that_the_reader_is_closed) {
  test_reader r(kind(), "0123456789", buffer());
  EXPECT_EQ(r.get().get(), '0');
  r.get().close();
  expect_closed(r.get());
}

TEST(reader, reports_a_peek_beyond_the_window_limit) {
  constexpr std::size_t limit = std::size_t{64} << 10;
  const std::string text(5 * limit, '\n');
  leat::file_reader in(std::make_unique<leat::memory_device>(text), {.window_limit = limit});
  EXPECT_EQ(in.get(), '\n');
  std::error_code ec;
  EXPECT_EQ(in.peek(2 * limit, ec), "");
  EXPECT_EQ(ec, leat::errc::input_too_long);
  EXPECT_THROW(in.peek(2 * limit), leat::io_error);
  EXPECT_EQ(in.peek(limit).size(), limit);
  std::size_t lines = 0;
  for ([[maybe_unused]] const auto line : in.lines()) ++lines;
  EXPECT_EQ(lines, text.size() - 1);
  in.close(ec);
  EXPECT_FALSE(ec) << "peek() has reported its failure";
}

TEST(reader, is_closed_if_moved_from_or_never_opened) {
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
