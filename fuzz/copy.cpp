// Copies from many kinds of readers to many kinds of writers, and of whole files with holes and
// links, compared with a string.
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "device.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
namespace fs = std::filesystem;

constexpr std::size_t pipe_size = 60'000;  // bytes that fit into a pipe that is not read

std::string path_of(const char* name) { return fuzz::scratch() + name; }

/// Returns text, and zeros that may become holes.
std::string some_content(input& in) {
  std::string result;
  for (std::size_t n = in.below(4); n != 0; --n) {
    result += in.bytes(in.boundary_size(in.rarely(8) ? 300'000 : 5'000));
    if (in.flag()) result.append(in.boundary_size(in.rarely(8) ? 1'048'577 : 70'000), '\0');
  }
  return result;
}

/// Writes a file with this content, with a hole for each block of 4096 zeros.
void write_sparse(const std::string& path, std::string_view content) {
  fs::remove(path);
  auto out = leat::create(path);
  for (std::size_t at = 0; at < content.size(); at += 4096) {
    const auto block = content.substr(at, 4096);
    if (block.find_first_not_of('\0') == block.npos) continue;
    out.seek(at);
    out.write(block);
  }
  out.close();
  fs::resize_file(path, content.size());
}

std::uint64_t blocks_of(const std::string& path) {
  struct stat status{};
  expect(::stat(path.c_str(), &status) == 0, "stat()");
  return static_cast<std::uint64_t>(status.st_blocks);
}

/// A reader of a chosen kind.
struct source {
  fuzz::disk disk;
  leat::memory_reader memory{std::string_view()};
  leat::file_reader file;
  leat::mapped_file map;
  leat::file_stream stream;
  leat::reader* reader = nullptr;
  bool is_positional = true;

  void open(input& in, std::string_view content) {
    const std::string path = path_of("from");
    switch (in.below(6)) {
      case 0:
        memory = leat::memory_reader(content);
        reader = &memory;
        break;
      case 1:
        disk = fuzz::disk::from_input(in, in.rarely(3));
        disk.content = content;
        disk.traits.positional = is_positional = in.flag();
        file = leat::file_reader(std::make_unique<fuzz::device>(disk),
                                 {.buffer_size = in.boundary_size()});
        reader = &file;
        break;
      case 2: {
        if (content.size() > pipe_size) return open_file(in, path, content);
        std::array<int, 2> ends{};
        expect(::pipe(ends.data()) == 0, "pipe()");
        expect(::write(ends[1], content.data(), content.size()) ==
                   static_cast<ssize_t>(content.size()),
               "write()");
        ::close(ends[1]);
        file = leat::file_reader(leat::adopt(ends[0]), {.buffer_size = in.boundary_size()});
        is_positional = false;
        reader = &file;
        break;
      }
      case 3:
        write_sparse(path, content);
        map = leat::map_file(path);
        reader = &map;
        break;
      case 4:
        write_sparse(path, content);
        stream = leat::update(path, {.buffer_size = in.boundary_size()});
        reader = &stream;
        break;
      default:
        open_file(in, path, content);
    }
  }
  void open_file(input& in, const std::string& path, std::string_view content) {
    write_sparse(path, content);
    file = leat::open(path, {.buffer_size = in.flag() ? 0 : in.boundary_size()});
    reader = &file;
  }
};

/// A writer of a chosen kind, and the content that its target had before.
struct target {
  fuzz::disk disk;
  std::string before;
  leat::string_writer text;
  leat::file_writer file;
  leat::file_stream stream;
  std::unique_ptr<leat::synchronized> shared;
  leat::writer* writer = nullptr;
  int pipe = -1;
  bool can_seek = false, to_device = false;
  const std::string path = path_of("to");

  void open(input& in) {
    before = in.flag() ? some_content(in) : std::string();
    leat::write_file(path, before);
    const std::size_t buffer = in.flag() ? 0 : in.boundary_size();
    const auto level = std::array{leat::durability::none, leat::durability::none,
                                  leat::durability::process}[in.below(3)];
    switch (in.below(8)) {
      case 0:
        writer = &text;
        before.clear();
        break;
      case 1:
        disk = fuzz::disk::from_input(in, in.rarely(3));
        disk.traits.positional = can_seek = in.flag();
        to_device = true;
        file = leat::file_writer(std::make_unique<fuzz::device>(disk),
                                 {.buffer_size = buffer, .background = in.rarely(16)});
        before.clear();
        break;
      case 2:
        file = leat::append(path, {.buffer_size = buffer, .durability = level});
        break;
      case 3:
        stream = leat::update(path, {.buffer_size = buffer});
        writer = &stream;
        can_seek = true;
        break;
      case 4:
        file = leat::replace(path, {.buffer_size = buffer});
        before.clear();
        can_seek = true;
        break;
      case 5: {
        std::array<int, 2> ends{};
        expect(::pipe(ends.data()) == 0, "pipe()");
        ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        pipe = ends[0];
        file = leat::file_writer(leat::adopt(ends[1]), {.buffer_size = buffer});
        before.clear();
        break;
      }
      default:
        file =
            leat::create(path, {.buffer_size = buffer,
                                .durability = level,
                                .flush_interval = std::chrono::milliseconds(in.rarely(16) ? 1 : 0),
                                .background = in.rarely(16)});
        before.clear();
        can_seek = level != leat::durability::process;
        if (in.rarely(4)) {
          shared = std::make_unique<leat::synchronized>(file);
          writer = shared.get();
          can_seek = false;
        }
    }
    if (writer == nullptr) writer = &file;
  }
  void close(std::error_code& ec) {
    if (writer == &text) return text.close(ec);
    if (writer == &stream) return stream.close(ec);
    file.close(ec);
  }
  std::string content() {
    if (writer == &text) return std::string(text.view());
    if (to_device) return disk.content;
    if (pipe == -1) return leat::read_file(path);
    std::string all = leat::file_reader(leat::adopt(pipe)).read_all();
    return all;
  }
};

struct stop_exception {};

void copy_streams(input& in) {
  const std::string content = some_content(in);
  source from;
  from.open(in, content);
  target to;
  to.open(in);
  // The pipe is read only after the copy, so the content must fit.
  if (to.pipe != -1 && content.size() > 900'000) return;

  std::string wanted = to.before;
  std::size_t at = to.writer == &to.stream || to.writer->tell() == 0 ? 0 : wanted.size();
  if (to.writer == &to.file && !to.can_seek && !to.before.empty()) at = wanted.size();
  const auto write = [&](std::string_view bytes) {
    if (bytes.empty()) return;  // a seek alone makes no hole
    if (wanted.size() < at + bytes.size()) wanted.resize(at + bytes.size());
    wanted.replace(at, bytes.size(), bytes);
    at += bytes.size();
  };
  if (to.can_seek && in.flag()) {
    at = in.below(wanted.size() + 5'000);
    step("seek to {}", at);
    to.writer->seek(at);
  }
  const std::string head = in.bytes(in.boundary_size(5'000));
  to.writer->write(head);
  write(head);

  std::size_t begin = 0;
  std::error_code ec;
  if (in.flag()) {
    begin = from.reader->skip(in.below(content.size() + 2), ec);
    if (in.flag()) from.reader->peek(in.boundary_size(5'000), ec);
    if (from.is_positional && in.flag()) {
      from.reader->seek(begin = in.below(content.size() + 1), ec);
    }
    if (ec) return;
  }
  const std::string_view rest = std::string_view(content).substr(begin);
  step("copy {} bytes from {} to {}", rest.size(), begin, at);
  const std::uint64_t position_before = to.writer->tell();
  std::uint64_t reported = 0, copied = 0;
  const std::size_t stop_at = in.rarely(4) ? in.below(rest.size() + 1) : ~std::size_t{0};
  const leat::copy_progress progress = [&](std::uint64_t done) {
    expect(done > reported && done <= rest.size(), "progress that shrinks or exceeds the rest");
    reported = done;
    if (done >= stop_at) throw stop_exception();
  };
  const bool has_progress = in.flag();
  bool stopped = false;
  try {
    if (in.flag()) {
      copied = has_progress ? leat::copy(*from.reader, *to.writer, progress, ec)
                            : leat::copy(*from.reader, *to.writer, ec);
    } else {
      copied = has_progress ? leat::copy(*from.reader, *to.writer, progress)
                            : leat::copy(*from.reader, *to.writer);
    }
  } catch (const stop_exception&) {
    stopped = true;
    copied = reported;
  } catch (const leat::io_error& e) {
    ec = e.code();
    copied = from.reader->tell() - begin;
  }
  expect(!ec || from.disk.faults + to.disk.faults != 0, "copy() fails without a fault");
  expect_equal(from.reader->tell() - begin, copied, "the number of bytes taken from the reader");
  if (has_progress && !ec) expect_equal(reported, copied, "the last progress");
  if (!ec && !stopped) expect_equal(copied, rest.size(), "the number of copied bytes");
  if (to.disk.faults == 0)
    expect_equal(to.writer->tell() - position_before, copied, "tell() of the writer");
  write(rest.substr(0, copied));
  const std::string tail = in.bytes(in.boundary_size(100));
  to.writer->write(tail);
  write(tail);
  if (in.flag() && !stopped && copied == rest.size() && from.disk.faults == 0)
    expect_equal(from.reader->get(), leat::reader::end_of_file, "get() after the copy");
  to.close(ec);
  expect(!ec || to.disk.faults != 0, "close() fails without a fault");
  if (to.disk.faults == 0)
    expect_text(to.content(), wanted, "the copy");
  else if (to.pipe != -1)
    ::close(to.pipe);
}

/// Copies a file that has a symbolic and a hard link, to one of these links or to another file.
void copy_files(input& in) {
  const std::string from = path_of("a"), link = path_of("l"), hard = path_of("h"),
                    to = path_of("b");
  const std::string content = some_content(in),
                    old_content = in.flag() ? some_content(in) : std::string();
  for (const auto& name : {from, link, hard, to}) fs::remove(name);
  write_sparse(from, content);
  fs::permissions(from, static_cast<fs::perms>(0400 | in.below(0400)));
  const auto mode = fs::status(from).permissions();
  fs::create_symlink("a", link);
  fs::create_hard_link(from, hard);
  std::error_code ec;
  switch (in.below(6)) {
    case 0: {
      const auto& other = in.flag() ? link : hard;
      step("copy_file() to itself");
      expect_equal(leat::copy_file(in.flag() ? from : link, in.flag() ? from : other, ec), 0U,
                   "the bytes of copy_file() to itself");
      expect(ec == leat::errc::same_file, "copy_file() to itself is not refused with same_file");
      return expect_text(leat::read_file(from), content, "the unchanged file");
    }
    case 1: {
      step("copy() to the end of the same file");
      if (content.empty()) return;
      auto in_file = leat::open(from);
      auto out = leat::append(in.flag() ? link : hard);
      leat::copy(in_file, out, ec);
      expect(ec == leat::errc::same_file,
             "copy() to the end of the same file is not refused with same_file");
      out.close();
      return expect_text(leat::read_file(from), content, "the unchanged file");
    }
    case 2:
      expect_equal(leat::copy_file(path_of("missing"), to, ec), 0U,
                   "copy_file() of a missing file");
      expect(ec == std::errc::no_such_file_or_directory,
             "copy_file() of a missing file is not refused");
      return expect(!fs::exists(to), "a copy of a missing file exists");
    case 3:
      leat::copy_file(fuzz::scratch(), to, ec);
      expect(!!ec, "copy_file() accepts a folder");
      return expect(!fs::exists(to), "a copy of a folder exists");
    default:
      break;
  }
  if (in.flag()) {
    leat::write_file(to, old_content);
    if (in.flag()) fs::permissions(to, static_cast<fs::perms>(0600 | in.below(0200)));
  }
  step("copy_file() of {} bytes", content.size());
  const auto& named = in.flag() ? from : in.flag() ? link : hard;
  expect_equal(leat::copy_file(named, to, ec), content.size(), "copy_file()");
  expect(!ec, "copy_file() fails");
  expect_text(leat::read_file(to), content, "copy_file()");
  expect(fs::status(to).permissions() == mode, "the copy has other permissions");
  expect(blocks_of(to) <= blocks_of(from) + 16, "the copy does not have the holes");
  if (!in.rarely(4)) return;
  step("rename_durably()");
  leat::rename_durably(to, in.flag() ? from : path_of("r"), ec);
  expect(!ec && !fs::exists(to), "rename_durably() fails");
  leat::rename_durably(to, from, ec);
  expect(ec == std::errc::no_such_file_or_directory,
         "rename_durably() of a missing file is not refused");
  expect_text(leat::last_error().path(), to, "the path of last_error()");
  fs::remove(path_of("r"));
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  in.rarely(3) ? copy_files(in) : copy_streams(in);
}

const fuzz::driver self("copy", drive);

}  // namespace
