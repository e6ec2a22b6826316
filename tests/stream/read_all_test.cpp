// read_all: the rest of the input as one text.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <string>

#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

TEST(reader_read_all, returns_all_unread_bytes) {
  for (const std::size_t size : {0u, 1u, 5u, 100'000u}) {
    const std::string text = numbered_text(size);
    for (const reader_kind kind : reader_kinds) {
      for (const std::size_t buffer : {std::size_t{7}, std::size_t{0}}) {
        SCOPED_TRACE(testing::Message() << size << ", " << kind << ", buffer " << buffer);
        test_reader whole(kind, text, buffer), rest(kind, text, buffer);
        EXPECT_TRUE(whole.get().read_all() == text);
        EXPECT_EQ(whole.get().tell(), size);
        EXPECT_EQ(whole.get().read_all(), "");
        const auto skipped = static_cast<std::size_t>(rest.get().skip(3));
        std::error_code ec = leat::errc::closed;
        EXPECT_TRUE(rest.get().read_all(ec) == text.substr(skipped));
        EXPECT_FALSE(ec);
      }
    }
  }
}

TEST(reader_read_all, window_limit_limits_read_all) {
  const temporary_folder folder;
  for (const std::size_t size : {0u, 10u, 60'000u, 65'536u, 300'000u}) {
    const std::string text = numbered_text(size);
    write_file(folder / "f", text);
    auto in = leat::open(folder / "f", {.window_limit = 65'536});
    std::error_code ec;
    const bool fits = size <= 65'536;
    EXPECT_TRUE(in.read_all(1'000'000, ec) == (fits ? text : "")) << size;
    EXPECT_EQ(ec, fits ? std::error_code() : make_error_code(leat::errc::input_too_long));
    EXPECT_EQ(in.tell(), fits ? size : 0);
  }
}

TEST(reader_read_all, reads_no_bytes_of_an_input_that_is_too_long) {
  const std::string text = numbered_text(20'000);
  for (const reader_kind kind : reader_kinds) {
    SCOPED_TRACE(testing::Message() << kind);
    test_reader r(kind, text);
    leat::reader& in = r.get();
    in.skip(10);
    try {
      static_cast<void>(in.read_all(text.size() - 11));
      ADD_FAILURE();
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.code(), leat::errc::input_too_long);
      EXPECT_EQ(error.offset(), 10u);
    }
    std::error_code ec;
    EXPECT_EQ(in.read_all(0, ec), "");
    EXPECT_EQ(ec, leat::errc::input_too_long);
    EXPECT_EQ(in.tell(), 10u);
    EXPECT_TRUE(in.read_all(text.size() - 10, ec) == text.substr(10));
    EXPECT_FALSE(ec);
    EXPECT_EQ(in.read_all(0), "");
  }
}

TEST(reader_read_all, reports_a_failed_read) {
  for (const std::size_t buffer : buffer_sizes) {
    for (const std::size_t limit : {std::size_t{1000}, std::numeric_limits<std::size_t>::max()}) {
      auto script = new_script();
      script->content = "one two three";
      script->read_limit = 10;
      leat::file_reader in(device_of(script), {.buffer_size = buffer});
      std::error_code ec;
      EXPECT_EQ(in.read_all(limit, ec), "one two th");
      EXPECT_EQ(ec, std::errc::io_error);
      EXPECT_THROW(static_cast<void>(in.read_all(limit)), leat::io_error);
    }
  }
}

TEST(reader_read_all, reads_mappings_and_streams_and_fails_on_closed_readers) {
  const temporary_folder folder;
  leat::write_file(folder / "text", "content");
  EXPECT_EQ(leat::map_file(folder / "text").read_all(), "content");
  auto both = leat::update(folder / "text");
  both.write("C");
  both.flush();
  EXPECT_EQ(both.read_all(), "ontent");
  EXPECT_EQ(leat::open(folder / "text").read_all(7), "Content");
  std::error_code ec;
  EXPECT_EQ(leat::file_reader().read_all(ec), "");
  EXPECT_EQ(ec, leat::errc::closed);
}

}  // namespace
