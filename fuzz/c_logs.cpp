// C's rotating logs, with random options: the archives and the log have all lines, once and in
// order. With `keep`, the archives and the log have only the last lines.
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

/// Counts a log's calls of `finished`. `failed` is set if an argument is wrong.
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

/// Returns the paths of a log's archives, oldest first.
std::vector<std::string> archives(const std::string& folder, bool by_time) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "app.log") paths.push_back(entry.path());
  const auto key = [&](const std::string& name) {
    return by_time ? 0 : -std::stol(name.substr(folder.size() + 8));
  };
  std::ranges::sort(paths, [&](const auto& a, const auto& b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  return paths;
}

void drive(input& in) {
  leat_set_loss_handler([](const leat_error*) { fail("bytes were lost"); });
  const std::string folder = scratch() + "log/", path = folder + "app.log";
  fs::remove_all(folder);
  fs::create_directory(folder);
  finished_archives finished;
  leat_rotation rotation{};
  rotation.size = in.flag() ? 1 + in.below(200) : in.boundary_size(9'000);
  rotation.every = in.one_of(std::array{0, 3600, 604'800});
  rotation.keep = in.flag() ? 0 : 1 + in.below(4);
  rotation.compression = in.rarely(4) ? in.one_of(formats) : LEAT_COMPRESSION_NONE;
  rotation.level = in.flag();
  rotation.by_time = in.flag();
  rotation.local_time = in.flag();
  rotation.finished = &finished_archives::finished;
  rotation.context = &finished;
  step("a log: size {} every {} keep {} compression {} by time {}", rotation.size, rotation.every,
       rotation.keep, static_cast<int>(rotation.compression), rotation.by_time);
  leat_rotation invalid = rotation;
  invalid.every = -1;
  leat_options options{};
  options.rotation = &invalid;
  expect(leat_open(path.c_str(), "a", &options) == nullptr && errno == EINVAL,
         "leat_open() accepts a negative period");
  expect_error(path);
  expect(leat_writer_rotating(path.c_str(), &invalid, nullptr) == nullptr && errno == EINVAL,
         "leat_writer_rotating() accepts a negative period");
  options.rotation = &rotation;
  std::string all;
  for (std::size_t opens = 1 + in.below(3); opens != 0; --opens) {
    output out;
    if (in.flag())
      out.writer = leat_writer_rotating(path.c_str(), &rotation, nullptr);
    else
      out.stream = leat_open(path.c_str(), "a", &options);
    expect(out.writer != nullptr || out.stream != nullptr, "a log can't be opened");
    // A stream must write whole lines, because a rotation may happen before each write.
    if (out.stream != nullptr) leat_setvbuf(out.stream, nullptr, _IOLBF, 4096);
    for (std::size_t n = in.below(20); n != 0; --n) {
      std::string line = in.bytes(in.boundary_size(in.rarely(16) ? 9'000 : 70));
      std::ranges::replace(line, '\n', ' ');
      step("a line of {}", line.size());
      out.write(line + '\n');
      all += line + '\n';
      if (!in.rarely(4)) continue;
      expect_equal(out.flush(in.rarely(32)), 0, "the result of a flush");
      expect(all.ends_with(content_of(path, LEAT_COMPRESSION_NONE)),
             "the log does not end with the flushed lines");
    }
    step("close");
    expect_equal(out.close(), 0, "the result of a close");
  }
  const auto paths = archives(folder, rotation.by_time != 0);
  std::string got;
  for (const auto& name : paths) {
    const std::string archive_content = content_of(name, rotation.compression);
    expect(archive_content.size() <= rotation.size || rotation.size == 0 ||
               archive_content.find('\n') + 1 == archive_content.size(),
           "an archive of several lines is larger than rotation.size");
    got += archive_content;
  }
  got += content_of(path, LEAT_COMPRESSION_NONE);
  expect(!finished.failed, "leat_rotation::finished was called with wrong arguments");
  expect_equal(
      paths.size(),
      rotation.keep == 0 ? finished.files.load() : std::min(finished.files.load(), rotation.keep),
      "the number of archives");
  if (rotation.keep == 0)
    expect_text(got, all, "the archives and the log");
  else
    expect(all.ends_with(got), "the archives and the log do not have the last lines");
}

const driver self("c_logs", drive);

}  // namespace
