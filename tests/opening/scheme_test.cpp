// Schemes of addresses that a program registers, and addresses whose component is missing.
#include <leat/scheme.hpp>

#include <gtest/gtest.h>

#include <leat/leat.h>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "support/files.hpp"
#include "support/platform.hpp"

namespace {

/// One file for all addresses, and the last request to open the file. An address that ends with
/// "none" has no file.
struct text_scheme {
  inline static leat::volatile_file disk{std::string()};
  inline static std::string address;
  inline static leat::address_request last_request;

  static std::unique_ptr<leat::device> open(const leat::address_request& request,
                                            std::error_code& ec) noexcept {
    last_request = request;
    address = request.address;
    last_request.address = address;
    if (address.ends_with("none")) {
      ec = std::make_error_code(std::errc::no_such_file_or_directory);
      return nullptr;
    }
    return disk.open();
  }
};

class schemes : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(leat::register_scheme("texts", text_scheme::open)); }
};

TEST_F(schemes, open_addresses_if_the_scheme_is_registered) {
  {
    auto out = leat::create("texts://a/b", {.exclusive = true});
    out.write("12345678");
    out.close();
  }
  EXPECT_EQ(text_scheme::address, "texts://a/b");
  EXPECT_EQ(text_scheme::last_request.use, leat::address_use::create);
  EXPECT_TRUE(text_scheme::last_request.exclusive);
  EXPECT_EQ(leat::read_file("texts://a/b"), "12345678");
  EXPECT_EQ(leat::read_file("TeXTS://a/b"), "12345678") << "schemes are not case-sensitive";
  EXPECT_EQ(text_scheme::address, "TeXTS://a/b");
  EXPECT_EQ(text_scheme::last_request.use, leat::address_use::read);
  EXPECT_EQ(leat::map_file("texts://a/b").view(), "12345678");
  const auto file = leat::records<char>::open("texts://a/b");
  EXPECT_EQ(text_scheme::last_request.use, leat::address_use::read_random);
  EXPECT_EQ(file[3], '4');
  leat::replace("texts://a/b").close();
  EXPECT_EQ(text_scheme::last_request.use, leat::address_use::create);
  leat_file* const in = leat_open("texts://a/b", "r", nullptr);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(leat_fgetc(in), '1');
  leat_fclose(in);
  std::error_code ec;
  const auto none = leat::open("texts://none", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
}

TEST_F(schemes, are_refused_by_calls_and_options_that_need_a_file) {
  std::error_code ec;
  const auto expect_refusal = [&] {
    EXPECT_EQ(ec, std::errc::operation_not_supported) << ec.message();
    ec.clear();
  };
  const char* const address = "texts://a/b";
  const auto appending = leat::append(address, ec);
  expect_refusal();
  const auto updating = leat::update(address, ec);
  expect_refusal();
  const auto changing = leat::file::open(address, leat::mode::update, {}, ec);
  expect_refusal();
  const auto making = leat::file::create(address, {}, ec);
  expect_refusal();
  const auto alive = leat::open(address, {.live = true}, ec);
  expect_refusal();
  const auto direct = leat::open(address, {.caching = leat::caching::direct}, ec);
  expect_refusal();
  const auto kept = leat::create(address, {.durability = leat::durability::process}, ec);
  expect_refusal();
  const auto both = leat::create(address, {.readable = true}, ec);
  expect_refusal();
}

TEST_F(schemes, are_refused_if_the_caller_requests_local_files_only) {
  std::error_code ec;
  const auto expect_refusal = [&] {
    EXPECT_EQ(ec, leat::errc::not_local);
    EXPECT_EQ(ec, std::errc::permission_denied);
    ec.clear();
  };
  const auto reading = leat::open("texts://a", {.local_only = true}, ec);
  expect_refusal();
  const auto creating = leat::create("texts://a", {.local_only = true}, ec);
  expect_refusal();
  const auto replacing = leat::replace("texts://a", {.local_only = true}, ec);
  expect_refusal();
  const auto mapping = leat::map_file("texts://a", {.local_only = true}, ec);
  expect_refusal();
  const auto visiting = leat::file::open("texts://a", leat::mode::read, {.local_only = true}, ec);
  expect_refusal();
  const auto unknown = leat::open("s3://bucket/key", {.local_only = true}, ec);
  expect_refusal();
  leat_options options{};
  options.local_only = 1;
  EXPECT_EQ(leat_open("texts://a", "r", &options), nullptr);
  EXPECT_EQ(errno, EACCES);
}

TEST_F(schemes, of_missing_components_are_errors_that_name_the_component) {
  for (const char* const address : {"s3://bucket/key", "http://host/", "https://host/"}) {
    std::error_code ec;
    const auto in = leat::open(address, ec);
    EXPECT_EQ(ec, leat::errc::no_component);
    EXPECT_NE(ec.message().find("<leat/remote.hpp>"), std::string::npos);
    EXPECT_EQ(ec.message().find("<leat/codecs.hpp>"), std::string::npos);
    const auto out = leat::append(address, ec);
    EXPECT_EQ(ec, leat::errc::no_component);
  }
  EXPECT_EQ(leat_open("s3://bucket/key", "r", nullptr), nullptr);
  EXPECT_EQ(errno, ENOTSUP);
}

#if defined(HAS_POSIX_FILES)
TEST_F(schemes, that_are_not_registered_are_parts_of_a_path) {
  const leat_test::temporary_folder folder;
  std::error_code ec;
  const auto in = leat::open("gopher://host/path", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  leat::write_file(folder / "texts:", "a file");
  const leat::folder open_folder(folder.path());
  EXPECT_EQ(leat::read_file(open_folder.at("texts:")), "a file");
  const auto inside = leat::open(open_folder.at("texts://a"), ec);
  EXPECT_EQ(ec, std::errc::not_a_directory) << "a path inside a folder is no address";
}
#endif

}  // namespace
