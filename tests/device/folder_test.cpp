// leat::folder: a path leads to a file of the folder, or to an error.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <chrono>

#include "support/c_options.hpp"
#include "support/platform.hpp"

#if defined(HAS_POSIX_FILES)
#  include <fcntl.h>
#  include <sys/socket.h>
#  include <sys/stat.h>
#  include <sys/un.h>
#  include <unistd.h>

#  include <atomic>
#  include <cerrno>
#  include <cstdio>
#  include <filesystem>
#  include <functional>
#  include <string>
#  include <thread>
#  include <utility>
#  include <vector>
#endif

#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

#if defined(HAS_POSIX_FILES)

/// Opens a path, may read or write, closes the file, and returns the error.
using path_operation = std::function<std::error_code(leat::path_ref)>;
struct named_operation {
  const char* name;
  bool creates;  // creates a missing file
  path_operation open;
};

std::error_code close_result(leat::file_writer out, std::error_code ec) {
  if (ec) return ec;
  out.write("new");
  out.close(ec);
  return ec;
}

std::error_code open_by_c(leat::path_ref path, const char* mode, int replaces,
                          leat_durability durability = LEAT_DURABILITY_NONE) {
  const int folder = path.folder();
  leat_options options = leat_test::options_with(durability, replaces);
  options.inside = &folder;
  leat_file* const file = leat_open(path.c_str(), mode, &options);
  if (file == nullptr) return {errno, std::generic_category()};
  if (*mode != 'r') leat_fputs("new", file);
  return leat_fclose(file) == 0 ? std::error_code{}
                                : std::error_code{errno, std::generic_category()};
}

const std::vector<named_operation>& operations() {
  using std::error_code;
  static const std::vector<named_operation> all{
      {"create", true,
       [](leat::path_ref path) {
         error_code ec;
         auto out = leat::create(path, ec);
         return close_result(std::move(out), ec);
       }},
      {"create, durable", true,
       [](leat::path_ref path) {
         error_code ec;
         auto out = leat::create(path, {.durability = leat::durability::system}, ec);
         return close_result(std::move(out), ec);
       }},
      {"append", true,
       [](leat::path_ref path) {
         error_code ec;
         auto out = leat::append(path, ec);
         return close_result(std::move(out), ec);
       }},
      {"replace", true,
       [](leat::path_ref path) {
         error_code ec;
         auto out = leat::replace(path, {.durability = leat::durability::system}, ec);
         return close_result(std::move(out), ec);
       }},
      {"update", false,
       [](leat::path_ref path) {
         error_code ec;
         leat::update(path, ec).close();
         return ec;
       }},
      {"update or create", true,
       [](leat::path_ref path) {
         error_code ec;
         leat::update(path, {.create = true}, ec).close();
         return ec;
       }},
      {"open", false,
       [](leat::path_ref path) {
         error_code ec;
         leat::open(path, ec).close();
         return ec;
       }},
      {"map_file", false,
       [](leat::path_ref path) {
         error_code ec;
         leat::map_file(path, ec).close();
         return ec;
       }},
      {"follow", false,
       [](leat::path_ref path) {
         error_code ec;
         auto in = leat::follow(path, {.timeout = {}}, ec);
         if (!ec) static_cast<void>(in.read_all(ec));
         return ec;
       }},
      {"file", false,
       [](leat::path_ref path) {
         error_code ec;
         leat::file::open(path, ec).close();
         return ec;
       }},
      {"file, created", true,
       [](leat::path_ref path) {
         error_code ec;
         leat::file::create(path, ec).close();
         return ec;
       }},
      {"records", true,
       [](leat::path_ref path) {
         error_code ec;
         leat::records<char>::open(path, leat::mode::update_or_create, {}, ec).close();
         return ec;
       }},
      {"read_file", false,
       [](leat::path_ref path) {
         error_code ec;
         static_cast<void>(leat::read_file(path, ec));
         return ec;
       }},
      {"write_file", true,
       [](leat::path_ref path) {
         error_code ec;
         leat::write_file(path, "new", ec);
         return ec;
       }},
      {"copy_file from", false,
       [](leat::path_ref path) {
         error_code ec;
         leat::copy_file(path, "/dev/null", ec);
         return ec;
       }},
      {"copy_file to", true,
       [](leat::path_ref path) {
         error_code ec;
         leat::copy_file("/dev/null", path, ec);
         return ec;
       }},
      {"leat_open r", false, [](leat::path_ref path) { return open_by_c(path, "r", 0); }},
      {"leat_open w", true,
       [](leat::path_ref path) { return open_by_c(path, "w", 0, LEAT_DURABILITY_SYSTEM); }},
      {"leat_open a+", true, [](leat::path_ref path) { return open_by_c(path, "a+", 0); }},
      {"leat_open replace", true, [](leat::path_ref path) { return open_by_c(path, "w", 1); }},
  };
  return all;
}

/// The folder `box`, and files outside of `box`. No path in `box` may reach these files.
class inside_folder : public testing::Test {
 protected:
  inside_folder() {
    write_file(outer / "secret", "secret");
    std::filesystem::create_directory(outer / "box");
    std::filesystem::create_directory(outer / "box/sub");
    std::filesystem::create_directory(outer / "elsewhere");
    write_file(outer / "elsewhere/file", "secret");
    box = leat::folder(outer / "box");
  }
  /// Expects that each operation refuses the path, leaks no descriptor, and changes no file
  /// outside.
  void expect_refusal(const char* path) {
    const auto descriptors = count_open_descriptors();
    for (const auto& [name, creates, open] : operations())
      EXPECT_TRUE(open(box.at(path))) << name << " of " << path;
    EXPECT_EQ(read_all(outer / "secret"), "secret") << path;
    EXPECT_EQ(read_all(outer / "elsewhere/file"), "secret") << path;
    EXPECT_EQ(count_open_descriptors(), descriptors) << path;
  }

  const temporary_folder outer;
  leat::folder box;
};

TEST_F(inside_folder, files_are_opened_by_every_operation) {
  for (const auto& [name, creates, open] : operations())
    for (const std::string path : {"file", "sub/file", "./sub//file", "..a"}) {
      std::filesystem::remove((outer / "box/") + path);
      EXPECT_EQ(!open(box.at(path)), creates || std::string_view(name) == "follow")
          << name << " of " << path;
      write_file((outer / "box/") + path, "old");
      EXPECT_EQ(open(box.at(path)), std::error_code{}) << name << " of " << path;
      std::filesystem::remove((outer / "box/") + path);
    }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outer / "box/sub"), {}), 0);
}

TEST_F(inside_folder, no_path_leads_out) {
  const std::string absolute = outer / "secret";
  for (const char* path :
       {"../secret", "..", "sub/../../secret", "sub/..", "/", "//x", absolute.c_str(), ""})
    expect_refusal(path);
  std::error_code ec;
  static_cast<void>(leat::open(box.at("../secret"), ec));
  EXPECT_EQ(ec, leat::errc::outside_folder);
  EXPECT_EQ(leat::message(ec, "open", "../secret"),
            "cannot open '../secret': The path is absolute or has a part \"..\"");
  static_cast<void>(leat::open(box.at(std::string("a\0b", 3)), ec));
  EXPECT_EQ(ec, std::errc::invalid_argument);
}

TEST_F(inside_folder, no_link_is_followed) {
  const auto link = [&](const std::string& to, const char* name) {
    std::filesystem::create_symlink(to, (outer / "box/") + name);
  };
  link("../secret", "to_file");
  link(outer / "secret", "to_absolute");
  link("../nothing", "to_nothing");
  link("../elsewhere", "to_folder");
  link("sub", "to_sub");
  link("to_itself", "to_itself");
  link("/proc/self/cwd", "to_magic");
  write_file(outer / "box/sub/file", "inside");
  for (const char* path :
       {"to_file", "to_absolute", "to_nothing", "to_folder", "to_folder/file", "to_folder/",
        "to_folder/new", "to_sub/file", "to_sub/.", "to_itself", "to_magic/x", "to_magic/"})
    expect_refusal(path);
  EXPECT_FALSE(std::filesystem::exists(outer / "nothing"));
  EXPECT_FALSE(std::filesystem::exists(outer / "elsewhere/new"));
  EXPECT_EQ(read_all(outer / "box/sub/file"), "inside");
  std::error_code ec;
  static_cast<void>(leat::open(box.at("to_file"), ec));
  EXPECT_EQ(ec, std::errc::too_many_symbolic_link_levels);
  static_cast<void>(leat::replace(box.at("to_file"), ec));
  EXPECT_EQ(ec, std::errc::too_many_symbolic_link_levels);
}

TEST_F(inside_folder, pipes_and_sockets_are_refused_without_waiting) {
  ASSERT_EQ(::mkfifo((outer / "box/pipe").c_str(), 0600), 0);
  const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::filesystem::current_path(outer / "box");  // paths of sockets must be short
  std::snprintf(address.sun_path, sizeof address.sun_path, "socket");
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::filesystem::current_path("/");
  ASSERT_TRUE(succeeded(run_in_child([&] {
    ::alarm(10);
    for (const auto& [name, creates, open] : operations())
      for (const char* path : {"pipe", "socket", "sub"}) {
        const std::error_code ec = open(box.at(path));
        const bool is_expected = std::string_view(name).starts_with("leat_open")
                                     ? static_cast<bool>(ec)
                                     : ec == (path == std::string_view("sub")
                                                  ? std::make_error_code(std::errc::is_a_directory)
                                                  : leat::make_error_code(leat::errc::not_a_file));
        if (!is_expected) ::dprintf(2, "%s of %s: %s\n", name, path, ec.message().c_str());
        require(is_expected);
      }
  })));
  ::close(server);
}

TEST_F(inside_folder, a_file_is_opened_without_o_nonblock) {
  write_file(outer / "box/file", "x");
  const auto in = leat::open(box.at("file"));
  EXPECT_EQ(::fcntl(in.native_handle(), F_GETFL) & O_NONBLOCK, 0);
  const auto out = leat::append(box.at("file"));
  EXPECT_NE(::fcntl(out.native_handle(), F_GETFL) & O_APPEND, 0);
}

TEST_F(inside_folder, paths_stay_in_the_folder_after_the_folder_was_renamed) {
  auto replaced = leat::replace(box.at("replaced"), {.durability = leat::durability::system});
  auto created = leat::create(box.at("created"));
  auto followed = leat::follow(box.at("followed"), {.timeout = std::chrono::milliseconds(2)});
  std::filesystem::rename(outer / "box", outer / "moved");
  std::filesystem::create_directory_symlink("elsewhere", outer / "box");
  replaced.write("new");
  replaced.close();
  created.write("new");
  created.sync();
  leat::write_file(box.at("followed"), "line");
  box = {};  // the streams keep the folder open
  EXPECT_EQ(followed.read_all(), "line");
  EXPECT_EQ(read_all(outer / "moved/replaced"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outer / "elsewhere"), {}), 1);
}

TEST_F(inside_folder, replace_keeps_the_permissions_of_the_file) {
  write_file(outer / "box/file", "old");
  ASSERT_EQ(::chmod((outer / "box/file").c_str(), 0640), 0);
  leat::replace(box.at("file")).close();
  struct stat status{};
  ASSERT_EQ(::stat((outer / "box/file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(inside_folder, an_exclusive_file_that_fails_is_removed) {
  std::error_code ec;
  const auto out =
      leat::create(box.at("file"), {.preallocate = std::uint64_t{1} << 60, .exclusive = true}, ec);
  EXPECT_TRUE(ec);
  EXPECT_FALSE(std::filesystem::exists(outer / "box/file"));
}

TEST_F(inside_folder, a_dash_is_the_name_of_a_file) {
  leat::create_or_stdout(box.at("-")).close();
  EXPECT_TRUE(std::filesystem::exists(outer / "box/-"));
  EXPECT_EQ(leat::open_or_stdin(box.at("-")).read_all(), "");
}

TEST_F(inside_folder, folders_may_be_nested) {
  const leat::folder sub(box.at("sub"));
  leat::write_file(sub.at("file"), "x");
  EXPECT_EQ(read_all(outer / "box/sub/file"), "x");
  std::filesystem::create_symlink("sub", outer / "box/link");
  std::error_code ec;
  const leat::folder linked(box.at("link"), ec);
  EXPECT_TRUE(ec);
  EXPECT_THROW(static_cast<void>(leat::folder(box.at(".."))), leat::io_error);
}

TEST_F(inside_folder, parts_of_a_path_may_be_as_long_as_the_system_allows) {
  const std::string longest(255, 'n');
  std::error_code ec;
  std::filesystem::create_directory(outer / ("box/" + longest), ec);
  if (ec) GTEST_SKIP() << "the file system allows only shorter names";
  leat::write_file(box.at(longest + "/file"), "x");
  EXPECT_EQ(read_all(outer / ("box/" + longest + "/file")), "x");
  static_cast<void>(leat::open(box.at(longest + "n/file"), ec));
  EXPECT_EQ(ec, std::errc::filename_too_long);
}

TEST_F(inside_folder, a_path_in_a_closed_folder_is_not_opened_in_the_current_folder) {
  write_file(outer / "box/file", "old");
  std::filesystem::current_path(outer / "box");
  std::error_code ec;
  const leat::folder none(outer / "none", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(none.is_open());
  for (const auto& [name, creates, open] : operations()) EXPECT_TRUE(open(none.at("file"))) << name;
  EXPECT_EQ(read_all("file"), "old");
  std::filesystem::current_path("/");
}

// A thread keeps replacing a file, and a folder of the path, by links that lead out of the folder.
TEST_F(inside_folder, no_path_leads_out_while_links_replace_its_parts) {
  std::atomic<bool> done = false;
  std::filesystem::create_symlink("../secret", outer / "link");
  std::filesystem::create_symlink("../elsewhere", outer / "folder_link");
  std::thread attacker([&] {
    const std::string name = outer / "box/name", way = outer / "box/way";
    while (!done) {
      ::symlink("../secret", name.c_str());
      ::symlink("../elsewhere", way.c_str());
      ::unlink(name.c_str());
      ::unlink(way.c_str());
      ::mkdir(way.c_str(), 0700);
      static_cast<void>(!::link((outer / "box/inside").c_str(), name.c_str()));
      ::unlink((way + "/file").c_str());
      ::rmdir(way.c_str());
      ::unlink(name.c_str());
    }
  });
  write_file(outer / "box/inside", "inside");
  for (int i = 0; i != 2000; ++i) {
    for (const auto& [name, creates, open] : operations())
      if (std::string_view(name) != "follow") static_cast<void>(open(box.at("name")));
    std::error_code ec;
    leat::write_file(box.at("way/file"), "new", ec);
    EXPECT_NE(leat::read_file(box.at("name"), ec), "secret");
    EXPECT_NE(leat::read_file(box.at("way/file"), ec), "secret");
  }
  done = true;
  attacker.join();
  EXPECT_EQ(read_all(outer / "secret"), "secret");
  EXPECT_EQ(read_all(outer / "elsewhere/file"), "secret");
}

#else

TEST(inside_folder, is_refused_if_the_system_can_not_open_inside_a_folder) {
  const temporary_folder outer;
  std::error_code ec;
  const leat::folder box(outer.path(), ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  write_file(outer / "file", "old");
  static_cast<void>(leat::open(box.at(outer / "file"), ec));
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const int descriptor = 0;
  const leat_options how = leat_test::options_inside(descriptor);
  EXPECT_EQ(leat_open((outer / "file").c_str(), "w", &how), nullptr);
  EXPECT_EQ(read_all(outer / "file"), "old");
}

#endif

}  // namespace
