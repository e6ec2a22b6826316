// io_error, error codes, messages with escaped paths and addresses, and the loss handler.
#include <gtest/gtest.h>
#include <leat/error.hpp>
#include <leat/file_stream.hpp>

#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

std::string text_of(const leat::failure& failure, std::string_view path) {
  return leat::io_error(failure, path).what();
}

const std::error_code no_space = std::make_error_code(std::errc::no_space_on_device);

TEST(io_error, reports_what_failed_where_and_how_many_bytes_are_missing) {
  EXPECT_EQ(text_of({no_space, "write", 12288, 1036288}, "out.csv"),
            "cannot write 'out.csv': No space left on device "
            "(at byte 12288, 1036288 bytes not written)");
  EXPECT_EQ(text_of({no_space, "write", 0, 0}, "x"),
            "cannot write 'x': No space left on device (at byte 0)");
  EXPECT_EQ(text_of({no_space, "replace", leat::failure::no_offset, 5}, "x"),
            "cannot replace 'x': No space left on device (5 bytes not written)");
  EXPECT_EQ(text_of({no_space, "replace", leat::failure::no_offset, 1}, "x"),
            "cannot replace 'x': No space left on device (1 byte not written)");
  EXPECT_EQ(text_of({std::make_error_code(std::errc::no_such_file_or_directory), "open",
                     leat::failure::no_offset, 0},
                    "a/b"),
            "cannot open 'a/b': No such file or directory");
}

TEST(io_error, escapes_characters_that_control_terminals_or_hide_text) {
  const auto shown = [](std::string_view path) {
    const std::string text = text_of({no_space, "open"}, path);
    return text.substr(13, text.size() - 13 - std::string("': No space left on device").size());
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(shown("a\nb\tc\rd\0e"sv), "a\\nb\\tc\\rd\\0e");
  EXPECT_EQ(shown("\x1b[31mred\a\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(shown("a\u009bb\u0085"), "a\\u009bb\\u0085");
  EXPECT_EQ(shown("a\u202eb\u2028\u2029\u2066\u2069\u200f\u061c"),
            "a\\u202eb\\u2028\\u2029\\u2066\\u2069\\u200f\\u061c");
  // Invalid UTF-8: a single byte, truncated, overlong, a surrogate, too large.
  EXPECT_EQ(shown("a\xffz\xe4"), "a\\xffz\\xe4");
  EXPECT_EQ(shown("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(shown("\xc0\x8a\xe0\x80\x8a"), "\\xc0\\x8a\\xe0\\x80\\x8a");
  EXPECT_EQ(shown("\xed\xa0\x80\xf4\x90\x80\x80"), "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  // All other text is unchanged.
  for (const std::string_view path :
       {"C:\\new\\text", "päth €\U0001F600", "'quoted' \"twice\"", "\u00a0\u200d", ""})
    EXPECT_EQ(shown(path), path);
  EXPECT_EQ(leat::io_error({no_space, "open"}, "a\nb").path(), "a\nb");
  EXPECT_EQ(leat::message(no_space, "open", "a\nb"),
            "cannot open 'a\\nb': No space left on device");
}

TEST(io_error, has_all_parts_of_the_failure_and_can_be_copied) {
  const leat::io_error error({no_space, "write", 7, 9}, "päth");
  leat::io_error copy = error;
  EXPECT_EQ(copy.code(), no_space);
  EXPECT_EQ(copy.path(), "päth");
  EXPECT_STREQ(copy.operation(), "write");
  EXPECT_EQ(copy.offset(), 7u);
  EXPECT_EQ(copy.unwritten(), 9u);
  EXPECT_STREQ(copy.what(), error.what());
  static_assert(std::is_nothrow_copy_constructible_v<leat::io_error>);
  static_assert(std::is_base_of_v<std::system_error, leat::io_error>);
  copy = leat::io_error({leat::errc::closed, "flush", 0, 0}, "other");
  EXPECT_EQ(copy.path(), "other");
  EXPECT_EQ(error.path(), "päth");
  const auto kept = std::make_exception_ptr(error);
  try {
    std::rethrow_exception(kept);
  } catch (const std::system_error& caught) {
    EXPECT_STREQ(caught.what(), error.what());
  }
}

TEST(error_codes, each_have_their_own_message_and_the_category_leat) {
  EXPECT_STREQ(leat::error_category().name(), "leat");
  EXPECT_EQ(std::error_code(leat::errc::closed).message(), "The stream is closed");
  EXPECT_EQ(std::error_code(leat::errc::no_progress).message(), "The device makes no progress");
  EXPECT_EQ(std::error_code(leat::errc::not_committed).message(),
            "The stream was left without close()");
  EXPECT_EQ(std::error_code(leat::errc::memory_full).message(), "The memory is full");
  EXPECT_EQ(leat::error_category().message(77), "Unknown error 77");
  std::set<std::string> messages;
  constexpr int last = static_cast<int>(leat::errc::no_codecs);
  for (int code = 1; code <= last; ++code) messages.insert(leat::error_category().message(code));
  EXPECT_EQ(messages.size(), static_cast<std::size_t>(last));
  EXPECT_FALSE(messages.contains("Unknown error " + std::to_string(last)));
  EXPECT_NE(std::error_code(leat::errc::closed), std::error_code(1, std::generic_category()));
  EXPECT_FALSE(leat::failure{});
  EXPECT_TRUE((leat::failure{leat::errc::closed}));
}

#if defined(HAS_FORK)
TEST(loss_handler, prints_a_line_to_standard_error_by_default) {
  const auto child = run_in_child([] {
    auto script = new_script();
    script->room = 0;
    leat::file_writer out(device_of(script), {}, "out.csv");
    out.write("abc");
  });
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.err,
            "leat: cannot write 'out.csv': No space left on device "
            "(at byte 0, 3 bytes not written)\n");
}
#endif

void ignore_loss(const leat::io_error&) noexcept {}

TEST(loss_handler, can_be_set_and_restored) {
  const leat::loss_handler standard = leat::set_loss_handler(ignore_loss);
  EXPECT_NE(standard, nullptr);
  EXPECT_EQ(leat::set_loss_handler(nullptr), ignore_loss);
  EXPECT_EQ(leat::set_loss_handler(standard), standard) << "null restores the default";
}

TEST(io_error, of_a_failed_open_names_the_path) {
  const temporary_folder folder;
  try {
    leat::create(folder / "missing/file").close();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.path(), folder / "missing/file");
    EXPECT_STREQ(error.operation(), "open");
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error.what(),
              "cannot open '" + (folder / "missing/file") + "': " + error.code().message());
  }
}

TEST(io_error, shows_a_nul_in_a_path_escaped) {
  const leat::io_error error({std::make_error_code(std::errc::invalid_argument), "open"},
                             std::string_view("a\0b", 3));
  EXPECT_STREQ(error.what(), "cannot open 'a\\0b': Invalid argument");
}

TEST(message, equals_the_text_of_the_exception) {
  std::error_code ec;
  const std::string path = "/no/such/file";
  static_cast<void>(leat::open(path, ec));
  ASSERT_TRUE(ec);
  try {
    static_cast<void>(leat::open(path));
    FAIL() << "the call must throw a leat::io_error";
  } catch (const leat::io_error& error) {
    EXPECT_EQ(leat::message(ec, "open", path), error.what());
  }
}

TEST(io_error, leaves_passwords_of_addresses_out) {
  constexpr std::pair<const char*, const char*> cases[] = {
      {"https://me:secret@host/a@b", "https://...@host/a@b"},
      {"https://me:se:cr@et@host:8080/a", "https://...@host:8080/a"},
      {"https://token@host", "https://...@host"},
      {"s3://key:sec/ret@bucket/a", "s3://...@bucket/a"},
      {"copy 'http://me:secret@host/' and \"http://a:b@c\"",
       "copy 'http://...@host/' and \"http://...@c\""},
      // Addresses without a password.
      {"https://host:8080/a@b", "https://host:8080/a@b"},
      {"https://host/a:b@c", "https://host/a:b@c"},
      {"https://host/?to=me@there", "https://host/?to=me@there"},
      {"http://[::1]:80/a@b", "http://[::1]:80/a@b"},
      {"a@b", "a@b"},
      {"://", "://"},
  };
  for (const auto& [address, shown] : cases) {
    EXPECT_EQ(leat::detail::escaped(address), shown);
    const leat::io_error error({std::make_error_code(std::errc::invalid_argument), "open"},
                               address);
    EXPECT_EQ(error.path(), address);
    EXPECT_NE(std::string_view(error.what()).find(shown), std::string_view::npos) << error.what();
  }
}

TEST(escaped, cuts_texts_at_the_limit_and_adds_three_dots) {
  EXPECT_EQ(leat::detail::escaped("abc", 3), "abc");
  EXPECT_EQ(leat::detail::escaped("abcd", 3), "abc...");
  EXPECT_EQ(leat::detail::escaped("ab\n", 3), "ab...");
  EXPECT_EQ(leat::detail::escaped("", 0), "");
  EXPECT_EQ(leat::detail::escaped("a", 0), "...");
  EXPECT_TRUE(leat::detail::is_utf8("a\u00e4\u20ac\U0001f600"));
  for (const char* const text :
       {"\x80", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80\x80\x80"})
    EXPECT_FALSE(leat::detail::is_utf8(text));
}

}  // namespace
