// Mapped files, compared with a string. Other calls change, shorten and enlarge the file while the
// file is mapped, with and without the fault guard.
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
namespace fs = std::filesystem;

std::atomic<int> losses = 0;

leat::map_options some_options(input& in) {
  return {.pattern = std::array{leat::pattern::automatic, leat::pattern::sequential,
                                leat::pattern::random}[in.below(3)],
          .local_only = in.flag()};
}

/// Checks the calls that use the whole mapping, and the padding after the text.
void check_mapping(input& in, leat::mapped_file& map, std::string_view text) {
  expect(map.is_open() && map.native_handle() != leat::no_handle, "the mapping is not open");
  expect_equal(map.size(), text.size(), "size()");
  expect_text(map.view(), text, "view()");
  const std::size_t at = in.below(text.size() + 5);
  map.seek(at);
  const auto rest = text.substr(std::min(at, text.size()));
  expect_text(map.window(), rest, "window()");
  expect(rest.empty() || map.window().data() == map.view().data() + at,
         "window() is not in the mapping");
  if (!text.empty()) {  // the padding after the end is readable
    volatile char sum = 0;
    for (std::size_t i = 0; i != leat::mapped_padding; ++i)
      sum = static_cast<char>(sum + map.view().data()[text.size() + i]);
  }
}

/// Shortens a mapped file, and sometimes enlarges it again.
void check_shortened_file(input& in, const std::string& path, std::string text) {
  losses = 0;
  const std::size_t size_left = in.below(text.size() + 1);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto map = leat::map_file(path, some_options(in));
  const std::size_t skipped = in.flag() ? map.skip(in.below(text.size() + 1)) : 0;
  step("from {} to {} bytes, after {} skipped", text.size(), size_left, skipped);
  fs::resize_file(path, size_left);
  std::string wanted = text.substr(0, size_left);
  wanted.resize(text.size());
  const std::size_t way_to_read = in.below(4);
  if (way_to_read == 0) {
    step("all bytes");
    expect_text(map.view(), wanted, "zeros instead of the missing bytes");
    expect_equal(map.error() == leat::errc::file_shrank, size_left != text.size(), "error()");
  } else if (way_to_read == 1) {
    step("read to the end");
    std::error_code ec;
    std::string got = map.read_all(ec);
    if (skipped != text.size())
      expect_equal(ec == leat::errc::file_shrank, size_left < text.size(), "read_all()");
    if (ec && skipped <= size_left)
      expect_text(got.substr(0, size_left - skipped), wanted.substr(skipped, size_left - skipped),
                  "the bytes before the missing bytes");
  } else if (way_to_read == 2) {
    step("read a page after the end of the file");
    const std::size_t gone = (size_left + page - 1) / page * page;
    std::error_code ec;
    if (gone >= text.size()) return map.close(ec);
    expect_equal(map.view()[gone], '\0', "a byte of a page after the end of the file");
    leat::write_file(path, text);  // the bytes are back, but a zero was read
    expect(map.error() == leat::errc::file_shrank, "error() is not file_shrank");
  }
  if (in.flag()) {
    leat::mapped_file moved = std::move(map);
    expect(!map.is_open() && map.view().empty(), "a mapping that was moved from is open");
    map = std::move(moved);
  }
  const bool failed = map.error() == leat::errc::file_shrank;
  if (in.flag()) {
    std::error_code ec;
    map.close(ec);
    expect(way_to_read == 1 || (ec == leat::errc::file_shrank) == failed,
           "close() does not report that the file shrank");
    expect(!map.is_open() && map.native_handle() == leat::no_handle,
           "the mapping is open after close()");
    expect(map.error() == leat::errc::closed && map.view().empty(),
           "error() is not errc::closed or view() is not empty after close()");
    expect_equal(losses.load(), 0, "the losses after close() has reported the error");
  } else {
    map = leat::mapped_file();
    if (way_to_read != 1)
      expect_equal(losses.load(), failed ? 1 : 0,
                   "the losses after an error that no call has reported");
  }
}

void expect_refused(const std::string& path) {
  std::error_code ec;
  expect(!leat::map_file(path + "-missing", ec).is_open() &&
             ec == std::errc::no_such_file_or_directory,
         "map_file() of a missing file is not refused");
  expect(!leat::map_file(fuzz::scratch(), ec).is_open() && ec == std::errc::is_a_directory,
         "map_file() of a folder is not refused");
  expect(!leat::map_file("s3://bucket/key", {.local_only = true}, ec).is_open() &&
             ec == leat::errc::not_local,
         "map_file() of an address with local_only is not refused");
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { ++losses; });
  const std::string path = fuzz::scratch() + "mapped";
  std::string text = in.bytes(in.boundary_size(in.rarely(8) ? 300'000 : 13'000));
  leat::write_file(path, text);
  switch (in.below(8)) {
    case 0:
      return expect_refused(path);
    case 1: {
      step("a pipe");
      if (text.size() > 60'000) return;
      std::array<int, 2> ends{};
      expect(::pipe(ends.data()) == 0, "pipe()");
      expect(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()),
             "write()");
      ::close(ends[1]);
      auto map = leat::map_file("/dev/fd/" + std::to_string(ends[0]), some_options(in));
      ::close(ends[0]);
      expect_text(map.view(), text, "view() of a pipe");
      return expect_text(map.read_all(), text, "read_all() of a pipe");
    }
    case 2: {
      step("without the guard");
      const bool before = leat::guard_mappings(false);
      expect(!leat::guard_mappings(false), "guard_mappings() does not return the earlier setting");
      auto map = leat::map_file(path, some_options(in));
      leat::guard_mappings(before);
      leat::write_file(path, "other bytes");
      check_mapping(in, map, text);  // the mapping is a copy, which the write does not change
      return map.close();
    }
    case 3: {
      step("another stream writes");
      auto map = leat::map_file(path, some_options(in));
      check_mapping(in, map, text);
      if (text.empty()) return;
      auto out = leat::update(path);
      const std::size_t at = in.below(text.size());
      const std::string bytes = in.bytes(in.below(text.size() - at + 1));
      out.seek(at);
      out.write(bytes);
      out.close();
      text.replace(at, bytes.size(), bytes);
      leat::append(path).write("and more");
      check_mapping(in, map, text);
      return map.close();
    }
    case 4: {
      auto map = leat::map_file(path, some_options(in));
      check_mapping(in, map, text);
      fs::remove(path);
      check_mapping(in, map, text);
      map.seek(0);
      expect_text(map.read_all(), text, "read_all() of a removed file");
      return;
    }
    default:
      check_shortened_file(in, path, std::move(text));
  }
}

const fuzz::driver self("mapped_file", drive);

}  // namespace
