// When calls fail, leat's stdio and libc's return the same, except for a flush after a failed
// write. fuzz/c_stdio.cpp makes random calls.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/stdio_apis.hpp"

namespace {

using namespace leat_test;

template <class Api>
std::vector<int> results_on_a_full_disk() {
  std::vector<int> results;
  const auto note = [&](int result) {
    results.push_back(result);
    results.push_back(result == EOF ? errno : 0);
    errno = 0;
  };
  for (const int mode : {_IOFBF, _IOLBF, _IONBF}) {
    auto* const f = Api::open("/dev/full", "w");
    Api::set_buffer(f, nullptr, mode, mode == _IONBF ? 0 : 100);
    note(Api::puts("text", f) < 0 ? EOF : 0);
    note(Api::put('\n', f));
    note(Api::failed(f) != 0);
    // If there is a buffer, leat has kept the unwritten bytes, so the flush tries again.
    // glibc has dropped the bytes.
    const int flush_result = Api::flush(f);
    if (std::is_same_v<Api, leat_stdio>) {
      EXPECT_EQ(flush_result, mode == _IONBF ? 0 : EOF);
    }
    errno = 0;
    Api::clear(f);
    note(Api::failed(f) != 0);
    note(Api::put('x', f));
    note(Api::close(f));
  }
  return results;
}

TEST(differential, calls_on_a_full_disk_have_the_results_of_libc) {
  EXPECT_EQ(results_on_a_full_disk<leat_stdio>(), results_on_a_full_disk<libc>());
}

template <class Api>
std::vector<int> results_of_bad_descriptors_and_paths(const std::string& path) {
  std::vector<int> results;
  const auto note = [&](bool failed) {
    results.push_back(failed);
    results.push_back(failed ? errno : 0);
    errno = 0;
  };
  note(Api::open_descriptor(-1, "r") == nullptr);
  note(Api::open_descriptor(1000, "w") == nullptr);
  for (const char* mode : {"r", "w", "a", "r+", "z", ""}) {
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR}) {
      const int descriptor = ::open(path.c_str(), flags);
      auto* const f = Api::open_descriptor(descriptor, mode);
      note(f == nullptr);
      if (f != nullptr)
        note(Api::close(f) != 0);
      else
        ::close(descriptor);
    }
  }
  // The descriptor is closed, but not the stream.
  auto* f = Api::open(path.c_str(), "r+");
  note(Api::put('x', f) == EOF);
  ::close(Api::number(f));
  note(Api::flush(f) != 0);
  note(Api::failed(f) != 0);
  note(Api::close(f) != 0);
  f = Api::open(path.c_str(), "r");
  ::close(Api::number(f));
  note(Api::get(f) == EOF);
  note(Api::failed(f) == 0);
  note(Api::close(f) != 0);
  // A folder can be opened only in mode "r", and can't be read.
  const std::string folder = path.substr(0, path.rfind('/'));
  note(Api::open(folder.c_str(), "w") == nullptr);
  note(Api::open(folder.c_str(), "r+") == nullptr);
  f = Api::open(folder.c_str(), "r");
  note(f == nullptr);
  note(Api::get(f) == EOF);
  note(Api::failed(f) == 0);
  note(Api::close(f) != 0);
  // A path or a mode is wrong.
  note(Api::open((path + ".none").c_str(), "r") == nullptr);
  note(Api::open((path + "/none").c_str(), "w") == nullptr);
  note(Api::open(path.c_str(), "") == nullptr);
  note(Api::open(path.c_str(), "z") == nullptr);
  note(Api::open(path.c_str(), "wx") == nullptr);
  return results;
}

TEST(differential, invalid_descriptors_paths_and_modes_have_the_results_of_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  const temporary_folder folder;
  write_file(folder / "file", "content\n");
  const auto ours = results_of_bad_descriptors_and_paths<leat_stdio>(folder / "file");
  write_file(folder / "file", "content\n");
  EXPECT_EQ(ours, results_of_bad_descriptors_and_paths<libc>(folder / "file"));
}

}  // namespace
