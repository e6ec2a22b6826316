// Paths in a folder that other users can write to, with names of all kinds, compared with a walk by
// lstat. Calls open only regular files in the folder, and files outside are unchanged.
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/folder.hpp>
#include <leat/follow.hpp>
#include <leat/mapped_file.hpp>
#include <leat/records.hpp>
#include <leat/rotating.hpp>
#include <leat/split.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
using std::error_code;
namespace fs = std::filesystem;

constexpr std::string_view written = "written by the call";

error_code write_and_close(leat::file_writer out, error_code ec) {
  if (ec) return ec;
  out.write(written);
  out.close(ec);
  return ec;
}
error_code write_and_close(leat::file_stream out, error_code ec) {
  if (ec) return ec;
  out.write(written);
  out.close(ec);
  return ec;
}

/// The effect of a call on a regular file. `exclusive`: the call fails.
enum class effect { reads, truncates, appends, overwrites, exclusive };

struct path_call {
  const char* name;
  effect file_effect;
  bool creates;  ///< creates a missing file
  error_code (*run)(leat::path_ref path, std::string& content);
};

const std::vector<path_call>& path_calls() {
  static const std::vector<path_call> all{
      {"open", effect::reads, false,
       [](leat::path_ref path, std::string& content) {
         error_code ec;
         auto file = leat::open(path, ec);
         if (!ec) content = file.read_all(ec);
         return ec;
       }},
      {"map_file", effect::reads, false,
       [](leat::path_ref path, std::string& content) {
         error_code ec;
         content = leat::map_file(path, ec).view();
         return ec;
       }},
      {"read_file", effect::reads, false,
       [](leat::path_ref path, std::string& content) {
         error_code ec;
         content = leat::read_file(path, ec);
         return ec;
       }},
      {"split", effect::reads, false,
       [](leat::path_ref path, std::string& content) {
         error_code ec;
         for (auto& part : leat::split(path, 2, ec)) content += part.read_all();
         return ec;
       }},
      {"file", effect::reads, false,
       [](leat::path_ref path, std::string& content) {
         error_code ec;
         const auto file = leat::file::open(path, ec);
         if (ec) return ec;
         content.resize(file.size());
         file.read_at(0, std::span<char>(content));
         return ec;
       }},
      {"copy_file from", effect::reads, false,
       [](leat::path_ref path, std::string& content) {
         error_code ec;
         const std::string to = fuzz::scratch() + "copied";
         fs::remove(to);
         leat::copy_file(path, to, ec);
         if (!ec) content = leat::read_file(to);
         return ec;
       }},
      {"create", effect::truncates, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::create(path, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"create exclusive", effect::exclusive, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::create(path, {.exclusive = true}, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"create process", effect::truncates, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::create(path, {.durability = leat::durability::process}, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"replace", effect::truncates, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::replace(path, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"write_file", effect::truncates, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         leat::write_file(path, written, ec);
         return ec;
       }},
      {"copy_file to", effect::truncates, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         const std::string from = fuzz::scratch() + "copied";
         leat::write_file(from, written);
         leat::copy_file(from, path, ec);
         return ec;
       }},
      {"append", effect::appends, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::append(path, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"append reopen", effect::appends, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::append(path, {.reopen = true}, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"rotating", effect::appends, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::rotating(path, {.size = 1 << 20}, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"update", effect::overwrites, false,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::update(path, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"update or create", effect::overwrites, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto out = leat::update(path, {.create = true}, ec);
         return write_and_close(std::move(out), ec);
       }},
      {"records", effect::overwrites, true,
       [](leat::path_ref path, std::string&) {
         error_code ec;
         auto file = leat::records<char>::open(path, leat::mode::update_or_create, {}, ec);
         if (ec) return ec;
         file.underlying().write_at(0, written, ec);
         return ec;
       }},
  };
  return all;
}

/// Returns the contents of all files and the targets of all symbolic links, by path; "" for other
/// entries.
std::map<std::string, std::string> contents_of(const std::string& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string content = entry.is_symlink()        ? "link to " + fs::read_symlink(entry).string()
                          : entry.is_regular_file() ? leat::read_file(entry.path())
                                                    : std::string();
    found[entry.path()] = std::move(content);
  }
  return found;
}

/// The target of a path: a regular file, a missing file, or an entry that must be refused.
struct path_target {
  enum { file, missing, refused } kind = refused;
  bool is_outside = false;
};

/// Finds the target of a path in the folder, by lstat of each name.
path_target resolve(const std::string& folder, const std::string& path) {
  path_target found;
  std::string at = folder;
  if (path.starts_with('/')) found.is_outside = true;
  bool is_folder = true, ends = false;
  std::string_view rest = path;
  bool missing = path.empty(), refused = path.empty();
  while (!rest.empty()) {
    const auto end = rest.find('/');
    const std::string name(rest.substr(0, end));
    ends = end == rest.npos || rest.find_first_not_of('/', end) == rest.npos;
    const bool has_slash = end != rest.npos;
    rest.remove_prefix(has_slash ? end + 1 : rest.size());
    if (name == "..") found.is_outside = true;
    if (name.empty()) continue;
    if (refused || found.is_outside || missing) {
      refused |= missing;
      continue;
    }
    if (!is_folder || name.size() > 255) {
      refused = true;
      continue;
    }
    if (name == ".") continue;
    at += '/' + name;
    struct stat status{};
    if (::lstat(at.c_str(), &status) != 0) {
      missing = true;
      refused |= has_slash || !ends;
    } else {
      is_folder = S_ISDIR(status.st_mode);
      refused |= !is_folder && (!S_ISREG(status.st_mode) || has_slash);
    }
  }
  if (refused || found.is_outside)
    found.kind = path_target::refused;
  else if (missing)
    found.kind = path_target::missing;
  else
    found.kind = is_folder ? path_target::refused : path_target::file;
  return found;
}

std::string some_path(input& in) {
  static const std::array<std::string, 16> names{
      "file", "other", "sub",  "sub",      "deep", ".",   "..",       "",
      "link", "out",   "away", "dangling", "fifo", "new", "a\nb\xff", "hard"};
  std::string result;
  if (in.rarely(16)) result = '/';
  for (std::size_t n = 1 + (in.flag() ? 0 : in.below(4)); n != 0; --n) {
    if (!result.empty()) result += '/';
    result += in.rarely(16) ? std::string(250 + in.below(10), 'n') : in.one_of(names);
  }
  if (in.rarely(16)) result += '/';
  return result;
}

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { fuzz::fail("bytes were lost"); });
  const std::string outer = fuzz::scratch() + "outer", box = outer + "/box";
  fs::remove_all(outer);
  fs::create_directories(box + "/sub/deep");
  fs::create_directory(outer + "/elsewhere");
  leat::write_file(outer + "/secret", "secret");
  leat::write_file(outer + "/elsewhere/file", "secret");
  for (const char* const name : {"/file", "/sub/file", "/sub/deep/other", "/a\nb\xff"})
    leat::write_file(box + name, std::string("content of ") + name);
  fs::create_symlink("file", box + "/link");
  fs::create_symlink("../secret", box + "/out");
  fs::create_symlink("../elsewhere", box + "/away");
  fs::create_symlink("nothing", box + "/dangling");
  fs::create_hard_link(box + "/sub/file", box + "/hard");
  expect(::mkfifo((box + "/fifo").c_str(), 0600) == 0, "mkfifo()");

  leat::folder folder(box);
  for (int calls = 0; in.has_more() && calls != 12; ++calls) {
    if (in.rarely(8)) {
      step("move");
      leat::folder moved = std::move(folder);
      expect(!folder.is_open() && moved.is_open(), "a folder that was moved from is open");
      expect(folder.native_handle() == leat::no_handle,
             "a folder that was moved from has a handle");
      error_code ec;
      expect(!leat::open(folder.at("file"), ec).is_open() && ec == std::errc::bad_file_descriptor,
             "open() in a closed folder is not refused");
      folder = std::move(moved);
    }
    if (in.rarely(8)) {
      step("open a folder in the folder");
      error_code ec;
      const leat::folder inner(folder.at("sub"), ec);
      expect(!ec && inner.is_open(), "a folder in the folder can't be opened");
      expect(!leat::open(inner.at("../file"), ec).is_open() && ec == leat::errc::outside_folder,
             "open() of a path with \"..\" is not refused");
      expect(!leat::folder(folder.at("away"), ec).is_open() && !!ec,
             "a link to a folder can be opened");
    }
    const auto& call = in.one_of(path_calls());
    const std::string path = some_path(in);
    step("{} '{}'", call.name, path);
    const path_target resolved = resolve(box, path);
    auto wanted = contents_of(outer);
    std::string content;
    const leat::path_ref ref = folder.at(path);
    expect(ref.is_inside() && ref.folder() == folder.native_handle() && ref.view() == path &&
               path == ref.c_str(),
           "at()");
    const error_code ec = call.run(ref, content);
    step("{}", ec.message());
    const std::string target = fs::path(box + '/' + path).lexically_normal();
    const bool is_file = resolved.kind == path_target::file;
    const bool can_succeed = is_file ? call.file_effect != effect::exclusive
                                     : resolved.kind == path_target::missing && call.creates;
    // Names of archives and temporary files are longer than the file's name, and may be too long.
    const std::string file_name = fs::path(target).filename();
    if (ec == std::errc::filename_too_long && file_name.size() > 200) {
      expect(contents_of(outer) == wanted, "a failed call has changed a file");
      continue;
    }
    expect_equal(!ec, can_succeed, "success of the call");
    if (path.starts_with("../") || path.starts_with("/"))
      expect(ec == leat::errc::outside_folder, "the error is not outside_folder");
    if (!can_succeed) {
      expect(contents_of(outer) == wanted, "a failed call has changed a file");
      continue;
    }
    std::string& file = wanted[target];
    const bool writes_in_place =
        call.file_effect != effect::reads && std::string_view(call.name) != "replace";
    switch (call.file_effect) {
      case effect::reads:
        expect_text(content, file, "content");
        break;
      case effect::appends:
        file += written;
        break;
      case effect::overwrites:
        file.replace(0, std::min(written.size(), file.size()), written);
        break;
      default:
        file = written;
    }
    const auto actual = contents_of(outer);
    // "hard" and "sub/file" are one file until replace() is called for one of the names.
    if (writes_in_place && is_file && fs::hard_link_count(target) == 2)
      for (const char* const name : {"/hard", "/sub/file"}) wanted[box + name] = file;
    expect(actual == wanted, "another file has changed, or the file has another content");
  }
}

const fuzz::driver self("folder", drive);

}  // namespace
