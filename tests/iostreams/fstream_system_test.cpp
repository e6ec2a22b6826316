// leat's file streams and cin and cout: when the system refuses to write, in forks, and at exit.
#ifdef __linux__

#  include <gtest/gtest.h>
#  include <leat/file_stream.hpp>
#  include <leat/fstream.hpp>

#  include <fcntl.h>
#  include <unistd.h>

#  include <csignal>
#  include <cstdlib>
#  include <string>
#  include <string_view>
#  include <thread>

#  include "support/files.hpp"
#  include "support/handles.hpp"
#  include "support/loss_recorder.hpp"
#  include "support/process.hpp"

namespace {

using namespace leat_test;

TEST(fstream, reports_a_full_disk_at_endl) {
  leat::ofstream out("/dev/full");
  out << "text" << std::endl;
  EXPECT_EQ(out.rdstate(), std::ios_base::badbit);
  out.clear();
  out.exceptions(std::ios_base::badbit);
  EXPECT_THROW(out << std::endl, std::ios_base::failure);
  out.exceptions(std::ios_base::goodbit);
  out.close();
}

TEST(fstream, reports_a_full_disk) {
  loss_recorder losses;
  {
    leat::ofstream out("/dev/full");
    out << "text";
    EXPECT_TRUE(out.good());
    out << std::flush;
    EXPECT_TRUE(out.bad());
    EXPECT_EQ(out.error(), std::errc::no_space_on_device);
  }
  EXPECT_EQ(losses.take().size(), 0u);
  {
    leat::ofstream out("/dev/full");
    out << "text";
    out.close();
    EXPECT_TRUE(out.fail());
    EXPECT_EQ(out.error(), std::errc::no_space_on_device);
  }
  EXPECT_EQ(losses.take().size(), 0u);
  {
    leat::ofstream out("/dev/full");
    out << "text";
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST(fstream, does_not_seek_to_the_end_if_the_bytes_before_cannot_be_written) {
  const auto child = run_in_child([] {
    const temporary_folder folder;
    write_file(folder / "f", "0123456789");
    require(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    limit_resource(RLIMIT_FSIZE, 10);
    leat::fstream io(folder / "f");
    io.seekp(0, std::ios::end);
    require(io.good());
    io << "more";
    io.seekp(0, std::ios::end);
    require(io.fail() && io.error() == std::errc::file_too_large);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(fstream, reports_a_failed_flush_of_a_query_or_a_read) {
  constexpr auto update = std::ios::in | std::ios::out, append = std::ios::in | std::ios::app;
  struct {
    std::ios::openmode mode;
    void (*call)(leat::fstream&);
  } const cases[] = {
      {update, [](leat::fstream& f) { f.tellp(), require(!f.flush()); }},
      {append, [](leat::fstream& f) { require(f.tellp() == std::ios::pos_type(-1)); }},
      {append, [](leat::fstream& f) { require(!f.flush()); }},
      {append, [](leat::fstream& f) { require(f.get() == EOF); }},
      {append, [](leat::fstream& f) { f.tellg(), f.clear(), require(!f.flush()); }},
  };
  for (const auto& [mode, call] : cases) {
    const auto child = run_in_child([mode = mode, call = call] {
      const temporary_folder folder;
      write_file(folder / "f", "0123456789");
      require(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
      limit_resource(RLIMIT_FSIZE, 10);
      leat::fstream io(folder / "f", mode);
      io.seekp(0, std::ios::end);
      io << "more";
      call(io);
      io.clear();
      io.close();
      require(io.fail() && io.error() == std::errc::file_too_large);
    });
    EXPECT_TRUE(succeeded(child)) << child.err;
  }
}

TEST(fstream, writes_its_bytes_once_after_a_fork) {
  const temporary_folder folder;
  leat::ofstream out(folder / "f", std::ios::app);
  out << "parent\n";
  EXPECT_TRUE(succeeded(run_in_child([&] {
    out << "child\n";
    out.close();
  })));
  out.close();
  EXPECT_EQ(leat::read_file(folder / "f"), "parent\nchild\n");
}

TEST(fstream, writes_pending_bytes_at_exit) {
  const temporary_folder folder;
  EXPECT_TRUE(succeeded(run_in_child(
      [&] {
        static leat::ofstream* const out = new leat::ofstream(folder / "f");
        *out << "text " << 42;
      },
      ending::orderly)));
  EXPECT_EQ(leat::read_file(folder / "f"), "text 42");
}

/// Writes `text` to a new file at `path`, and makes the file the standard input of this process.
/// Only for children.
void redirect_input(const std::string& path, std::string_view text) {
  write_file(path, text);
  const int file = ::open(path.c_str(), O_RDONLY);
  require(file >= 0 && ::dup2(file, 0) == 0 && ::close(file) == 0);
}

TEST(fstream, cin_and_in_read_the_same_input) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    redirect_input(folder / "in", "1 rest\n" + std::string(400'000, 'x') + "\n2 3 4\n");
    int number = 0;
    std::string line;
    require(leat::cin >> number && number == 1);
    require(leat::in.tell() == 1);
    require(leat::in.read_line(line) && line == " rest");
    require(leat::in.read_line(line) && line.size() == 400'000);
    require(leat::cin >> number && number == 2);
    require(leat::in.parse<int>() == 3);
    require(leat::cin >> number && number == 4);
    require(leat::in.get() == '\n' && leat::in.get() == EOF && leat::cin.get() == EOF);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(fstream, cin_leaves_the_offset_of_the_descriptor_after_the_last_byte_that_was_read) {
  const temporary_folder folder;
  for (const bool directly : {false, true}) {
    const auto child = run_in_child([&] { redirect_input(folder / "in", "12 34 56\n"); });
    EXPECT_TRUE(succeeded(child)) << child.err;
    const int file = ::open((folder / "in").c_str(), O_RDONLY);
    const auto reading = run_in_child(
        [&] {
          require(::dup2(file, 0) == 0);
          int number = 0;
          require(leat::cin >> number && number == 12);
          require(!directly || leat::in.parse<int>() == 34);
        },
        ending::orderly);
    EXPECT_TRUE(succeeded(reading)) << reading.err;
    EXPECT_EQ(::lseek(file, 0, SEEK_CUR), directly ? 5 : 2);
    ::close(file);
  }
}

TEST(fstream, cout_and_out_write_in_the_order_of_the_calls) {
  std::string expected;
  for (int i = 0; i != 30'000; ++i) {
    expected +=
        std::to_string(i) + " text" + (i % 100 == 0 ? std::string(3000, 'x') : "") + "-out ";
    if (i == 20'000) expected += "thread ";
    expected += "1.5w\n";
  }
  const auto child = run_in_child(
      [] {
        std::ostream& same = leat::cout;
        for (int i = 0; i != 30'000; ++i) {
          leat::cout << i;
          same << " text";
          if (i % 100 == 0) leat::cout << std::string(3000, 'x');
          leat::cout.put('-');
          leat::out.print("out ");
          if (i == 20'000) std::thread([] { leat::cout.write("thread ", 7); }).join();
          leat::cout << 1.5;
          same.put('w');
          leat::cout.write("\n", 1);
        }
        require(leat::cout.good());
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_TRUE(child.out == expected);
}

TEST(fstream, cout_reports_a_full_device) {
  const auto child = run_in_child([] {
    const int full = ::open("/dev/full", O_WRONLY);
    require(full >= 0 && ::dup2(full, 1) == 1);
    for (int i = 0; i != 1'000'000 && leat::cout; ++i) leat::cout.put('x');
    require(leat::cout.bad());
    leat::out.clear_error();
    leat::cout.clear();
    require(!(leat::cout << 1 << std::flush));
    leat::out.clear_error();
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(fstream, reports_bytes_lost_by_cout_at_exit) {
  const auto child = run_in_child(
      [] {
        leat::cout << "written" << std::flush;
        leat::out.close();
        leat::cout << "lost";
      },
      ending::orderly);
  EXPECT_EQ(child.code, EXIT_FAILURE);
  EXPECT_EQ(child.out, "written");
  EXPECT_NE(child.err.find("4 bytes not written"), std::string::npos) << child.err;
}

}  // namespace

#endif
