// leat::open_or_stdin and leat::create_or_stdout: "-" means the standard stream.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "stream/redirect.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

TEST(open_or_stdin, continues_standard_input_with_the_bytes_that_leat_in_has_buffered) {
  for (const bool file : {false, true}) {
    SCOPED_TRACE(file);
    const temporary_folder folder;
    write_file(folder / "text", "first\nsecond\nthird\n");
    write_file(folder / "-", "a file");
    const auto child = run_in_child([&] {
      if (file) {
        redirect(::open((folder / "text").c_str(), O_RDONLY), 0);
      } else {
        pipe_pair pipe;
        require(::write(pipe.writer(), "first\nsecond\nthird\n", 19) == 19);
        redirect(pipe.reader(), 0);
        pipe.close_writer();
      }
      std::string line;
      for (int byte = leat::in.get(); byte != '\n'; byte = leat::in.get())
        line += static_cast<char>(byte);
      require(line == "first");
      {
        auto first = leat::open_or_stdin("-");
        char next[7];
        require(first.read(std::span(next)) == 7 && std::string(next, 7) == "second\n");
        require(leat::in.error() == leat::errc::closed);
      }
      require(is_descriptor(0));
      auto second = leat::open_or_stdin("-");
      char rest[16];
      std::error_code ec;
      const std::size_t size = second.read(std::span(rest), ec);
      require(std::string(rest, size) == (file ? "third\n" : ""));
      require(::chdir(folder.path().c_str()) == 0);
      auto named = leat::open_or_stdin("./-");
      require(named.size() == 6);
      auto by_path = leat::open_or_stdin("./-", ec);
      require(!ec && by_path.size() == 6);
      require(!leat::open_or_stdin("missing", ec).is_open());
      require(ec == std::errc::no_such_file_or_directory);
      require(leat::open_or_stdin("-", ec).is_open() && !ec);
    });
    EXPECT_TRUE(succeeded(child));
  }
}

TEST(open_or_stdin, reports_that_standard_input_is_a_folder) {
  for (const auto compression : {leat::compression::none, leat::compression::automatic}) {
    const auto child = run_in_child([&] {
      redirect(::open("/", O_RDONLY), 0);
      std::error_code ec;
      auto in = leat::open_or_stdin("-", {.compression = compression}, ec);
      if (!ec) static_cast<void>(in.get(ec));
      require(ec == std::errc::is_a_directory);
    });
    EXPECT_TRUE(succeeded(child));
  }
}

TEST(create_or_stdout, shares_the_buffer_of_leat_out) {
  const auto child = run_in_child(
      [] {
        leat::print("1 ");
        auto out = leat::create_or_stdout("-");
        out.print("2 ");
        leat::print("3 ");
        out.close();
        require(is_descriptor(1));
        std::error_code ec;
        out.flush(ec);
        require(ec == leat::errc::closed);
        leat::print("4");
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "1 2 3 4");
}

TEST(create_or_stdout, reports_a_full_disk_by_close_or_by_the_exit_status) {
  for (const bool closes : {false, true}) {
    const auto child = run_in_child(
        [closes] {
          redirect(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
          auto out = leat::create_or_stdout("-");
          out.println("lost");
          std::error_code ec;
          if (closes) out.close(ec);
          require(closes == (ec == std::errc::no_space_on_device));
        },
        ending::orderly);
    EXPECT_EQ(child.code, closes ? 0 : EXIT_FAILURE);
  }
}

TEST(create_or_stdout, reports_errors_by_code) {
  const temporary_folder folder;
  std::error_code ec;
  static_cast<void>(leat::create_or_stdout(folder / "missing/file", ec));
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  auto out = leat::create_or_stdout(folder / "file", ec);
  EXPECT_FALSE(ec);
  out.write("text");
  out.close();
  EXPECT_EQ(leat::read_file(folder / "file"), "text");
  const auto child = run_in_child([] {
    std::error_code child_error = std::make_error_code(std::errc::io_error);
    leat::create_or_stdout("-", child_error).write("shared\n");
    require(!child_error);
    leat::out.close();
  });
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "shared\n");
}

}  // namespace
