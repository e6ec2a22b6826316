// Streams, files of records, lists and errors over a real store.
#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "remote/store.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"

namespace {

using objects = leat_test::with_store;
using leat_test::store;

/// Lines of random length.
std::string some_lines(std::size_t size) {
  std::minstd_rand random(1);
  std::string text;
  while (text.size() < size) {
    text.append(random() % 100, static_cast<char>('a' + random() % 26));
    text += '\n';
  }
  return text;
}

TEST_F(objects, are_written_and_read_as_files_are) {
  const std::size_t uploads = at().open_uploads();
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 1000, 300'000, 9 << 20, 40 << 20}) {
    const std::string text = size < 2 ? std::string(size, 'x') : some_lines(size);
    {
      auto out = leat::create("s3://bucket/folder/a file+1=.txt");
      out.write(text);
      EXPECT_FALSE(at().has("folder/a file+1=.txt")) << "it appears with close()";
      out.close();
    }
    EXPECT_TRUE(at().get("folder/a file+1=.txt") == text) << size;
    EXPECT_TRUE(leat::read_file("s3://bucket/folder/a file+1=.txt") == text) << size;
    leat::remote::remove("s3://bucket/folder/a file+1=.txt");
    EXPECT_FALSE(at().has("folder/a file+1=.txt"));
  }
  EXPECT_EQ(at().open_uploads(), uploads);
}

TEST_F(objects, have_lines_searches_and_positions) {
  std::string text = some_lines(20 << 20);
  text += "the needle\n";
  text += some_lines(1 << 20);
  at().put("text", text);
  auto in = leat::open("s3://bucket/text");
  EXPECT_EQ(in.size(), text.size());
  std::size_t lines = 0;
  for ([[maybe_unused]] const auto line : in.lines()) ++lines;
  EXPECT_EQ(lines, static_cast<std::size_t>(std::ranges::count(text, '\n')));
  in.seek(5);
  ASSERT_TRUE(in.find("the needle"));
  EXPECT_EQ(in.tell(), text.find("the needle"));
  std::minstd_rand random(2);
  for (int i = 0; i != 100; ++i) {
    const std::size_t place = random() % text.size();
    in.seek(place);
    EXPECT_EQ(in.get(), static_cast<unsigned char>(text[place]));
  }
  in.seek(text.size());
  EXPECT_LT(in.get(), 0);
}

TEST_F(objects, are_gathered_from) {
  std::vector<std::uint32_t> numbers(3 << 20);
  for (std::size_t i = 0; i != numbers.size(); ++i)
    numbers[i] = static_cast<std::uint32_t>(i * 2654435761U);
  at().put("numbers", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  const auto file = leat::records<std::uint32_t>::open("s3://bucket/numbers");
  EXPECT_EQ(file.size(), numbers.size());
  for (const std::size_t count : std::vector<std::size_t>{1, 10, 300, 5000}) {
    std::mt19937_64 random(count);
    std::vector<std::uint64_t> places(count);
    for (auto& place : places) place = random() % numbers.size();
    std::vector<std::uint32_t> got(count);
    file.gather(places, got);
    for (std::size_t i = 0; i != count; ++i) ASSERT_EQ(got[i], numbers[places[i]]);
  }
}

TEST_F(objects, are_copied) {
  const std::string text = some_lines(100'000);
  const leat_test::temporary_folder folder;
  leat::write_file(folder / "file", text);
  EXPECT_EQ(leat::copy_file(folder / "file", "s3://bucket/copy"), text.size());
  EXPECT_EQ(leat::copy_file("s3://bucket/copy", "s3://bucket/copy2"), text.size());
  EXPECT_EQ(leat::copy_file("s3://bucket/copy2", folder / "back"), text.size());
  EXPECT_EQ(leat_test::read_all(folder / "back"), text);
  EXPECT_EQ(leat::map_file("s3://bucket/copy").view(), text);
}

TEST_F(objects, are_c_streams_too) {
  leat_file* out = leat_open("s3://bucket/c", "w", nullptr);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(leat_fprintf(out, "%d\n", 42), 3);
  EXPECT_EQ(leat_fclose(out), 0);
  leat_file* in = leat_open("s3://bucket/c", "r", nullptr);
  ASSERT_NE(in, nullptr);
  int number = 0;
  EXPECT_EQ(leat_fscanf(in, "%d", &number), 1);
  EXPECT_EQ(number, 42);
  EXPECT_EQ(leat_fclose(in), 0);
  for (const char* mode : {"a", "r+", "w+"}) {
    EXPECT_EQ(leat_open("s3://bucket/c", mode, nullptr), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP) << mode;
  }
  leat_options here{};
  here.only_files = 1;
  EXPECT_EQ(leat_open("s3://bucket/c", "r", &here), nullptr);
  EXPECT_EQ(errno, EACCES);
}

TEST_F(objects, do_not_appear_without_close) {
  const std::size_t uploads = at().open_uploads();
  const leat_test::loss_recorder losses;
  {
    auto out = leat::create("s3://bucket/unfinished");
    out.write(std::string(20 << 20, 'x'));
  }
  EXPECT_FALSE(at().has("unfinished"));
  EXPECT_EQ(at().open_uploads(), uploads);
}

TEST_F(objects, leave_uploads_that_are_found_and_aborted) {
  const auto child = leat_test::run_in_child([] {
    auto out = leat::create("s3://bucket/killed/a b", {.buffer_size = 65536});
    out.write(std::string(9 << 20, 'x'));
    out.flush();
    ::raise(SIGKILL);
  });
  EXPECT_EQ(child.signal, SIGKILL);
  const auto left = leat::remote::uploads("s3://bucket/killed/");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].address, "s3://bucket/killed/a b");
  EXPECT_FALSE(left[0].begun.empty());
  leat::remote::abort(left[0]);
  EXPECT_TRUE(leat::remote::uploads("s3://bucket/killed/").empty());
  EXPECT_THROW(leat::remote::abort(left[0]), leat::io_error);
}

TEST_F(objects, are_listed_in_pages) {
  std::vector<std::string> expected;
  for (int i = 0; i != 1005; ++i) {
    expected.push_back("s3://bucket/many/" + std::to_string(10'000 + i));
    at().put("many/" + std::to_string(10'000 + i), "");
  }
  std::vector<std::string> got;
  for (const auto& one : leat::remote::list("s3://bucket/many/")) got.push_back(one.address);
  EXPECT_EQ(got, expected);
}

TEST_F(objects, are_made_only_once_with_exclusive) {
  if (!at().keeps_exclusive(0)) GTEST_SKIP() << "the store ignores If-None-Match";
  const std::size_t uploads = at().open_uploads();
  leat::create("s3://bucket/once", {.exclusive = true}).close();
  std::error_code ec;
  const auto second = leat::create("s3://bucket/once", {.exclusive = true}, ec);
  EXPECT_EQ(ec, std::errc::file_exists);
  // The other one comes between opening and close().
  for (const std::size_t size : std::vector<std::size_t>{10, 9 << 20}) {
    if (!at().keeps_exclusive(size)) continue;
    leat::remote::remove("s3://bucket/once");
    auto slow = leat::create("s3://bucket/once", {.exclusive = true});
    slow.write(std::string(size, 's'));
    at().put("once", "quick");
    slow.close(ec);
    EXPECT_EQ(ec, std::errc::file_exists) << ec.message();
    EXPECT_TRUE(at().get("once") == "quick");
  }
  EXPECT_EQ(at().open_uploads(), uploads);
}

TEST_F(objects, that_change_under_a_reader_are_an_error) {
  at().put("changing", std::string(2 << 20, 'a'));
  auto in = leat::open("s3://bucket/changing");
  EXPECT_EQ(in.get(), 'a');
  at().put("changing", std::string(2 << 20, 'b'));
  std::error_code ec;
  const std::string rest = in.read_all(ec);
  EXPECT_EQ(ec, std::errc::state_not_recoverable);
  EXPECT_TRUE(leat::remote::answer_of(ec).changed);
  EXPECT_EQ(rest.find('b'), std::string::npos) << "a mix of both";
  EXPECT_NE(leat::message(ec, "read", "x").find("has changed since it was opened"),
            std::string::npos);
}

TEST_F(objects, are_listed) {
  std::vector<std::string> expected;
  for (int i = 0; i != 5; ++i) {
    const std::string key = "list/a & <b> é" + std::to_string(i);
    at().put(key, std::string(static_cast<std::size_t>(i), 'x'));
    expected.push_back("s3://bucket/" + key);
  }
  std::vector<std::string> got;
  for (const auto& one : leat::remote::list("s3://bucket/list/")) {
    EXPECT_EQ(one.size, got.size());
    EXPECT_FALSE(one.etag.empty());
    got.push_back(one.address);
    EXPECT_EQ(leat::read_file(one.address).size(), one.size);
  }
  EXPECT_EQ(got, expected);
}

TEST_F(objects, that_cannot_be_opened_say_why) {
  std::error_code ec;
  const auto why = [&](const char* address) {
    const auto in = leat::open(address, ec);
    EXPECT_TRUE(ec);
    return leat::message(ec, "open", address);
  };
  const std::string missing = why("s3://bucket/none");
  const std::string words = at().is_ours() ? "The specified key does not exist." : "";
  EXPECT_TRUE(missing.starts_with("cannot open 's3://bucket/none': " + words)) << missing;
  EXPECT_NE(missing.find(" (HTTP 404, NoSuchKey, request "), missing.npos) << missing;
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::remote::answer_of(ec).status, 404);
  EXPECT_EQ(leat::remote::answer_of(ec).code, "NoSuchKey");
  why("s3://none/key");
  EXPECT_EQ(leat::remote::answer_of(ec).code, "NoSuchBucket");
  const auto by_append = leat::append("s3://bucket/x", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto by_update = leat::update("s3://bucket/x", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto by_file = leat::file::open("s3://bucket/x", leat::mode::update, {}, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto local = leat::open("s3://bucket/x", {.remote = false}, ec);
  EXPECT_EQ(ec, leat::errc::not_local);

  auto wrong = at().how();
  wrong.login->secret_key = "a guess";
  leat::remote::set_defaults(wrong);
  const std::string refused = why("s3://bucket/none");
  EXPECT_EQ(ec, std::errc::permission_denied) << refused;
  EXPECT_EQ(refused.find("guess"), std::string::npos);
}

TEST_F(objects, are_read_by_http_too) {
  // A bucket's objects are not public, so this is an error of HTTP with a page that tells why.
  std::error_code ec;
  const std::string address =
      "http://127.0.0.1:" + std::to_string(at().port()) + "/bucket/none?x=y";
  const auto in = leat::open(address, ec);
  EXPECT_EQ(ec, std::errc::permission_denied) << ec.message();
  const auto out = leat::create(address, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

}  // namespace
