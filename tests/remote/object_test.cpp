// Objects of a real store: as streams and files of records, with errors, forks and kills.
#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "remote/store.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"

namespace {

using objects = leat_test::with_store;
using leat_test::store;

/// Returns lines of random lengths, at least `size` bytes.
std::string some_lines(std::size_t size) {
  std::minstd_rand random(1);
  std::string text;
  while (text.size() < size) {
    text.append(random() % 100, static_cast<char>('a' + random() % 26));
    text += '\n';
  }
  return text;
}

/// Random calls, compared with a map of strings. The sizes are around the borders of buffers and
/// parts.
TEST_F(objects, random_calls_have_the_same_results_as_on_a_map_of_strings) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return std::size_t{random()} % n; };
  const auto size_near = [&](std::size_t border) { return border + below(3) - 1; };
  const std::string folder = "s3://bucket/model/";
  const std::array<std::string, 5> keys{"a", "a file+1=.txt", "b/c", "\xc3\xa4%20", "b/d"};
  constexpr std::array<std::size_t, 8> borders{1, 2, 4096, 65'536, 262'144, 1 << 20, 1000, 8 << 20};
  std::map<std::string, std::string> expected;
  const std::string all = some_lines((8 << 20) + 2);
  const std::size_t uploads = test_store().open_uploads();
  for (int round = 0; round != 600; ++round) {
    const std::string address = folder + keys[below(keys.size())];
    const auto known = expected.find(address);
    std::error_code ec;
    switch (below(6)) {
      case 0:
      case 1: {
        const std::size_t size = size_near(borders[below(below(8) == 0 ? 8 : 7)]);
        const std::string_view text = std::string_view(all).substr(0, size);
        const bool exclusive = below(4) == 0 && store::supports_exclusive(size);
        auto out = leat::create(address,
                                {.buffer_size = below(2) == 0 ? 0 : size_near(borders[below(6)]),
                                 .background = below(4) == 0,
                                 .exclusive = exclusive},
                                ec);
        if (ec) {
          ASSERT_TRUE(exclusive && known != expected.end()) << ec.message();
          ASSERT_EQ(ec, std::errc::file_exists);
          break;
        }
        for (std::string_view rest = text; !rest.empty();) {
          const auto piece = rest.substr(0, size_near(borders[below(7)]));
          out.write(piece);
          rest.remove_prefix(piece.size());
        }
        ASSERT_EQ(out.tell(), size);
        if (below(6) == 0) {
          out.discard();
          break;
        }
        if (known == expected.end()) {
          ASSERT_FALSE(test_store().has(address.substr(12))) << "the object exists before close()";
        }
        out.close();
        expected[address] = text;
        break;
      }
      case 2:
        leat::remote::remove(address);
        expected.erase(address);
        break;
      case 3: {
        std::map<std::string, std::size_t> found, sizes;
        for (const auto& one : leat::remote::list(folder)) found[one.address] = one.size;
        for (const auto& [name, text] : expected) sizes[name] = text.size();
        ASSERT_EQ(found, sizes);
        break;
      }
      case 4: {
        const auto file = leat::file::open(address, ec);
        ASSERT_EQ(!ec, known != expected.end()) << ec.message();
        if (ec) break;
        ASSERT_EQ(file.size(), known->second.size());
        for (int i = 0; i != 3; ++i) {
          const std::size_t begin = below(known->second.size() + 1);
          std::string some(below(known->second.size() - begin + 1), ' ');
          file.read_at(begin, std::span(some));
          ASSERT_TRUE(some == known->second.substr(begin, some.size()));
        }
        break;
      }
      default: {
        auto in = leat::open(address, {.buffer_size = below(2) == 0 ? 0 : size_near(4096)}, ec);
        ASSERT_EQ(!ec, known != expected.end()) << ec.message();
        if (ec) break;
        const std::string& text = known->second;
        ASSERT_EQ(in.size(), text.size());
        for (int i = 0; i != 4; ++i) {
          const std::size_t begin = below(text.size() + 1);
          in.seek(begin);
          std::string some(size_near(borders[below(5)]), ' ');
          some.resize(in.read(std::span(some)));
          ASSERT_TRUE(some == text.substr(begin, some.size()));
          ASSERT_EQ(in.tell(), begin + some.size());
          const auto line = text.find('\n', in.tell());
          ASSERT_EQ(in.find("\n"), line == text.npos ? std::nullopt : std::optional(line));
        }
        in.seek(0);
        ASSERT_TRUE(in.read_all() == text);
      }
    }
  }
  EXPECT_EQ(test_store().open_uploads(), uploads);
  for (const auto& [name, text] : expected) EXPECT_TRUE(leat::read_file(name) == text) << name;
}

TEST_F(objects, records_of_an_object_can_be_gathered) {
  std::vector<std::uint32_t> numbers(3 << 20);
  for (std::size_t i = 0; i != numbers.size(); ++i)
    numbers[i] = static_cast<std::uint32_t>(i * 2654435761U);
  test_store().put("numbers", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  const auto file = leat::records<std::uint32_t>::open("s3://bucket/numbers");
  EXPECT_EQ(file.size(), numbers.size());
  for (const std::size_t count : std::vector<std::size_t>{1, 10, 300, 5000}) {
    std::mt19937_64 random(count);
    std::vector<std::uint64_t> positions(count);
    for (auto& position : positions) position = random() % numbers.size();
    std::vector<std::uint32_t> got(count);
    file.gather(positions, got);
    for (std::size_t i = 0; i != count; ++i) ASSERT_EQ(got[i], numbers[positions[i]]);
  }
}

TEST_F(objects, traffic_counts_the_requests_and_bytes_of_objects) {
  const auto before = leat::remote::traffic();
  const std::string text = some_lines(100'000);
  test_store().put("counted", text);
  EXPECT_EQ(leat::read_file("s3://bucket/counted"), text);
  const auto now = leat::remote::traffic();
  EXPECT_EQ(now.requests, before.requests + 2);
  EXPECT_EQ(now.sent, before.sent + text.size());
  EXPECT_EQ(now.received, before.received + text.size());
}

TEST_F(objects, a_single_record_is_read_by_one_small_request) {
  const std::vector<std::uint32_t> numbers(1 << 20, 7);
  test_store().put("single", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  const auto file = leat::records<std::uint32_t>::open("s3://bucket/single");
  const auto before = leat::remote::traffic();
  for (const std::size_t i : {5U, 500'000U, 6U}) EXPECT_EQ(file[i], 7U);
  const auto now = leat::remote::traffic();
  EXPECT_EQ(now.requests, before.requests + 3);
  EXPECT_EQ(now.received, before.received + 12);
}

TEST_F(objects, can_be_changed_in_memory_in_mode_copy) {
  std::vector<std::uint32_t> numbers(1 << 20);
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  test_store().put("copied", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  auto file = leat::records<std::uint32_t>::open("s3://bucket/copied", leat::mode::copy);
  std::vector<std::uint32_t> positions(1000);
  std::minstd_rand random(3);
  for (auto& position : positions) position = static_cast<std::uint32_t>(random() % numbers.size());
  file.set(positions[0], 7);
  auto expected = positions;
  for (auto& value : expected)
    if (value == positions[0]) value = 7;
  EXPECT_EQ(file.gather(positions), expected);
}

/// A program may pause for longer than servers keep connections.
TEST_F(objects, can_be_read_after_an_idle_time) {
  const std::string text = some_lines(2 << 20);
  test_store().put("rested", text);
  auto settings = test_store().store_settings();
  settings.deadline = std::chrono::milliseconds(100);
  settings.retries = 0;
  std::error_code ec;
  leat::file_reader in(leat::remote::open({.address = "s3://bucket/rested"}, settings, ec));
  ASSERT_FALSE(ec) << ec.message();
  std::string got(300'000, ' ');
  ASSERT_EQ(in.read(std::span(got)), got.size());
  std::this_thread::sleep_for(std::chrono::seconds(3));
  got += in.read_all();
  EXPECT_TRUE(got == text);
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

TEST_F(objects, can_be_opened_as_c_streams) {
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
  leat_options options{};
  options.local_only = 1;
  EXPECT_EQ(leat_open("s3://bucket/c", "r", &options), nullptr);
  EXPECT_EQ(errno, EACCES);
}

TEST_F(objects, a_batch_reports_its_cost_in_dollars) {
  test_store().put("dear", std::string(8 << 20, 'x'));
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i != 10; ++i) positions.push_back(i * 200'000);
  auto settings = test_store().store_settings();
  const auto dollars = [&](const leat::remote::prices& prices) {
    settings.prices = prices;
    leat::remote::set_defaults(settings);
    const auto file =
        leat::records<std::uint32_t>::open("s3://bucket/dear", leat::mode::read,
                                           {.access = {.route = leat::route::merged, .gap = 4096}});
    EXPECT_EQ(file.last_plan().dollars, 0);
    static_cast<void>(file.gather(positions));
    EXPECT_EQ(file.last_plan().requests, 10U);
    return file.last_plan().dollars;
  };
  EXPECT_EQ(dollars({.per_read = 1, .per_write = 100, .per_gigabyte_read = 0}), 10);
  EXPECT_DOUBLE_EQ(dollars({.per_read = 0, .per_write = 100, .per_gigabyte_read = 1e9}), 40);
  EXPECT_NEAR(dollars({}), 10 * 0.0004 / 1000 + 40e-9 * 0.09, 1e-15);

  std::error_code ec;
  settings.prices = {.per_read = 1, .per_write = 100, .per_gigabyte_read = 0};
  leat::remote::set_defaults(settings);
  const auto device = leat::remote::open(
      {.address = "s3://bucket/dear", .use = leat::address_use::create}, settings, ec);
  const std::string_view text = "text";
  device->write_at(0, {&text, 1}, ec);
  EXPECT_EQ(device->cost(), 0);
  device->close(ec);
  EXPECT_EQ(device->cost(), 100);
}

TEST_F(objects, writers_refuse_to_seek_and_patch) {
  std::error_code ec;
  auto out = leat::create("s3://bucket/in order");
  out.write("text");
  out.seek(0, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  out.patch(0, "T", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(out.tell(), 4U);
  out.close();
  EXPECT_EQ(test_store().get("in order"), "text");

  const auto device = [&](leat::address_use use) {
    return leat::remote::open({.address = "s3://bucket/in order", .use = use},
                              test_store().store_settings(), ec);
  };
  const auto code_of = [](const auto& opens) {
    try {
      opens();
    } catch (const leat::io_error& error) {
      return error.code();
    }
    return std::error_code();
  };
  for (const leat::mode mode : {leat::mode::update, leat::mode::read})
    EXPECT_EQ(code_of([&] { const leat::file refused(device(leat::address_use::create), mode); }),
              std::errc::operation_not_supported);
  EXPECT_EQ(code_of([&] { const leat::file_stream refused(device(leat::address_use::create)); }),
            std::errc::operation_not_supported);
  leat::file object(device(leat::address_use::read_random));
  object.write_at(0, "T", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(test_store().get("in order"), "text");

  leat_file* const f = leat_open("s3://bucket/in order", "w", nullptr);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_fprintf(f, "other"), 5);
  for (const int whence : {SEEK_SET, SEEK_CUR, SEEK_END}) {
    errno = 0;
    EXPECT_EQ(leat_fseek(f, 1, whence), -1);
    EXPECT_EQ(errno, EOPNOTSUPP);
  }
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(test_store().get("in order"), "other");
}

TEST_F(objects, do_not_appear_without_close) {
  const std::size_t uploads = test_store().open_uploads();
  const leat_test::loss_recorder losses;
  {
    auto out = leat::create("s3://bucket/unfinished");
    out.write(std::string(20 << 20, 'x'));
  }
  EXPECT_FALSE(test_store().has("unfinished"));
  EXPECT_EQ(test_store().open_uploads(), uploads);
}

/// At exit the program can no longer say that the object is complete.
TEST_F(objects, do_not_appear_at_exit) {
  const std::size_t uploads = test_store().open_uploads();
  for (const bool throws : {false, true}) {
    const auto child = leat_test::run_in_child([throws] {
      try {
        auto out = leat::create("s3://bucket/unfinished", {.buffer_size = 65536});
        out.write(std::string(20 << 20, 'x'));
        if (!throws) std::exit(0);
        throw std::runtime_error("the program ends");
      } catch (const std::runtime_error&) {
        std::exit(0);
      }
    });
    // A child does not free its parent's connections: the address sanitizer reports a leak.
    if (!leat_test::sanitized) {
      EXPECT_EQ(child.code, throws ? 0 : 1)
          << "exit() reports dropped bytes by its status: " << child.err;
    }
    EXPECT_EQ(child.signal, 0);
    EXPECT_FALSE(test_store().has("unfinished"));
    EXPECT_EQ(test_store().open_uploads(), uploads);
  }
}

TEST_F(objects, a_forked_child_can_not_write_objects_of_its_parent) {
  std::optional<leat::file_writer> out = leat::create("s3://bucket/of parent");
  const std::string text = some_lines(20 << 20);
  out->write(text);
  for (const std::string_view calls : {"", "c", "wc"}) {
    const auto child = leat_test::run_in_child([&] {
      std::error_code ec;
      if (calls == "wc") out->write("x");
      if (!calls.empty()) out->close(ec);
      out.reset();
      ::_exit(ec == std::errc::operation_not_permitted ? 3 : 0);
    });
    EXPECT_EQ(child.signal, 0) << child.err;
    EXPECT_EQ(child.code, calls.empty() ? 0 : 3) << calls << child.err;
  }
  EXPECT_FALSE(test_store().has("of parent"));
  out->close();
  EXPECT_TRUE(test_store().get("of parent") == text);
}

TEST_F(objects, of_killed_programs_leave_uploads_that_can_be_aborted) {
  const auto child = leat_test::run_in_child([] {
    auto out = leat::create("s3://bucket/killed/a b", {.buffer_size = 65536});
    out.write(std::string(9 << 20, 'x'));
    out.sync();  // a part that is still being sent would reappear after the abort of the upload
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

TEST_F(objects, are_created_only_once_with_exclusive) {
  std::error_code ec;
  if (!test_store().supports_exclusive(0)) {
    const auto refused = leat::create("s3://bucket/once", {.exclusive = true}, ec);
    EXPECT_EQ(ec, std::errc::operation_not_supported) << ec.message();
    EXPECT_FALSE(test_store().has("once"));
    return;
  }
  const std::size_t uploads = test_store().open_uploads();
  leat::create("s3://bucket/once", {.exclusive = true}).close();
  const auto second = leat::create("s3://bucket/once", {.exclusive = true}, ec);
  EXPECT_EQ(ec, std::errc::file_exists);
  // Another writer creates the object between open and close.
  for (const std::size_t size : std::vector<std::size_t>{10, 9 << 20}) {
    if (!test_store().supports_exclusive(size)) continue;
    leat::remote::remove("s3://bucket/once");
    auto slow = leat::create("s3://bucket/once", {.exclusive = true});
    slow.write(std::string(size, 's'));
    test_store().put("once", "quick");
    slow.close(ec);
    EXPECT_EQ(ec, std::errc::file_exists) << ec.message();
    EXPECT_TRUE(test_store().get("once") == "quick");
  }
  EXPECT_EQ(test_store().open_uploads(), uploads);
}

TEST_F(objects, that_change_under_a_reader_are_an_error) {
  test_store().put("changing", std::string(2 << 20, 'a'));
  auto in = leat::open("s3://bucket/changing");
  EXPECT_EQ(in.get(), 'a');
  test_store().put("changing", std::string(2 << 20, 'b'));
  std::error_code ec;
  const std::string rest = in.read_all(ec);
  EXPECT_EQ(ec, std::errc::state_not_recoverable);
  EXPECT_TRUE(leat::remote::answer_of(ec).changed);
  EXPECT_EQ(rest.find('b'), std::string::npos) << "bytes of the new object were read";
  EXPECT_NE(leat::message(ec, "read", "x").find("has changed since it was opened"),
            std::string::npos);
}

/// A request without a key would concern the bucket: PUT creates it, DELETE removes it.
TEST_F(objects, without_a_key_are_refused) {
  for (const char* address : {"s3://another", "s3://another/"}) {
    std::error_code ec;
    const auto created = leat::create(address, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    leat::remote::remove(address, test_store().store_settings(), ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    leat::remote::abort({.address = address, .id = "x", .begun = ""}, test_store().store_settings(),
                        ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    const auto read = leat::open(address, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_NE(ec.message().find("has no key"), std::string::npos) << ec.message();
  }
}

TEST_F(objects, that_cannot_be_opened_are_errors_with_the_reason) {
  std::error_code ec;
  const auto error_message = [&](const char* address) {
    const auto in = leat::open(address, ec);
    EXPECT_TRUE(ec);
    return leat::message(ec, "open", address);
  };
  const std::string missing = error_message("s3://bucket/none");
  const std::string words =
      test_store().is_started_here() ? "The specified key does not exist." : "";
  EXPECT_TRUE(missing.starts_with("cannot open 's3://bucket/none': " + words)) << missing;
  EXPECT_NE(missing.find(" (HTTP 404, NoSuchKey"), missing.npos) << missing;
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::remote::answer_of(ec).status, 404);
  EXPECT_EQ(leat::remote::answer_of(ec).code, "NoSuchKey");
  error_message("s3://none/key");
  EXPECT_EQ(leat::remote::answer_of(ec).code, "NoSuchBucket");
  const auto by_append = leat::append("s3://bucket/x", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto by_update = leat::update("s3://bucket/x", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto by_file = leat::file::open("s3://bucket/x", leat::mode::update, {}, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto local = leat::open("s3://bucket/x", {.local_only = true}, ec);
  EXPECT_EQ(ec, leat::errc::not_local);

  auto wrong = test_store().store_settings();
  wrong.login->secret_key = "a guess";
  leat::remote::set_defaults(wrong);
  const std::string refused = error_message("s3://bucket/none");
  EXPECT_EQ(ec, std::errc::permission_denied) << refused;
  EXPECT_EQ(refused.find("guess"), std::string::npos);
}

TEST_F(objects, private_objects_are_refused_over_http_without_credentials) {
  // The objects of the bucket are not public, so the store answers with an error and the reason.
  std::error_code ec;
  const std::string address =
      "http://127.0.0.1:" + std::to_string(test_store().port()) + "/bucket/none?x=y";
  const auto in = leat::open(address, ec);
  EXPECT_EQ(ec, std::errc::permission_denied) << ec.message();
  const auto out = leat::create(address, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

}  // namespace
