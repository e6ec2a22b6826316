// Files of a test: a temporary folder, and simple functions that read and write files.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/handles.hpp"

namespace leat_test {

/// An empty folder. The destructor removes the folder with its content.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = testing::TempDir();
    if (const char* wanted = std::getenv("TMPDIR"); wanted != nullptr && *wanted != '\0')
      name = std::string(wanted) + '/';
    path_ = make_folder(name + "leat-test-");
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::string& path() const { return path_; }
  /// Returns the path of a name in the folder.
  std::string operator/(std::string_view name) const { return path_ + '/' + std::string(name); }

  /// Returns the names in the folder, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::string path_;
};

/// Returns the content of a file. If the file can't be opened, reports a failure of the test.
inline std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  std::string text;
  std::vector<char> buffer(1 << 16);  // single characters are slow with sanitizers
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() != 0)
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  return text;
}

/// Writes a new or an existing file. If writing fails, reports a failure of the test.
inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << content;
  ASSERT_TRUE(out.flush().good()) << path;
}

/// Drops a file from the page cache, so that its next reads go to the disk. Does nothing on systems
/// other than Linux.
inline void drop_from_cache([[maybe_unused]] const std::string& path) {
#if defined(__linux__)
  const int file = ::open(path.c_str(), O_RDONLY);
  ::sync_file_range(
      file, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
#endif
}

/// Returns `size` bytes of consecutive numbers, so that a comparison finds misplaced bytes.
inline std::string numbered_text(std::size_t size) {
  std::string text, number = "0 ";
  text.reserve(size + 16);
  for (std::size_t i = 0; text.size() < size; ++i) {
    number.back() = i % 8 == 7 ? '\n' : ' ';
    text += number;
    std::size_t at = number.size() - 1;  // counts up in place
    while (at != 0 && number[at - 1] == '9') number[--at] = '0';
    if (at == 0)
      number.insert(0, 1, '1');
    else
      ++number[at - 1];
  }
  text.resize(size);
  return text;
}

}  // namespace leat_test
