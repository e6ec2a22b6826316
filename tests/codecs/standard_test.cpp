// Compressed standard input and output, and compressed files at a fork.
#include <leat/codecs.hpp>
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include "codecs/tools.hpp"
#include "support/files.hpp"
#include "support/handles.hpp"
#include "support/process.hpp"

namespace codecs_test {
namespace {

using leat_test::ending;
using leat_test::pipe_pair;
using leat_test::require;
using leat_test::run_in_child;

/// Makes `text` the process's standard input. `text` must fit into a pipe. For use in run_in_child.
void redirect_stdin_to(std::string_view text) {
  pipe_pair pipe;
  require(::write(pipe.writer(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  require(::dup2(pipe.reader(), 0) == 0);
  pipe.close_writer();
}

const tool gzip{compression::gzip, "gzip", ".gz", "gzip -c", "gzip -dc"};

TEST(standard, input_is_decoded_after_the_bytes_that_leat_in_has_read) {
  if (!is_available(gzip)) GTEST_SKIP();
  const std::string all = "a head\n" + output_of_command(gzip.encode, "first\nsecond\n");
  const auto child = run_in_child([&] {
    redirect_stdin_to(all);
    std::string line;
    require(leat::in.read_line(line) && line == "a head");
    auto in = leat::open_or_stdin("-", {.compression = compression::automatic});
    require(in.read_line(line) && line == "first");
    require(in.read_line(line) && line == "second");
    require(!in.read_line(line));
    in.close();
    require(leat::in.error() == leat::errc::closed);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(standard, uncompressed_input_is_unchanged_with_compression_automatic) {
  const auto child = run_in_child([&] {
    redirect_stdin_to("plain\n");
    auto in = leat::open_or_stdin("-", {.compression = compression::automatic});
    std::string line;
    require(in.read_line(line) && line == "plain" && !in.read_line(line));
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(standard, damaged_input_is_reported) {
  if (!is_available(gzip)) GTEST_SKIP();
  auto all = output_of_command(gzip.encode, "first\nsecond\n");
  all.pop_back();
  const auto child = run_in_child([&] {
    redirect_stdin_to(all);
    auto in = leat::open_or_stdin("-", {.compression = compression::gzip});
    std::string line;
    require(in.read_line(line) && in.read_line(line) && line == "second");
    try {
      in.read_line(line);
      require(false);
    } catch (const leat::io_error& error) {
      require(error.code() == leat::codecs::fault::truncated);
      require(error.path() == "<standard input>");
    }
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(standard, encoded_output_keeps_its_order_with_leat_out) {
  if (!is_available(gzip)) GTEST_SKIP();
  const auto child = run_in_child(
      [] {
        leat::print("before ");
        auto out = leat::create_or_stdout("-", {.compression = compression::gzip});
        out.print("{}", "content");
        out.close();
        leat::print(" after");
        // "-" has no suffix that could choose a format.
        leat::create_or_stdout("-", {.compression = compression::automatic}).print(" plain");
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child)) << child.err;
  const std::string_view out = child.out;
  ASSERT_TRUE(out.starts_with("before \x1f\x8b"));
  ASSERT_TRUE(out.ends_with(" after plain"));
  EXPECT_EQ(output_of_command(gzip.decode, out.substr(7, out.size() - 7 - 12)), "content");
}

TEST(standard, pending_bytes_at_a_fork_are_written_by_the_parent) {
  const leat_test::temporary_folder folder;
  for (const auto& each : tools()) {
    if (!leat::codecs::has(each.format)) continue;
    for (const bool closes : {true, false}) {
      const std::string path = folder / "f";
      const auto parent = run_in_child([&] {
        auto out = leat::create(path, {.compression = each.format});
        out.println("starting");
        const pid_t child = leat_test::start_child([&] {
          out.println("child");
          std::error_code ec;
          out.close(ec);
          require(ec == std::errc::operation_not_supported && out.lost() == 6);
        });
        require(leat_test::wait_for(child) == 0);
        if (!closes) ::_exit(0);
        out.println("end");
        out.close();
      });
      EXPECT_TRUE(succeeded(parent)) << parent.err;
      std::error_code ec;
      auto in = leat::open(path, {.compression = each.format});
      EXPECT_EQ(in.read_all(ec), closes ? "starting\nend\n" : "starting\n") << each.name;
      EXPECT_EQ(ec == leat::codecs::fault::truncated, !closes) << each.name << ec.message();
    }
  }
}

}  // namespace
}  // namespace codecs_test
