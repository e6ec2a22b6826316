// C's rotating logs, with random options: the archives and the log have all lines (with `keep`, the
// last lines), once and in order.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c_files.hpp"

namespace {

using namespace fuzz;
namespace fs = std::filesystem;

/// Counts a log's calls of `finished`, and checks their arguments.
struct finished_archives {
  std::atomic<std::size_t> files = 0;
  std::atomic<bool> failed = false;

  static void finished(const char* path, int error, void* context) {
    auto& self = *static_cast<finished_archives*>(context);
    if (error != 0 || std::string_view(path).find("/app.log.") == std::string_view::npos)
      self.failed = true;
    ++self.files;
  }
};

/// The archives of a log, oldest first.
std::vector<std::string> archives(const std::string& folder, bool by_time) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "app.log") names.push_back(entry.path());
  const auto key = [&](const std::string& name) {
    return by_time ? 0 : -std::stol(name.substr(folder.size() + 8));
  };
  std::ranges::sort(names, [&](const auto& a, const auto& b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  return names;
}

void drive(input& in) {
  leat_set_loss_handler([](const leat_error*) { fail("bytes were lost"); });
  const std::string folder = scratch() + "log/", path = folder + "app.log";
  fs::remove_all(folder);
  fs::create_directory(folder);
  finished_archives finished;
  leat_rotation when{};
  when.size = in.flag() ? 1 + in.below(200) : in.boundary_size(9'000);
  when.every = in.one_of(std::array{0, 3600, 604'800});
  when.keep = in.flag() ? 0 : 1 + in.below(4);
  when.compression = in.rarely(4) ? in.one_of(formats) : LEAT_COMPRESSION_NONE;
  when.level = in.flag();
  when.by_time = in.flag();
  when.local_time = in.flag();
  when.finished = &finished_archives::finished;
  when.context = &finished;
  step("a log: size {} every {} keep {} compression {} by time {}", when.size, when.every,
       when.keep, static_cast<int>(when.compression), when.by_time);
  leat_rotation wrong = when;
  wrong.every = -1;
  leat_options how{};
  how.rotation = &wrong;
  expect(leat_open(path.c_str(), "a", &how) == nullptr && errno == EINVAL, "no such period");
  expect_error(path);
  expect(leat_writer_rotating(path.c_str(), &wrong, nullptr) == nullptr && errno == EINVAL,
         "no such period");
  how.rotation = &when;
  std::string all;
  for (std::size_t opens = 1 + in.below(3); opens != 0; --opens) {
    output out;
    if (in.flag())
      out.writer = leat_writer_rotating(path.c_str(), &when, nullptr);
    else
      out.stream = leat_open(path.c_str(), "a", &how);
    expect(out.writer != nullptr || out.stream != nullptr, "a log opens");
    // A stream must write whole lines, because a rotation may happen before each write.
    if (out.stream != nullptr) leat_setvbuf(out.stream, nullptr, _IOLBF, 4096);
    for (std::size_t n = in.below(20); n != 0; --n) {
      std::string line = in.bytes(in.boundary_size(in.rarely(16) ? 9'000 : 70));
      std::ranges::replace(line, '\n', ' ');
      step("a line of {}", line.size());
      out.write(line + '\n');
      all += line + '\n';
      if (!in.rarely(4)) continue;
      expect_equal(out.flush(in.rarely(32)), 0, "a flush");
      expect(all.ends_with(content_of(path, LEAT_COMPRESSION_NONE)), "what was flushed");
    }
    step("close");
    expect_equal(out.close(), 0, "a close");
  }
  const auto names = archives(folder, when.by_time != 0);
  std::string got;
  for (const auto& name : names) {
    const std::string old = content_of(name, when.compression);
    expect(old.size() <= when.size || when.size == 0 || old.find('\n') + 1 == old.size(),
           "an old file is too large");
    got += old;
  }
  got += content_of(path, LEAT_COMPRESSION_NONE);
  expect(!finished.failed, "leat_rotation::finished");
  expect_equal(names.size(),
               when.keep == 0 ? finished.files.load() : std::min(finished.files.load(), when.keep),
               "old files");
  if (when.keep == 0)
    expect_text(got, all, "all lines");
  else
    expect(all.ends_with(got), "the last lines");
}

const driver self("c_logs", drive);

}  // namespace
